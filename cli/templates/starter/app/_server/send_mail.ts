import { showMail, type ShownMail } from "@framework/auth";
import type { Env } from "@framework/cli/runtime";
import { siteName } from "../_components/site.ts";

/**
 * Sends every mail of the application. Without a mail service it is shown to you while you develop, in the terminal and
 * at `/auth/dev/mail`; in production it fails. The request below is what many services take: change it to yours.
 */
export async function sendMail(mail: ShownMail, { env }: { env: Env }): Promise<void> {
  if (!env.MAIL_URL) return showMail(mail);
  const { to, subject, text, html } = mail;
  const response = await fetch(env.MAIL_URL, {
    method: "POST",
    headers: { "authorization": `Bearer ${env.MAIL_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ from: `${siteName} <${env.MAIL_FROM}>`, to, subject, text, html }),
  });
  if (!response.ok) throw new Error(`The mail service answered ${response.status}.`);
}
