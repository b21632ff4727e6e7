import type { SqlDatabase } from "@framework/auth/storage";

/** Bindings of the application: those of `wrangler.jsonc` and the secrets. */
export interface Env {
  DB: SqlDatabase;
  AUTH_SECRET: string;
  /** The domain that passkeys belong to. */
  PASSKEY_DOMAIN?: string;
  /** A mail service, its key, and the sender; see `app/_server/send_mail.ts`. */
  MAIL_URL?: string;
  MAIL_KEY?: string;
  MAIL_FROM?: string;
  /** An identity provider; without these three there is no button for it. */
  OIDC_ISSUER?: string;
  OIDC_CLIENT_ID?: string;
  OIDC_CLIENT_SECRET?: string;
}
