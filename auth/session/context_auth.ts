/**
 * The library set up for an application, and the operations on a request's session as promises.
 *
 * @module
 */

import type { RequestInfo } from "../core/client_address.ts";
import type { Delivered, DeliverOptions, RequestStore } from "../core/contracts.ts";
import { type PermissionOptions, userHasRole } from "../rbac/permissions.ts";
import type { SqlDatabase, UpgradedTables } from "../storage/sql_database.ts";
import type { Storage } from "../storage/storage.ts";
import type { Session } from "../types/session.ts";
import type { Tenant } from "../types/tenant.ts";
import type { User } from "../types/user.ts";
import { beginSession, finishSession, type StartSessionOptions } from "./mint.ts";
import {
  type RequireAuthOptions,
  type RequireRecentAuthOptions,
  requireRecentUser,
  requireUser,
  requireUserPermission,
  requireUserRole,
  statePermits,
} from "./require.ts";
import { userOf } from "./resolve.ts";

/** Context that {@linkcode Auth.run} gives to the application. */
export interface RunContext {
  /** The operations on the session, as promises. */
  readonly auth: ContextAuth;
}

/** The library, set up for one application. */
export interface Auth<Env> {
  /**
   * Answers a request for an endpoint of the library; null for any other path.
   *
   * @throws {ConfigurationError} For the host to report. Other errors of the library are answered.
   */
  handle(request: Request, env: Env, info?: RequestInfo): Promise<Response | null>;
  /**
   * Runs the application's own work with the session of the request, and adds the cookies to its
   * response. Errors of this library that the work throws are answered; all others pass.
   *
   * The handshake of a WebSocket from a page of another site is answered with 403, and the work is not called. No cookie goes
   * with one that is accepted: nothing is renewed.
   */
  run(
    request: Request,
    env: Env,
    info: RequestInfo | undefined,
    next: (context: RunContext) => Response | Promise<Response>,
  ): Promise<Response>;
  /**
   * Refuses a request that would change something and that another site's page made the browser send. Call
   * it before handling unsafe methods of your own; the endpoints of the library do it themselves. As
   * `assertSameOrigin()`, with what the options say about the own address and trusted origins.
   *
   * @throws {CrossSiteRequestError} When the request is refused, which is reported.
   * @throws {RequestError} `HOST_NOT_ALLOWED`, for a host that is not in `allowedHosts`.
   * @throws {ConfigurationError} When nothing says what the own address is.
   */
  assertSameOrigin(request: Request, env: Env, info?: RequestInfo): void;
  /**
   * Answers a request whatever it is for: the endpoints by `handle()`, all else by `run()` with `info.next`. It has the
   * form of a worker's handler, so that `export default { fetch: auth.fetch }` serves. Without `info.next` the start page
   * leads to the account page where there is one, and all else is 404.
   *
   * @param request The request.
   * @param env The environment; left out where the options need none.
   * @param info What the host knows of the connection, and the application's own work as `next`. Default: none.
   * @throws {ConfigurationError} For the host to report. Other errors of the library are answered.
   */
  fetch(request: Request, env?: Env, info?: FetchInfo): Promise<Response>;
  /**
   * Makes the library's tables where there are none, and brings older ones to the present version: for applications
   * without migrations of their own. The library never calls it, and you should not from a request. It may be called
   * by many processes at once, again, and after a crash: each step is one transaction, and who comes second waits, at
   * most 30 seconds, and finds it done.
   *
   * @param env The environment; left out where the options need none.
   * @param options `database`: a handle whose role may make tables. Default: the application's own.
   * @throws {ConfigurationError} When the tables came from migrations of the command line, with what to run; when they
   * are too new, or a name is taken; and when the database brings no tables, as a bare D1 binding.
   * @throws {StorageUnavailableError} When the database does not answer, or is in other hands for 30 seconds.
   */
  migrate(env?: Env, options?: MigrateOptions): Promise<UpgradedTables>;
  /**
   * Delivers the events of `outbox()` that are due. Call it again and again: by a cron trigger each minute, a queue, or a
   * timer of a server. Any number of processes may call it at once; of one event and destination one has it at a time.
   *
   * @param env The environment; left out where the options need none.
   * @param options Bounds. Default: 1,000 deliveries, and none begun after 20 seconds.
   * @returns What has become of them. A failed delivery is no error: it is tried again later.
   * @throws {ConfigurationError} When the application has no outbox, or a bound is none.
   * @throws {StorageUnavailableError} When the database does not answer.
   */
  deliver(env?: Env, options?: DeliverOptions): Promise<Delivered>;
  /** Users and sessions. */
  storage(env: Env): Storage;
}

/** Options for {@linkcode Auth.fetch}: the connection, and the application's own handler. */
export interface FetchInfo extends RequestInfo {
  /** Answers what is no endpoint of the library. Default: 404, and at "/" the way to the account page, where there is one. */
  next?(context: RunContext): Response | Promise<Response>;
}

/** Options of {@linkcode Auth.migrate}. */
export interface MigrateOptions {
  /** A handle for this work alone: what `sqlite()`, `postgres()` or `d1()` returns. Default: the application's. */
  database?: Pick<SqlDatabase, "migrate">;
}

/** The operations on the session of one request, as promises. The session is read when it is asked for. */
export interface ContextAuth {
  /** The signed-in user, or null. */
  getUser(): Promise<User | null>;
  /** The session of the request, or null; one read serves every question of the request. */
  getSession(): Promise<Session | null>;
  /** Tests for a signed-in user. */
  isAuthenticated(): Promise<boolean>;
  /**
   * Returns the signed-in user; without one redirects to the sign-in page, or as the options say.
   */
  requireAuth(options?: RequireAuthOptions): Promise<User>;
  /** The signed-in user, who proved it of late. See the operation of the same name. */
  requireRecentAuth(options?: RequireRecentAuthOptions): Promise<User>;
  /** Tests if the user has the role, or any of several. */
  hasRole(role: string | string[]): Promise<boolean>;
  /** Throws `ForbiddenError` when the user has none of the roles. */
  requireRole(role: string | string[]): Promise<void>;
  /** Tests if the user has a permission, or any of several. See the operation of the same name. */
  hasPermission(permission: string | string[], options?: PermissionOptions): Promise<boolean>;
  /** Throws `ForbiddenError` when the user may not do something. */
  requirePermission(permission: string | string[], options?: PermissionOptions): Promise<void>;
  /** The tenant of the request; null when it has none, and in an application without tenants. */
  tenant(): Promise<Tenant | null>;
  /** Begins a session for a user, in place of the present one. See the operation of the same name. */
  startSession(userId: string, options?: StartSessionOptions): Promise<Session>;
  /** Ends the present session. */
  endSession(): Promise<void>;
}

/** Makes the operations for one request. */
export function createContextAuth(store: RequestStore): ContextAuth {
  const { request, auth } = store;
  return {
    async getUser() {
      return userOf(await auth.load());
    },
    async getSession() {
      const state = await auth.load();
      return state.status === "valid" ? state.session : null;
    },
    async isAuthenticated() {
      return (await auth.load()).status === "valid";
    },
    async requireAuth(options = {}) {
      return requireUser(await auth.load(), options, { request, auth });
    },
    async requireRecentAuth(options = {}) {
      return requireRecentUser(await auth.load(), options, { request, auth });
    },
    async hasRole(role) {
      const user = userOf(await auth.load());
      return user !== null && userHasRole(user, role);
    },
    async requireRole(role) {
      requireUserRole(await auth.load(), role);
    },
    async hasPermission(...question) {
      return statePermits(await auth.load(), auth.settings.rbac, ...question);
    },
    async requirePermission(...question) {
      requireUserPermission(await auth.load(), auth.settings.rbac, ...question);
    },
    async tenant() {
      return await auth.tenant?.load() ?? null;
    },
    async startSession(userId, { amr } = {}) {
      return (await beginSession(store, userId, { amr })).session;
    },
    async endSession() {
      await finishSession(store);
    },
  };
}
