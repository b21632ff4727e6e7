import { email } from "@framework/auth";
import { defineProvider } from "@framework/auth/convention";
import { sendMail } from "../../_server/send_mail.ts";

/** Sign-in by a link in an email, which works for an hour. */
export default defineProvider(email({ maxAge: 3600, sendMail }));
