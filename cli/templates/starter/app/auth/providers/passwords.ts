import { passwords } from "@framework/auth";
import { defineProvider } from "@framework/auth/convention";
import { sendMail } from "../../_server/send_mail.ts";

/** Accounts with a password: `/auth/signup`, `/auth/forgot` and the rest, as pages and as JSON. */
export default defineProvider(passwords({ sendMail }));
