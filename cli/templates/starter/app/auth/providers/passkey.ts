import { passkey } from "@framework/auth";
import { defineProvider } from "@framework/auth/convention";
import type { Env } from "@framework/cli/runtime";
import { siteName } from "../../_components/site.ts";

/** Sign-in with a fingerprint, a face or a PIN. Users add passkeys on their account page. */
export default defineProvider(passkey((env: Env) => ({
  rpName: siteName,
  rpId: env.PASSKEY_DOMAIN,
})));
