import { passkey, passkeyMails } from "@framework/auth";
import { defineProvider } from "@framework/auth/convention";
import type { Env } from "@framework/cli/runtime";
import { siteName } from "../../_components/site.ts";
import { sendMail } from "../../_server/send_mail.ts";

const mails = passkeyMails({ sendMail });

/** Sign-in with a fingerprint, a face or a PIN. Users add passkeys on their account page. */
export default defineProvider(
  passkey((env: Env) => ({ rpName: siteName, rpId: env.PASSKEY_DOMAIN || undefined, mails })),
);
