import type { User } from "../users/user.ts";
import type { AuthContext, DefaultEnv } from "./application.ts";
import type { CredentialsField, SignInField } from "../http/contracts.ts";

/** What `credentials()` takes. */
export interface CredentialsConfig<Env = DefaultEnv> {
  /** Its name in addresses and in the list of providers. Default 'credentials'. */
  id?: string;
  /** Its name on the sign-in page. Default 'Credentials'. */
  name?: string;
  /** The fields of the form, in order. */
  credentials: Record<string, CredentialsField>;
  /**
   * Returns the user whom these credentials prove, or null. A field that was left empty is "". Pass
   * `verifyPassword()` what you found also when you found nothing, so that both take the same time.
   */
  authorize(credentials: Record<string, string>, context: AuthContext<Env>): Promise<User | null>;
}

/** What is checked of the configuration. */
export interface CheckedCredentials {
  /** Its name in addresses. */
  id: string;
  /** Its name on the sign-in page. */
  name: string;
  /** The fields of the form, in order. */
  fields: readonly SignInField[];
  /** See {@linkcode CredentialsConfig}. */
  authorize(
    credentials: Record<string, string>,
    context: AuthContext<unknown>,
  ): Promise<User | null>;
}
