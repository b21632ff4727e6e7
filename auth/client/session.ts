/**
 * The session as the browser reads it.
 *
 * @module
 */

import type { Session } from "../types/session.ts";
import { announce, browser } from "./broadcast.ts";
import {
  AuthClientError,
  type AuthClientFailure,
  type AuthClientOptions,
  basePathOf,
  call,
  type Reply,
} from "./request.ts";

/** Session as JSON, from a page that a server rendered or from an endpoint. */
export interface SerializedSession {
  /** User who is signed in; dates may be strings from JSON. */
  user: Omit<Session["user"], "emailVerified"> & { emailVerified?: Date | string | null };
  /** Expiry of the session unless it is renewed before. */
  expires: Date | string;
}

/** Restores the dates of a session from JSON. */
export function reviveSession(session: SerializedSession): Session;
export function reviveSession(session: SerializedSession | null): Session | null;
export function reviveSession(session: SerializedSession | null): Session | null {
  if (session === null) return null;
  const { user: { emailVerified, ...user }, expires } = session;
  return {
    ...session,
    user: {
      ...user,
      ...(emailVerified !== undefined && {
        emailVerified: emailVerified === null ? null : new Date(emailVerified),
      }),
    },
    expires: new Date(expires),
  };
}

/**
 * Fetches the session from the server.
 *
 * @param options Where the endpoints are.
 * @returns The session, whose `expires` and `emailVerified` are dates; null when nobody is signed in.
 * @throws {AuthClientError} When the server cannot be reached or answers with an error: the state is unknown then,
 * which is not the same as nobody.
 *
 * @example
 * ```ts
 * import { getSession } from "@framework/auth/client";
 * import { deepEqual } from "node:assert/strict";
 *
 * const answer = { user: { id: "ada", name: "Ada" }, expires: "2026-02-01T00:00:00.000Z" };
 * const session = await getSession({ fetch: () => Promise.resolve(Response.json(answer)) });
 * deepEqual(session?.expires, new Date("2026-02-01T00:00:00.000Z"));
 * ```
 */
export async function getSession(options: AuthClientOptions = {}): Promise<Session | null> {
  const reply = await call("/session", options);
  if (!reply.ok) throw new AuthClientError(reply.error);
  return reviveSession(reply.body as unknown as SerializedSession | null);
}

/** Result of a sign-in. */
export type SignInResult =
  | {
    ok: true;
    /**
     * URL that the browser navigates to, or with `redirect: false` should navigate to: for OAuth,
     * the provider's.
     */
    redirectTo: string;
    /** New session; null while a step remains elsewhere. */
    session: Session | null;
    /** True while the second factor is to be proved: by `answerSecondFactor()`, or on the page at `redirectTo`. */
    secondFactor?: true;
    /** Recovery codes of a second factor that was turned on by this sign-in. They are shown this once. */
    recoveryCodes?: string[];
  }
  | {
    ok: false;
    /** Reason for the failure. */
    error: AuthClientFailure;
  };

/** Concludes a sign-in that the server has answered: updates the stores and navigates. */
export function concludeSignIn(
  reply: Reply,
  { redirect, ...options }: AuthClientOptions & { redirect: unknown },
): SignInResult {
  if (!reply.ok) return reply;
  const { user, redirectTo, recoveryCodes } = reply.body as {
    user?: unknown;
    redirectTo: string;
    recoveryCodes?: string[];
  };
  const session = user ? { user, expires: reply.body!.expires } as SerializedSession : null;
  if (session !== null) announce("in", options);
  // Another page would come before anybody has read the codes.
  if (redirect !== false && !recoveryCodes) browser.location?.assign(redirectTo);
  const asks = redirectTo.split("?")[0]!.endsWith(`${basePathOf(options)}/second-factor`);
  return {
    ok: true,
    redirectTo,
    session: reviveSession(session),
    ...session === null && asks && { secondFactor: true },
    ...recoveryCodes && { recoveryCodes },
  };
}
