import type { Auth } from "../http/create_auth.ts";
import { settingsOf } from "../http/settings_of.ts";
import type { Session } from "../session/session.ts";
import { sessionCookieLines } from "../session/session_cookie.ts";
import { mintSession } from "./mint_session.ts";

/** A session that was made outside of a request. */
export interface IssuedSession {
  /** The lines for `Set-Cookie`: for `baseUrl`, or for https without one. */
  cookies: string[];
  /** The session. */
  session: Session;
}

/**
 * Makes a session for a user outside of a request, for tests and for tools; within one there is
 * `startSession()`.
 *
 * @param auth What `createAuth()` made.
 * @param userId Whose session it is.
 * @param env The environment of the application.
 * @throws {UserUnavailableError} When there is no such user, or the user is disabled.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, createUser, issueSession } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * await auth.run(new Request("http://localhost/"), {}, undefined, async () => {
 *   await createUser({ id: "ada" });
 *   return new Response();
 * });
 * const { session } = await issueSession(auth, "ada", {});
 * equal(session.user.id, "ada");
 * ```
 */
export async function issueSession<Env>(
  auth: Auth<Env>,
  userId: string,
  env: Env,
): Promise<IssuedSession> {
  const settings = settingsOf(auth, env);
  const { token, session, lifetime } = await mintSession(settings, {
    userId,
    userAgent: null,
    waitUntil(work) {
      work.catch((error) => settings.logger.error("background-work-failed", { error }));
    },
  });
  const origin = settings.address.baseOrigin ?? "https://origin.invalid";
  const life = { token, milliseconds: lifetime };
  return { cookies: sessionCookieLines(settings.cookie, life, () => origin), session };
}
