/**
 * Sessions read or issued outside of auth.run().
 *
 * @module
 */

import type { RequestInfo } from "../core/client_address.ts";
import type { Settings } from "../core/contracts.ts";
import { runWithRequest } from "../lib/runtime.ts";
import { executorGroup } from "../storage/sql_executor.ts";
import type { Session } from "../types/session.ts";
import { type Auth, type ContextAuth, createContextAuth } from "./context_auth.ts";
import { settingsOf } from "./settings_of.ts";
import { sessionCookieLines } from "./cookie.ts";
import { mintSession, type StartSessionOptions } from "./mint.ts";
import { openScope } from "./request_scope.ts";
import { resolveSession } from "./resolve.ts";

/**
 * Reads the session of a request outside of `auth.run()`, such as an upgrade to a WebSocket or a
 * call of an RPC server; inside there is `getSession()`.
 *
 * It only reads: as no cookie goes back, the session's end is not moved, and a token that opens nothing
 * is not taken away. Whoever answers has to keep what depends on the session out of shared caches
 * (`Cache-Control: no-store` or `private`), and to refuse other sites' upgrades, to which browsers add
 * cookies, by `auth.assertSameOrigin()`.
 *
 * @param auth What `createAuth()` made.
 * @param request With the session cookie, or with a token in its Authorization header where `bearer` is on.
 * @param env The environment of the application.
 * @param info What the host says about the request.
 * @returns The session, as the `session` callback shapes it; null for whoever is not signed in.
 * @throws {StorageUnavailableError} When the database does not answer. That is never "signed in".
 * @throws {ConfigurationError} When an option is wrong.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, readSession } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage(), baseUrl: "https://app.example" });
 *
 * async function admitToChat(request: Request): Promise<Response> {
 *   auth.assertSameOrigin(request, {});
 *   const session = await readSession(auth, request, {});
 *   return new Response(null, { status: session === null ? 401 : 204 });
 * }
 *
 * const stranger = new Request("https://app.example/chat", { headers: { upgrade: "websocket" } });
 * equal((await admitToChat(stranger)).status, 401);
 * ```
 */
export async function readSession<AppSession extends Session = Session, Env = unknown>(
  auth: Auth<Env>,
  request: Request,
  env: Env,
  info: RequestInfo = {},
): Promise<AppSession | null> {
  const settings = settingsOf(auth, env);
  const scope = openScope({ request, env, settings, info, renew: false });
  const { waitUntil, auth: { presented, tenant } } = scope;
  const how = { tenant, waitUntil };
  const state = readsAlone(settings)
    ? await resolveSession(presented, settings, how)
    // The callback, and who acts for the user, are asked about this request, whichever other one it is called in.
    : await runWithRequest(scope, async () => {
      await tenant?.preload();
      return await resolveSession(presented, settings, how);
    });
  return state.status === "valid" ? state.session as AppSession : null;
}

/**
 * True when nothing on the way to the session asks which request runs: to set one up costs as much as half a token's
 * check.
 */
function readsAlone(settings: Settings): boolean {
  const { strategy, callbacks, tenancy } = settings;
  if (tenancy !== null || callbacks.session !== undefined || strategy.around !== undefined) {
    return false;
  }
  if (strategy.name === "jwt") return !strategy.revocable;
  // Databases on a server count the time of the whole request.
  return settings.storage.group?.(executorGroup)?.inProcess === true;
}

/** The operations on the session of one request that change nothing, as promises. */
export type ReadAuth = Omit<ContextAuth, "startSession" | "endSession">;

/**
 * The operations on the session of a request around which no `auth.run()` can be: in a server component or an
 * action of Next.js, a `load` function, a resolver of GraphQL. They answer as those of the same names do, by
 * promises, and read the session once. As with {@linkcode readSession} no cookie goes back.
 *
 * @param auth What `createAuth()` made.
 * @param request With the session cookie. Where the framework has headers and no request, make one of them:
 * `new Request("https://app.example/", { headers })`.
 * @param env The environment of the application.
 * @param info What the host says about the request.
 * @throws {ConfigurationError} When an option is wrong.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, readAuth } from "@framework/auth";
 * import { equal, rejects } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage(), baseUrl: "https://app.example" });
 *
 * const headers = new Headers(); // what the framework gives, such as `await headers()` of Next.js
 * const { getUser, hasPermission, requireRole } = readAuth(
 *   auth,
 *   new Request("https://app.example/", { headers }),
 *   {},
 * );
 * equal(await getUser(), null);
 * equal(await hasPermission("posts:edit"), false);
 * await rejects(requireRole("admin"), { code: "UNAUTHENTICATED" });
 * ```
 */
export function readAuth<Env = unknown>(
  auth: Auth<Env>,
  request: Request,
  env: Env,
  info: RequestInfo = {},
): ReadAuth {
  const scope = openScope({ request, env, settings: settingsOf(auth, env), info, renew: false });
  const { startSession: _start, endSession: _end, ...reading } = createContextAuth(scope);
  const tenant = scope.auth.tenant?.preload();
  // The callbacks ask about this request, whichever other one they are called in.
  const inScope = Object.entries(reading).map(([name, operation]) => [
    name,
    (...values: never[]) =>
      runWithRequest(scope, async () => {
        await tenant;
        return await (operation as (...values: never[]) => Promise<unknown>)(...values);
      }),
  ]);
  return Object.fromEntries(inScope) as ReadAuth;
}

/** A session that was made outside of a request. */
export interface IssuedSession {
  /** The lines for `Set-Cookie`, as the application sets them at its own address. */
  cookies: string[];
  /** The session. */
  session: Session;
}

/** Options for {@linkcode issueSession}. */
export interface IssueSessionOptions extends StartSessionOptions {
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
 * @throws {SecondFactorRequiredError} When the user has a second factor, unless `amr` says that it has been proved.
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
  { origin = "https://origin.invalid", amr }: IssueSessionOptions = {},
): Promise<IssuedSession> {
  const settings = settingsOf(auth, env);
  const { token, session, lifetime } = await mintSession(settings, {
    userId,
    amr,
    userAgent: null,
    waitUntil(work) {
      work.catch((error) => settings.logger.error("background-work-failed", { error }));
    },
  });
  const life = { token, milliseconds: lifetime };
  const at = () => settings.address.baseOrigin ?? origin;
  return { cookies: sessionCookieLines(settings.cookie, life, at), session };
}
