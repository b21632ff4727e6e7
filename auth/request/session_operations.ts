import { ConfigurationError } from "../errors/configuration_error.ts";
import { HeadersSentError } from "../errors/state_errors.ts";
import type { SessionState, ValidSession } from "../session/session_state.ts";
import { storedSessions } from "../session/stored_sessions.ts";
import { sessionListOf } from "../storage/session_list_of.ts";
import { guardOf } from "../rate_limit/account_guard.ts";
import { requireUser } from "../rbac/require.ts";
import { finishSession } from "./change_session.ts";
import { currentRequest } from "./request_store.ts";
import type { RequestAuth, RequestStore } from "../http/contracts.ts";

/** One session of a user, for a list. It opens nothing. */
export interface UserSession {
  /** Public name of the session. */
  id: string;
  /** Whether it is the session of this request. */
  current: boolean;
  /** When it began: the sign-in. */
  createdAt: Date;
  /** When its end was last moved: it was in use then. */
  refreshedAt: Date;
  /** When it ends unless it is renewed before. */
  expires: Date;
  /** What the browser called itself at sign-in; null when unknown. */
  userAgent: string | null;
}

/** Which sessions of a user end. */
export interface EndSessionsOptions {
  /** "current": the session of this request goes on, if it is one of theirs. Default: all end. */
  except?: "current";
}

/** Whether a session is a user's. */
export function isOf(state: SessionState, userId: string): state is ValidSession {
  return state.status === "valid" && state.session.user.id === userId;
}

/** The session of this request is over: the browser need not send its cookie any more. */
export async function forgetOwn(auth: RequestAuth): Promise<void> {
  try {
    await auth.end();
  } catch (error) {
    // After the headers the cookie stays until the next request. It opens nothing.
    if (!(error instanceof HeadersSentError)) throw error;
  }
}

/**
 * The sessions of a user, the one renewed last first, at most 100. Only where sessions live in a
 * database. With tenants: those that count for the tenant of this request.
 *
 * @param userId Whose. It is not checked against who is signed in.
 * @throws {ConfigurationError} With the session strategy 'jwt', where nobody keeps a list.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, createUser, listSessions, startSession } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const request = new Request("http://localhost/signup", { method: "POST" });
 * const response = await auth.run(request, {}, undefined, async () => {
 *   const { id } = await createUser({ name: "Ada" });
 *   await startSession(id);
 *   return Response.json((await listSessions(id)).map(({ current }) => current));
 * });
 * deepEqual(await response.json(), [true]);
 * ```
 */
export async function listSessions(userId: string): Promise<UserSession[]> {
  const { auth } = currentRequest("listSessions");
  return await listUserSessions(auth, userId);
}

/** As {@linkcode listSessions}, for an endpoint. */
export async function listUserSessions(auth: RequestAuth, userId: string): Promise<UserSession[]> {
  const listed = await storedSessions(auth.settings, userId);
  if (listed === null) {
    throw new ConfigurationError(
      'Cannot list the sessions of a user with the session strategy "jwt": nobody keeps a list of tokens. ' +
        'Write session: { strategy: "database" }.',
      { field: "session.strategy" },
    );
  }
  const state = await auth.load();
  const sessions = await auth.tenant?.filter(listed) ?? listed;
  return sessions.map(({ id, createdAt, refreshedAt, expiresAt, userAgent }) => ({
    id,
    current: state.status === "valid" && state.id === id,
    createdAt: new Date(createdAt),
    refreshedAt: new Date(refreshedAt),
    expires: new Date(expiresAt),
    userAgent,
  }));
}

/**
 * Ends one of the sessions of the user who is signed in; that of this request is signed out.
 *
 * @param sessionId Its public name, see {@linkcode listSessions}.
 * @returns False when the user has no such session.
 * @throws {UnauthenticatedError} When nobody is signed in.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import {
 *   createAuth,
 *   createMemoryStorage,
 *   createUser,
 *   listSessions,
 *   revokeSession,
 *   startSession,
 * } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const request = new Request("http://localhost/sessions", { method: "POST" });
 * const response = await auth.run(request, {}, undefined, async () => {
 *   const { id } = await createUser({ name: "Ada" });
 *   await startSession(id);
 *   const [session] = await listSessions(id);
 *   return Response.json([await revokeSession(session!.id), (await listSessions(id)).length]);
 * });
 * deepEqual(await response.json(), [true, 0]);
 * ```
 */
export async function revokeSession(sessionId: string): Promise<boolean> {
  return await revokeOwnSession(currentRequest("revokeSession"), sessionId);
}

/** As {@linkcode revokeSession}, for an endpoint. Another user's session, or another tenant's, is none. */
export async function revokeOwnSession(store: RequestStore, sessionId: string): Promise<boolean> {
  const { auth, report } = store;
  const state = await auth.load();
  const { id: userId } = requireUser(state, { throwError: true }, store);
  if (state.status === "valid" && state.id === sessionId) {
    await finishSession(store);
    return true;
  }
  const counts = auth.tenant === null ||
    (await listUserSessions(auth, userId)).some(({ id }) => id === sessionId);
  if (!counts || !await sessionListOf(auth.settings.storage).deleteSessionById(userId, sessionId)) {
    return false;
  }
  report({ type: "session-revoked", userId, sessionId });
  return true;
}

/**
 * Ends the sessions of a user, for instance after a change of the password.
 *
 * @param userId Whose. It is not checked against who is signed in.
 * @param options `except: "current"` keeps the session of this request.
 * @throws {ConfigurationError} With the session strategy 'jwt' and no revocation store.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import {
 *   createAuth,
 *   createMemoryStorage,
 *   createUser,
 *   endSessions,
 *   getUser,
 *   startSession,
 * } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const request = new Request("http://localhost/sessions", { method: "POST" });
 * const response = await auth.run(request, {}, undefined, async () => {
 *   const { id } = await createUser({ name: "Ada" });
 *   await startSession(id);
 *   await endSessions(id, { except: "current" });
 *   return new Response(`Only ${getUser()?.name} here is still signed in`);
 * });
 * equal(await response.text(), "Only Ada here is still signed in");
 * ```
 */
export async function endSessions(userId: string, options: EndSessionsOptions = {}): Promise<void> {
  await endUserSessions(currentRequest("endSessions"), userId, options);
}

/** As {@linkcode endSessions}, for an endpoint. */
export async function endUserSessions(
  store: RequestStore,
  userId: string,
  options: EndSessionsOptions,
): Promise<void> {
  await endAll(store, userId, options);
  store.report({ type: "session-revoked", userId });
}

/** Ends the sessions of a user, and reports nothing. */
export async function endAll(
  { auth }: RequestStore,
  userId: string,
  options: EndSessionsOptions,
): Promise<void> {
  const state = await auth.load();
  await guardOf(auth.settings)?.forget(auth.settings, userId);
  const own = isOf(state, userId);
  const spared = own && options.except === "current";
  await auth.settings.strategy.endAll(userId, spared ? { except: state } : {});
  if (own && !spared) await forgetOwn(auth);
}
