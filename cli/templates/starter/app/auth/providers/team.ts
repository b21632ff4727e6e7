import { teamPage } from "@framework/auth";
import { defineProvider } from "@framework/auth/convention";
import { sendMail } from "../../_server/send_mail.ts";

/** The page `/auth/team`: members, roles, invitations by mail. Whoever has proved an address can start a team. */
export default defineProvider(teamPage({ sendMail, canCreate: true }));
