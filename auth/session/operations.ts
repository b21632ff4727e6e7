/**
 * Operations on the session of the running request.
 *
 * @module
 */

import { ownRedirect } from "../core/redirect.ts";
import { currentRequest } from "../core/request.ts";
import {
  type PermissionOptions,
  rulesFor,
  type SerializedRbac,
  userHasRole,
} from "../rbac/permissions.ts";
import type { Session, SessionState } from "../types/session.ts";
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

function currentState(operation: string): SessionState {
  return currentRequest(operation).auth.state(operation);
}

/**
 * Returns the signed-in user, or null.
 *
 * @typeParam AppUser The application's own user type, when it knows more about its users.
 * @throws {OutsideRequestError} When there is no request.
 * @throws {StorageUnavailableError} When the session could not be read.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, getUser } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const request = new Request("http://localhost/");
 * const response = await auth.run(request, {}, undefined, () => new Response(getUser()?.name ?? "nobody"));
 * equal(await response.text(), "nobody");
 * ```
 */
export function getUser<AppUser extends User = User>(): AppUser | null {
  return userOf(currentState("getUser")) as AppUser | null;
}

/**
 * Returns the session of this request, with its user and expiry; null when nobody is signed in.
 *
 * @typeParam AppSession The application's own session type, when its `session` callback adds something.
 * @throws {OutsideRequestError} When there is no request.
 * @throws {StorageUnavailableError} When the session could not be read.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, getSession } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * await auth.run(new Request("http://localhost/"), {}, undefined, () => {
 *   equal(getSession(), null);
 *   return new Response();
 * });
 * ```
 */
export function getSession<AppSession extends Session = Session>(): AppSession | null {
  const state = currentState("getSession");
  return state.status === "valid" ? state.session as AppSession : null;
}

/**
 * Tests for a signed-in user.
 *
 * @throws {OutsideRequestError} When there is no request.
 * @throws {StorageUnavailableError} When the session could not be read.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, isAuthenticated } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * await auth.run(new Request("http://localhost/"), {}, undefined, () => {
 *   equal(isAuthenticated(), false);
 *   return new Response();
 * });
 * ```
 */
export function isAuthenticated(): boolean {
  return currentState("isAuthenticated").status === "valid";
}

/**
 * Returns the signed-in user. Without one the work ends here.
 *
 * @param options What happens then; by default a redirect to the sign-in page and back, and for a client that prefers JSON,
 * or a method that no form has, the error.
 * @throws {RedirectError} To the sign-in page with `callbackUrl`, or to `redirectTo`.
 * @throws {UnauthenticatedError} In place of the redirect, when nobody is signed in.
 * @throws {SessionExpiredError} In place of the redirect, when the session has expired.
 * @throws {ForbiddenError} With tenants by path, when the user is signed in and no member of the one of this request.
 * @throws {ConfigurationError} When nobody is signed in and there is no sign-in page, see `pages`.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, defaultTheme, requireAuth } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage(), pages: { theme: defaultTheme } });
 * const request = new Request("http://localhost/account");
 * const response = await auth.run(request, {}, undefined, () => Response.json(requireAuth()));
 * equal(response.headers.get("location"), "http://localhost/auth/signin?callbackUrl=%2Faccount");
 * ```
 */
export function requireAuth<AppUser extends User = User>(
  options: RequireAuthOptions = {},
): AppUser {
  const { request, auth } = currentRequest("requireAuth");
  return requireUser(auth.state("requireAuth"), options, { request, auth }) as AppUser;
}

/**
 * Tests if the user has a role, literally: in `role` or among `roles`.
 *
 * @param role One role, or several of which any suffices.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, createUser, hasRole, startSession } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * await auth.run(new Request("http://localhost/signup", { method: "POST" }), {}, undefined, async () => {
 *   await startSession((await createUser({ role: "editor" })).id);
 *   equal(hasRole("editor"), true);
 *   equal(hasRole(["admin", "owner"]), false);
 *   return new Response();
 * });
 * ```
 */
export function hasRole(role: string | string[]): boolean {
  const user = userOf(currentState("hasRole"));
  return user !== null && userHasRole(user, role);
}

/**
 * Lets only users with a role pass.
 *
 * @param role One role, or several of which any suffices.
 * @throws {UnauthenticatedError} When nobody is signed in.
 * @throws {ForbiddenError} When the user has none of the roles.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, requireRole } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const response = await auth.run(new Request("http://localhost/admin"), {}, undefined, () => {
 *   requireRole("admin");
 *   return new Response("Only for administrators");
 * });
 * equal(response.status, 401);
 * ```
 */
export function requireRole(role: string | string[]): void {
  requireUserRole(currentState("requireRole"), role);
}

/**
 * Returns the signed-in user after recent authentication, for actions that must not be open to
 * anyone at an unattended browser: a change of the password or the address, a new passkey (OWASP
 * ASVS 7.5.1). Without a fresh proof the work ends here.
 *
 * @param options How fresh it must be, and what happens otherwise; by default a redirect to the sign-in
 * page and back, and for a client that prefers JSON, or a method that no form has, the error.
 * @throws {RedirectError} To the sign-in page with `callbackUrl`, or to `redirectTo`.
 * @throws {ReauthenticationRequiredError} In place of the redirect, when the last proof is too old.
 * @throws {SessionUnboundError} With `deviceBound`, when the session is not bound to its device.
 * @throws {UnauthenticatedError} In place of the redirect, when nobody is signed in.
 * @throws {SessionExpiredError} In place of the redirect, when the session has expired.
 * @throws {ForbiddenError} As {@linkcode requireAuth} does.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, requireRecentAuth } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage(), pages: { signIn: "/login" } });
 * const request = new Request("http://localhost/account/password");
 * const response = await auth.run(request, {}, undefined, () => Response.json(requireRecentAuth()));
 * equal(response.status, 303);
 * ```
 */
export function requireRecentAuth<AppUser extends User = User>(
  options: RequireRecentAuthOptions = {},
): AppUser {
  const { request, auth } = currentRequest("requireRecentAuth");
  return requireRecentUser(auth.state("requireRecentAuth"), options, { request, auth }) as AppUser;
}

/**
 * Tests if a role of the user grants a permission, by itself or by inheritance. Nothing is
 * permitted without the option `rbac`, and nothing that is not `resource:action`, `resource:*`,
 * `resource:action:own` or `*`.
 *
 * @param permission What is to be done. `posts:update:own` asks whether the user may update posts of their
 * own: yes also for who may update any. Of a list any suffices.
 * @param options With `ownerId`, a permission for own resources counts only when that is the user.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import {
 *   createAuth,
 *   createMemoryStorage,
 *   createUser,
 *   defineRBAC,
 *   hasPermission,
 *   startSession,
 * } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   rbac: defineRBAC({
 *     roles: [{ id: "author", name: "Author", permissions: ["posts:update:own"] }],
 *   }),
 * });
 * const request = new Request("http://localhost/signup", { method: "POST" });
 * const response = await auth.run(request, {}, undefined, async () => {
 *   const { id } = await createUser({ role: "author" });
 *   await startSession(id);
 *   return Response.json([
 *     hasPermission("posts:update:own", { ownerId: id }),
 *     hasPermission("posts:update:own", { ownerId: "somebody else" }),
 *     hasPermission("posts:update"),
 *   ]);
 * });
 * deepEqual(await response.json(), [true, false, false]);
 * ```
 */
export function hasPermission(
  permission: string | string[],
  options?: PermissionOptions,
): boolean {
  const { auth } = currentRequest("hasPermission");
  return statePermits(auth.state("hasPermission"), auth.settings.rbac, permission, options);
}

/**
 * Lets only users pass who may do something.
 *
 * @param permission What is to be done, as for `hasPermission()`.
 * @param options As for `hasPermission()`.
 * @throws {UnauthenticatedError} When nobody is signed in.
 * @throws {ForbiddenError} When the user may not.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, createUser, requirePermission, startSession } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const request = new Request("http://localhost/posts", { method: "POST" });
 * const response = await auth.run(request, {}, undefined, async () => {
 *   await startSession((await createUser({ name: "Ada" })).id);
 *   requirePermission("posts:create"); // no role permits it
 *   return new Response("Created");
 * });
 * equal(response.status, 403);
 * ```
 */
export function requirePermission(
  permission: string | string[],
  options?: PermissionOptions,
): void {
  const { auth } = currentRequest("requirePermission");
  requireUserPermission(auth.state("requirePermission"), auth.settings.rbac, permission, options);
}

/**
 * Begins a session for a user, for instance after sign-up. It takes the place of the present session,
 * and the response sets its cookie.
 *
 * @param userId A user whom the storage has.
 * @param options What the application itself has proved. Default: one factor.
 * @throws {UserUnavailableError} When there is no such user, or the user is disabled.
 * @throws {SecondFactorRequiredError} When the user has a second factor, unless `amr` says that it has been proved; where a
 * page was asked for, the answer is a redirect to the page that asks for it.
 * @throws {HeadersSentError} When the response has gone.
 * @throws {ConfigurationError} Inside of `joinTransaction()`, whose transaction may still be taken back. Nothing is stored.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, createUser, startSession } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const request = new Request("http://localhost/signup", { method: "POST" });
 * const response = await auth.run(request, {}, undefined, async () => {
 *   const { id } = await createUser({ name: "Ada" });
 *   equal((await startSession(id)).user.id, id);
 *   return new Response();
 * });
 * equal(response.headers.getSetCookie().length, 1);
 * ```
 */
export async function startSession(
  userId: string,
  options: StartSessionOptions = {},
): Promise<Session> {
  const { amr } = options;
  return (await beginSession(currentRequest("startSession"), userId, { amr })).session;
}

/**
 * Ends the present session, on the server and in the browser.
 *
 * @throws {HeadersSentError} When the response has gone.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, createUser, endSession, getUser, startSession } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * await auth.run(new Request("http://localhost/", { method: "POST" }), {}, undefined, async () => {
 *   await startSession((await createUser({ name: "Ada" })).id);
 *   await endSession();
 *   equal(getUser(), null);
 *   return new Response();
 * });
 * ```
 */
export async function endSession(): Promise<void> {
  await finishSession(currentRequest("endSession"));
}

/**
 * Serializes the roles and permissions of the signed-in user, for a browser that shows or hides by
 * them. Other roles are left out; without a user, and without the option `rbac`, there is nothing.
 *
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, serializeRbac } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const request = new Request("http://localhost/rules");
 * const response = await auth.run(request, {}, undefined, () => Response.json(serializeRbac()));
 * deepEqual(await response.json(), { roles: [], defaultRole: null });
 * ```
 */
export function serializeRbac(): SerializedRbac {
  const { auth } = currentRequest("serializeRbac");
  const user = userOf(auth.state("serializeRbac"));
  return rulesFor(auth.settings.rbac?.toJSON() ?? { roles: [], defaultRole: null }, user);
}

/**
 * Returns the absolute URL of a path of this application, for a link in an email. Its host is the
 * own address, see `baseUrl` and `allowedHosts`, so no forged request can make a link lead
 * elsewhere.
 *
 * @param path Such as "/reset".
 * @param parameters What is added to its query.
 * @throws {TypeError} When the path leads elsewhere.
 * @throws {ConfigurationError} When nothing says what the own address is.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, ownUrl } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage(), baseUrl: "https://app.example" });
 * const request = new Request("https://evil.example/reset");
 * const response = await auth.run(request, {}, undefined, () => {
 *   return new Response(ownUrl("/reset", { token: "abc" }));
 * });
 * equal(await response.text(), "https://app.example/reset?token=abc");
 * ```
 */
export function ownUrl(path: string, parameters: Record<string, string> = {}): string {
  return ownRedirect(path, currentRequest("ownUrl").auth.origin(), parameters);
}
