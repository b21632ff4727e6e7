/**
 * Sign-in and sign-out in the browser.
 *
 * @module
 */

import type { Session } from "../types/session.ts";
import { announce, browser } from "./broadcast.ts";
import { AuthClientError, type AuthClientOptions, call, unreachable } from "./request.ts";
import type { PasskeySignInOptions } from "./passkey.ts";
import {
  concludeSignIn,
  reviveSession,
  type SerializedSession,
  type SignInResult,
} from "./session.ts";

/** Options for `signIn()`. Fields of the provider are added to these. */
export interface SignInOptions {
  /** Destination after sign-in. Default: the page for new users, or the start page. */
  redirectTo?: string;
  /** The same as `redirectTo`, by the name that it has in addresses. */
  callbackUrl?: string;
  /** False to stay on this page, and to go where the result says, or nowhere, by yourself. Default true. */
  redirect?: boolean;
  /** The fields of the provider: what `credentials()` declares, `email`, or `intent: "link"`. */
  [field: string]: string | boolean | undefined;
}

/** Loads what passkeys need, which no other way to sign in has any use for. */
async function signInLazily(
  values: PasskeySignInOptions,
  options: AuthClientOptions,
): Promise<SignInResult> {
  let passkeys: typeof import("./passkey.ts");
  try {
    passkeys = await import("./passkey.ts");
  } catch {
    return unreachable();
  }
  return await passkeys.signInWithPasskey(values, options);
}

/**
 * Signs in with a passkey, as `signInWithPasskey()` of `@framework/auth/client-passkey` does, which is loaded
 * with the first call.
 *
 * @param providerId "passkey".
 * @param values How, and where to go.
 * @param options Where the endpoints are.
 * @returns How far it came.
 */
export function signIn(
  providerId: "passkey",
  values?: PasskeySignInOptions & Pick<SignInOptions, "callbackUrl">,
  options?: AuthClientOptions,
): Promise<SignInResult>;
/**
 * Begins to sign in. At a provider of OAuth the browser goes there; with credentials the session begins at
 * once; by email a link is sent, and the browser goes to the page that says so. With "passkey" the browser asks
 * for one, as `signInWithPasskey()` of `@framework/auth/client-passkey` does: that part is a chunk of its own, which
 * a page loads when it is first asked for.
 *
 * @param providerId Id of the provider, such as "github", "credentials", "email" or "passkey".
 * @param values Where to go, and the fields of the provider; for "passkey" what `signInWithPasskey()` takes.
 * @param options Where the endpoints are.
 * @returns How far it came. Wrong credentials, too many attempts and a missing connection are results, not
 * exceptions.
 *
 * @example
 * ```ts
 * import { signIn } from "@framework/auth/client";
 *
 * async function submit(email: string, password: string): Promise<string | null> {
 *   const result = await signIn("credentials", { email, password, redirectTo: "/dashboard" });
 *   return result.ok ? null : result.error.message;
 * }
 * ```
 *
 * @example What is refused is a result
 * ```ts
 * import { signIn } from "@framework/auth/client";
 * import { equal } from "node:assert/strict";
 *
 * const refusal = { code: "INVALID_CREDENTIALS", message: "The credentials are not right" };
 * const result = await signIn("credentials", { pin: "0000" }, {
 *   fetch: () => Promise.resolve(Response.json(refusal, { status: 401 })),
 * });
 * equal(!result.ok && result.error.code, "INVALID_CREDENTIALS");
 * ```
 */
export function signIn(
  providerId: string,
  values?: SignInOptions,
  options?: AuthClientOptions,
): Promise<SignInResult>;
export async function signIn(
  providerId: string,
  values: SignInOptions | PasskeySignInOptions = {},
  options: AuthClientOptions = {},
): Promise<SignInResult> {
  const { redirectTo, callbackUrl = redirectTo, redirect, ...fields } = values as SignInOptions;
  if (providerId === "passkey") {
    const target = callbackUrl !== undefined && { redirectTo: callbackUrl };
    return await signInLazily({ ...values as PasskeySignInOptions, ...target }, options);
  }
  const path = `/signin/${encodeURIComponent(providerId)}`;
  const reply = await call(path, { ...options, fields: { ...fields, callbackUrl } });
  return concludeSignIn(reply, { ...options, redirect });
}

/** Options for `signOut()`. */
export interface SignOutOptions {
  /** Destination after sign-out. Default: the start page. */
  redirectTo?: string;
  /** False to stay on this page. Default true. */
  redirect?: boolean;
}

/**
 * Signs out, here and in all tabs.
 *
 * @param values Where to go.
 * @param options Where the endpoints are.
 * @returns The session that ended; null when nobody was signed in.
 * @throws {AuthClientError} When the server cannot be reached: the session goes on then.
 *
 * @example
 * ```ts
 * import { signOut } from "@framework/auth/client";
 * import { equal } from "node:assert/strict";
 *
 * // In the place of a server at which nobody is signed in.
 * const fetch = () => Promise.resolve(Response.json({ redirectTo: "/", session: null }));
 *
 * const session = await signOut({ redirect: false }, { fetch });
 * equal(session?.user.name ?? "Nobody was signed in", "Nobody was signed in");
 * ```
 */
export async function signOut(
  { redirectTo: callbackUrl, redirect }: SignOutOptions = {},
  options: AuthClientOptions = {},
): Promise<Session | null> {
  const reply = await call("/signout", { ...options, fields: { callbackUrl } });
  if (!reply.ok) throw new AuthClientError(reply.error);
  const { redirectTo, session } = reply.body as {
    redirectTo: string;
    session: SerializedSession | null;
  };
  announce("out", options);
  if (redirect !== false) browser.location?.assign(redirectTo);
  return reviveSession(session);
}
