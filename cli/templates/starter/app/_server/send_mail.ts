import type { Env } from "../../env.ts";

/** A mail to one person. */
export interface Mail {
  from: string;
  to: string;
  subject: string;
  text: string;
}

/**
 * Sends a mail. While you develop, with `MAIL=terminal` in `.dev.vars`, it is printed where `framework dev`
 * runs. Before you go live, write here how your mail service is called:
 *
 *     await fetch("https://mail.example/send", { method: "POST", body: JSON.stringify(mail), … });
 */
// deno-lint-ignore require-await -- what calls a mail service waits for it.
export async function sendMail(env: Env, mail: Mail): Promise<void> {
  if (env.MAIL !== "terminal") {
    throw new Error("Mail is not set up: write how to send it in app/_server/send_mail.ts.");
  }
  const line = "─".repeat(72);
  console.log(`${line}\nMail to ${mail.to}: ${mail.subject}\n\n${mail.text}\n${line}`);
}
