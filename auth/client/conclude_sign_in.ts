import type { Session } from "../session/session.ts";
import { announce } from "./announce.ts";
import { browser } from "./browser.ts";
import type { AuthClientOptions, Reply } from "./call.ts";
import type { AuthClientFailure } from "./client_error.ts";
import { reviveSession, type SerializedSession } from "./session.ts";

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
