import { type Auth, settingsOf } from "../http/settings_of.ts";
import type { Session } from "../session/session.ts";
import { sessionCookieLines } from "../session/session_cookie.ts";
import { mintSession } from "./mint_session.ts";

/** A session that was made outside of a request. */
export interface IssuedSession {
  /** The lines for `Set-Cookie`, as the application sets them at its own address. */
  cookies: string[];
  /** The session. */
  session: Session;
}

/** Options for {@linkcode issueSession}. */
export interface IssueSessionOptions {
  /**
   * The origin at which the cookies are used, such as "http://localhost:8787", where they are not Secure. It
   * counts where the application has no `baseUrl`. Default: some address of https.
   */
  origin?: string;
}

/**
 * Makes a session for a user outside of a request, for tests and for tools; within one there is
 * `startSession()`.
 *
 * @param auth What `createAuth()` made.
 * @param userId Whose session it is.
 * @param env The environment of the application.
 * @param options `origin`: where the cookies are used. Default: some address of https.
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
  { origin = "https://origin.invalid" }: IssueSessionOptions = {},
): Promise<IssuedSession> {
  const settings = settingsOf(auth, env);
  const { token, session, lifetime } = await mintSession(settings, {
    userId,
    userAgent: null,
    waitUntil(work) {
      work.catch((error) => settings.logger.error("background-work-failed", { error }));
    },
  });
  const life = { token, milliseconds: lifetime };
  const at = () => settings.address.baseOrigin ?? origin;
  return { cookies: sessionCookieLines(settings.cookie, life, at), session };
}
