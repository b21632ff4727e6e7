import { email } from "@framework/auth";
import { defineProvider } from "@framework/auth/convention";
import type { Env } from "../../../env.ts";
import { siteName } from "../../_components/site.ts";
import { sendMail } from "../../_server/send_mail.ts";

/** Sign-in by a link in an email, without a password. */
export default defineProvider(email<Env>({
  from: `${siteName} <hello@example.com>`,
  maxAge: 3600,
  async sendVerificationRequest({ identifier, url, ends }, { env, from }) {
    const old = ends ? "\n\nYour old password ends with that: set a new one afterwards." : "";
    const text = `Sign in to ${siteName}:\n${url}\n\nThe link holds for an hour.${old}`;
    await sendMail(env, { from, to: identifier, subject: `Sign in to ${siteName}`, text });
  },
}));
