import type { Session } from "../session/session.ts";
import { announce } from "./announce.ts";
import { browser } from "./browser.ts";
import { type AuthClientOptions, call, type Reply } from "./call.ts";
import type { AuthClientFailure } from "./client_error.ts";
import { reviveSession, type SerializedSession } from "./session.ts";

/** What a sign-in is begun with. Beside these it has the fields of the provider. */
export interface SignInOptions {
  /** Where to go after sign-in. Default: the page for new users, or the start page. */
  redirectTo?: string;
  /** The same as `redirectTo`, by the name that it has in addresses. */
  callbackUrl?: string;
  /** False to stay on this page, and to go where the result says, or nowhere, by yourself. Default true. */
  redirect?: boolean;
  /** The fields of the provider: what `credentials()` declares, `email`, or `intent: "link"`. */
  [field: string]: string | boolean | undefined;
}

/** How far a sign-in came. */
export type SignInResult =
  | {
    ok: true;
    /** Where the browser is on its way to, or with `redirect: false` should go: for OAuth, to the provider. */
    redirectTo: string;
    /** Who is signed in; null where something is still to be done elsewhere. */
    session: Session | null;
  }
  | {
    ok: false;
    /** Why not. */
    error: AuthClientFailure;
  };

/** What a sign-in that the server has answered comes to: tells the stores, and goes on. */
export function concludeSignIn(
  reply: Reply,
  { redirect, ...options }: AuthClientOptions & { redirect: unknown },
): SignInResult {
  if (!reply.ok) return reply;
  const { user, redirectTo } = reply.body as { user?: unknown; redirectTo: string };
  const session = user ? { user, expires: reply.body!.expires } as SerializedSession : null;
  if (session !== null) announce("in", options);
  if (redirect !== false) browser.location?.assign(redirectTo);
  return { ok: true, redirectTo, session: reviveSession(session) };
}

/**
 * Begins to sign in. At a provider of OAuth the browser goes there; with credentials the session begins at
 * once; by e-mail a link is sent, and the browser goes to the page that says so. Passkeys are in
 * `@framework/auth/client-passkey`.
 *
 * @param providerId Id of the provider, such as "github", "credentials" or "email".
 * @param values Where to go, and the fields of the provider.
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
export async function signIn(
  providerId: string,
  values: SignInOptions = {},
  options: AuthClientOptions = {},
): Promise<SignInResult> {
  const { redirectTo, callbackUrl = redirectTo, redirect, ...fields } = values;
  const path = `/signin/${encodeURIComponent(providerId)}`;
  const reply = await call(path, { ...options, fields: { ...fields, callbackUrl } });
  return concludeSignIn(reply, { ...options, redirect });
}
