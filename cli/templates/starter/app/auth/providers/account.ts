import { accountPage } from "@framework/auth";
import { defineProvider } from "@framework/auth/convention";
import { sendMail } from "../../_server/send_mail.ts";

/** The page `/auth/account`: address, password, passkeys, connected accounts, devices, activity, data. */
export default defineProvider(accountPage({ sendEmailChange: sendMail }));
