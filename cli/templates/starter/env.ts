import type { SqlDatabase } from "@framework/auth/storage";

/** What the platform hands to the application: the bindings of `wrangler.jsonc` and the secrets. */
export interface Env {
  DB: SqlDatabase;
  AUTH_SECRET: string;
}
