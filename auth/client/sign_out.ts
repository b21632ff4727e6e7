import type { Session } from "../session/session.ts";
import { announce } from "./announce.ts";
import { browser } from "./browser.ts";
import { type AuthClientOptions, call } from "./call.ts";
import { AuthClientError } from "./client_error.ts";
import { reviveSession, type SerializedSession } from "./session.ts";

/** Where the browser goes when the session has ended. */
export interface SignOutOptions {
  /** Where to go afterwards. Default: the start page. */
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
