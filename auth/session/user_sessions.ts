/**
 * A user's sessions: list, end, endpoints.
 *
 * @module
 */

import type { EndpointContext, RequestAuth, RequestStore, Settings } from "../core/contracts.ts";
import { SECURITY_HEADERS } from "../core/error_response.ts";
import { jsonResponse } from "../core/redirect.ts";
import { reportChange } from "../core/report.ts";
import { currentRequest } from "../core/request.ts";
import { ConfigurationError, RequestError, UnauthenticatedError } from "../errors.ts";
import type { ListedSession } from "../storage/records.ts";
import { sessionListGroup } from "../storage/sessions.ts";
import { groupOf } from "../storage/storage.ts";
import type { ValidSession } from "../types/session.ts";
import { endAll, type EndSessionsOptions } from "./end_everything.ts";
import { finishSession } from "./mint.ts";
import { requireUser } from "./require.ts";

/** One session of a user, for a list. It opens nothing. */
export interface UserSession {
  /** Public name of the session. */
  id: string;
  /** True for the session of this request. */
  current: boolean;
  /** Start of the session: the sign-in. */
  createdAt: Date;
  /** Time at which the expiry was last moved, which is a time of use. */
  refreshedAt: Date;
  /** Expiry unless the session is renewed before. */
  expires: Date;
  /** User-Agent header at sign-in; null when unknown. */
  userAgent: string | null;
}

/**
 * The sessions of a user, the one renewed last first, at most 100. Only where sessions live in a
 * database. With tenants: those that count for the tenant of this request, and in a request of none all.
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
 * Revokes a session of the signed-in user; revoking the session of this request signs out.
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

/** As {@linkcode revokeSession}, for an endpoint. Another user's session, or in a tenant one that does not count there, is none. */
export async function revokeOwnSession(store: RequestStore, sessionId: string): Promise<boolean> {
  const { auth } = store;
  const state = await auth.load();
  const { id: userId } = requireUser(state, { throwError: true }, store);
  if (state.status === "valid" && state.id === sessionId) {
    await finishSession(store);
    return true;
  }
  const counts = auth.tenant === null ||
    (await listUserSessions(auth, userId)).some(({ id }) => id === sessionId);
  return counts && await reportChange(
    store,
    { events: [{ type: "session-revoked", userId, sessionId }] },
    () => groupOf(auth.settings.storage, sessionListGroup).deleteSessionById(userId, sessionId),
  );
}

/**
 * Ends the sessions of a user, for instance after a change of the password, with the trusted browsers and the sign-ins
 * that wait for a second factor.
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
  await reportChange(store, {
    events: [{ type: "session-revoked", userId }],
    happened: () => true,
  }, () => endAll(store, userId, options));
}

/** Current session. The owner of the sessions follows from it and from nothing in the request. */
async function requireSession({ store }: EndpointContext): Promise<ValidSession> {
  const state = await store.auth.load();
  if (state.status !== "valid") throw new UnauthenticatedError();
  return state;
}

function done(): Response {
  return new Response(null, { status: 204, headers: SECURITY_HEADERS });
}

/** `GET /sessions`: the visitor's own. */
export async function listOwnSessions(context: EndpointContext): Promise<Response> {
  const { session } = await requireSession(context);
  return jsonResponse(await listUserSessions(context.store.auth, session.user.id));
}

/** `DELETE /sessions`: ends all others of the visitor's own. */
export async function endOtherSessions(context: EndpointContext): Promise<Response> {
  const { session } = await requireSession(context);
  await endUserSessions(context.store, session.user.id, { except: "current" });
  return done();
}

/** `DELETE /sessions/<id>`: ends one of the visitor's own; the present one is signed out. */
export async function endOwnSession(context: EndpointContext): Promise<Response> {
  if (!await revokeOwnSession(context.store, context.url.pathname.split("/").at(-1)!)) {
    throw new RequestError("This session does not exist", { code: "NOT_FOUND" });
  }
  return done();
}

/**
 * `POST /session`: reads what is known about the user anew, and with the session strategy 'jwt' makes a new
 * token. It takes no data, since a token holds what the server knows and not what a browser says.
 */
export async function updateSession({ store }: EndpointContext): Promise<Response> {
  const state = await store.auth.update();
  return jsonResponse(state.status === "valid" ? state.session : null);
}

// Nobody reads more than this, and a list must not grow with the number of sign-ins.
const MAX_LISTED = 100;

/**
 * Lists the valid sessions of a user, last renewed first; null where the strategy cannot list them.
 */
export async function storedSessions(
  { strategy: { endOf }, storage, now }: Pick<Settings, "strategy" | "storage" | "now">,
  userId: string,
): Promise<ListedSession[] | null> {
  if (endOf === null) return null;
  const at = now();
  const stored = await groupOf(storage, sessionListGroup).listSessions(userId, {
    now: at,
    limit: MAX_LISTED,
  });
  // What a replaced token still opens for a few seconds is no other session, see `replaceToken()`.
  return stored.filter(({ refreshedAt, expiresAt }) => refreshedAt < expiresAt)
    .map((session) => ({ ...session, expiresAt: endOf(session) }))
    .filter(({ expiresAt }) => expiresAt > at);
}
