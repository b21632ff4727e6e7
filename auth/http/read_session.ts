import { type ContextAuth, createContextAuth } from "../request/context_auth.ts";
import { runWithRequest } from "../request/running_request.ts";
import { resolveSession, type SessionState } from "../session/resolve_session.ts";
import type { Session } from "../session/session.ts";
import type { RequestInfo } from "./request_info.ts";
import { openScope } from "./request_scope.ts";
import { type Auth, settingsOf } from "./settings_of.ts";

/**
 * The session of a request that somebody else answers, such as an upgrade to a WebSocket or a call of an
 * RPC server; in an application's own requests there is `auth.run()` with `getSession()`.
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
  const read = () => resolveSession(presented, settings, { renew: false, tenant, waitUntil });
  // The callback asks about this request, whichever other one it is called in.
  async function readInScope(): Promise<SessionState> {
    await tenant?.preload();
    return await read();
  }

  const state =
    await (settings.callbacks.session === undefined ? read() : runWithRequest(scope, readInScope));
  return state.status === "valid" ? state.session as AppSession : null;
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
