/**
 * Operations on tenants and members.
 *
 * @module
 */

import type { EndpointModule, RequestStore } from "../core/contracts.ts";
import { reportChange } from "../core/report.ts";
import { currentRequest, forgetOwn, isOf } from "../core/request.ts";
import {
  ConfigurationError,
  ForbiddenError,
  SessionExpiredError,
  TenantNotFoundError,
  UnauthenticatedError,
} from "../errors.ts";
import type { ListOptions, Member, MemberPage, Tenant, TenantMembers } from "../types/tenant.ts";

/** Tenant to act on, where it need not be that of the request. */
export interface OfTenant {
  /** Id of the tenant. Default: the one of this request. It is not checked against who is signed in. */
  tenantId?: string;
}

/** Options for `addMember()`: the tenant, and the roles in it. */
export interface AddMemberOptions extends OfTenant {
  /** The roles there. Default: none. */
  roles?: string[];
}

/** Options for `listMembers()`. */
export interface ListMembersOptions extends OfTenant, ListOptions {}

/**
 * The tenant of this request, or null: it names none, or one that is unknown or suspended.
 *
 * @throws {OutsideRequestError} When there is no request.
 * @throws {StorageUnavailableError} When the tenant could not be looked up.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage } from "@framework/auth";
 * import { createMemoryTenantStorage, defineTenancy, getTenant } from "@framework/auth/tenant";
 * import { equal } from "node:assert/strict";
 *
 * function pageTitle(): string {
 *   return getTenant()?.name ?? "Welcome";
 * }
 *
 * const storage = createMemoryTenantStorage();
 * const tenancy = defineTenancy({ strategy: "path", storage });
 * const auth = createAuth({ database: createMemoryStorage(), tenancy });
 * const request = new Request("http://localhost/t/unknown/");
 * const response = await auth.run(request, {}, undefined, () => new Response(pageTitle()));
 * equal(await response.text(), "Welcome");
 * ```
 */
export function getTenant(): Tenant | null {
  return currentRequest("getTenant").auth.tenant?.now("getTenant") ?? null;
}

/**
 * The tenant of this request. Without one the work ends here.
 *
 * @throws {TenantNotFoundError} A 404, when there is none.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage } from "@framework/auth";
 * import { createMemoryTenantStorage, defineTenancy, requireTenant } from "@framework/auth/tenant";
 * import { equal } from "node:assert/strict";
 *
 * const storage = createMemoryTenantStorage();
 * const { id } = await storage.create({ slug: "acme", name: "Acme Ltd" });
 * const tenancy = defineTenancy({ strategy: "path", storage });
 * const auth = createAuth({ database: createMemoryStorage(), tenancy });
 *
 * function invoicesQuery(): string[] {
 *   return ["SELECT * FROM invoices WHERE tenant_id = ?1", requireTenant().id];
 * }
 * const request = new Request("http://localhost/t/acme/invoices");
 * const response = await auth.run(request, {}, undefined, () => Response.json(invoicesQuery()));
 * equal((await response.json())[1], id);
 * ```
 */
export function requireTenant(): Tenant {
  const tenant = getTenant();
  if (tenant === null) throw new TenantNotFoundError();
  return tenant;
}

function currentMembers(operation: string): TenantMembers {
  const { tenancy } = currentRequest(operation).auth.settings;
  if (tenancy?.members) return tenancy.members;
  throw new ConfigurationError(
    `Cannot call ${operation}(): no member storage is configured. Write defineTenancy({ members: … }), or ` +
      "configure a SQL `database`.",
    { field: "tenancy.members" },
  );
}

/**
 * The membership of the signed-in user in the tenant of this request. Without one the work ends here. That
 * somebody is signed in is not enough: with tenants by subdomain, header or cookie anybody with an account signs
 * in at any of them. Memberships are read with the session, once a request, at no further cost.
 *
 * @returns The member, with the roles there.
 * @throws {TenantNotFoundError} A 404, when this request has no tenant.
 * @throws {UnauthenticatedError} When nobody is signed in.
 * @throws {SessionExpiredError} When the session has expired.
 * @throws {ForbiddenError} When the user is no member.
 * @throws {ConfigurationError} When no member storage is configured.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, createUser, startSession } from "@framework/auth";
 * import {
 *   addMember,
 *   createMemoryTenantMembers,
 *   createMemoryTenantStorage,
 *   defineTenancy,
 *   requireMember,
 * } from "@framework/auth/tenant";
 * import { equal, throws } from "node:assert/strict";
 *
 * const storage = createMemoryTenantStorage();
 * const { id: tenantId } = await storage.create({ slug: "acme", name: "Acme Ltd" });
 * const members = createMemoryTenantMembers();
 * const tenancy = defineTenancy({ strategy: "header", storage, members });
 * const auth = createAuth({ database: createMemoryStorage(), tenancy });
 *
 * function invoices(): string {
 *   const { roles } = requireMember();
 *   return roles.includes("owner") ? "all invoices" : "your own";
 * }
 * const headers = { "x-tenant-id": "acme" };
 * const request = new Request("http://localhost/invoices", { method: "POST", headers });
 * const response = await auth.run(request, {}, undefined, async () => {
 *   throws(invoices, { code: "UNAUTHENTICATED" });
 *   await startSession((await createUser({ name: "Mallory" })).id);
 *   throws(invoices, { code: "FORBIDDEN" }); // an account is no membership
 *   const { id } = await createUser({ name: "Ada" });
 *   await addMember(id, { tenantId, roles: ["owner"] });
 *   await startSession(id);
 *   return new Response(invoices());
 * });
 * equal(await response.text(), "all invoices");
 * ```
 */
export function requireMember(): Member {
  currentMembers("requireMember");
  requireTenant();
  const { auth } = currentRequest("requireMember");
  const state = auth.state("requireMember");
  if (state.status === "expired") throw new SessionExpiredError();
  if (state.status === "none" && state.refusal) throw state.refusal(true);
  if (state.status === "invalid" || state.status === "none" && !state.outsider) {
    throw new UnauthenticatedError();
  }
  const member = state.status === "valid" && auth.tenant?.memberNow(state.session.user.id);
  if (!member) throw new ForbiddenError("Only members get in here");
  return member;
}

function tenantOf({ tenantId }: OfTenant): string {
  return tenantId ?? requireTenant().id;
}

/**
 * Makes a user a member of a tenant. Sessions that the user has elsewhere count there from the next
 * request on.
 *
 * @param userId Who.
 * @param options `roles` there, by default none, and `tenantId`, by default that of this request.
 * @returns False when the user is a member already; the roles stay as they are.
 * @throws {UserUnavailableError} When there is no such user.
 * @throws {TenantNotFoundError} When this request has no tenant and `tenantId` names none.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage } from "@framework/auth";
 * import {
 *   addMember,
 *   createMemoryTenantMembers,
 *   createMemoryTenantStorage,
 *   defineTenancy,
 *   listMembers,
 * } from "@framework/auth/tenant";
 * import { deepEqual } from "node:assert/strict";
 *
 * const storage = createMemoryTenantStorage();
 * await storage.create({ slug: "acme", name: "Acme Ltd" });
 * const tenancy = defineTenancy({ strategy: "path", storage, members: createMemoryTenantMembers() });
 * const auth = createAuth({ database: createMemoryStorage(), tenancy });
 *
 * const request = new Request("http://localhost/t/acme/");
 * const response = await auth.run(request, {}, undefined, async () => {
 *   await addMember("ada", { roles: ["editor"] });
 *   const { members } = await listMembers();
 *   return Response.json(members.map(({ userId, roles }) => [userId, ...roles]));
 * });
 * deepEqual(await response.json(), [["ada", "editor"]]);
 * ```
 */
export async function addMember(userId: string, options: AddMemberOptions = {}): Promise<boolean> {
  const members = currentMembers("addMember");
  const store = currentRequest("addMember");
  const tenantId = tenantOf(options);
  const createdAt = new Date(store.auth.settings.now());
  const member: Member = { tenantId, userId, roles: options.roles ?? [], createdAt };
  return await reportChange(store, {
    events: [{ type: "member-added", userId, tenantId }],
    since: createdAt.getTime(),
  }, () => members.add(member));
}

/**
 * Ends a membership: the roles in that tenant are gone with the next request, the sessions that were made
 * there end, and those that were made elsewhere do not count there any more. With the session strategy 'jwt'
 * and a revocation store all sessions of the user end, since nobody keeps a list; without a store a token
 * that was made there goes on, without those roles.
 *
 * @param userId Who.
 * @param options `tenantId`: where. Default: the tenant of this request.
 * @returns False when the user was no member.
 * @throws {TenantNotFoundError} When this request has no tenant and `tenantId` names none.
 * @throws {ConfigurationError} When no member storage is configured.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage } from "@framework/auth";
 * import {
 *   addMember,
 *   createMemoryTenantMembers,
 *   createMemoryTenantStorage,
 *   defineTenancy,
 *   removeMember,
 * } from "@framework/auth/tenant";
 * import { deepEqual } from "node:assert/strict";
 *
 * const storage = createMemoryTenantStorage();
 * await storage.create({ slug: "acme", name: "Acme Ltd" });
 * const tenancy = defineTenancy({ strategy: "path", storage, members: createMemoryTenantMembers() });
 * const auth = createAuth({ database: createMemoryStorage(), tenancy });
 *
 * const request = new Request("http://localhost/t/acme/");
 * const response = await auth.run(request, {}, undefined, async () => {
 *   await addMember("ada");
 *   return Response.json([await removeMember("ada"), await removeMember("ada")]);
 * });
 * deepEqual(await response.json(), [true, false]);
 * ```
 */
export async function removeMember(userId: string, options: OfTenant = {}): Promise<boolean> {
  const members = currentMembers("removeMember");
  const store = currentRequest("removeMember");
  const tenantId = tenantOf(options);
  return await endMembership(store, {
    tenantId,
    userId,
    remove: () =>
      reportChange(
        store,
        { events: [{ type: "member-removed", userId, tenantId }] },
        () => members.remove(tenantId, userId),
      ),
  });
}

/**
 * Ends a membership, and the sessions of who had it.
 *
 * @param about The member, and what removes the row, which tells if it was there.
 * @returns False when the user was no member.
 */
export async function endMembership(
  { auth, report }: RequestStore,
  { tenantId, userId, remove }: {
    tenantId: string;
    userId: string;
    remove: () => Promise<boolean>;
  },
): Promise<boolean> {
  const { strategy } = auth.settings;
  const state = await auth.load();
  const removed = await remove();
  if (!strategy.revocable) return removed;
  // Also for who is no member any more: an attempt before this one may have got no further than that.
  await strategy.endAll(userId, { tenantId });
  if (removed) report({ type: "session-revoked", userId });
  const hasEnded = strategy.endOf === null ||
    state.status === "valid" && state.tenantId === tenantId;
  if (isOf(state, userId) && hasEnded) await forgetOwn(auth);
  return removed;
}

/**
 * Changes the roles of a member, from the next request on.
 *
 * @param userId Who.
 * @param roles All of the roles in that tenant; those that are left out are gone.
 * @param options `tenantId`: where. Default: the tenant of this request.
 * @returns False when the user is no member.
 * @throws {TenantNotFoundError} When this request has no tenant and `tenantId` names none.
 * @throws {ConfigurationError} When no member storage is configured.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage } from "@framework/auth";
 * import {
 *   addMember,
 *   createMemoryTenantMembers,
 *   createMemoryTenantStorage,
 *   defineTenancy,
 *   listMembers,
 *   setMemberRoles,
 * } from "@framework/auth/tenant";
 * import { deepEqual } from "node:assert/strict";
 *
 * const storage = createMemoryTenantStorage();
 * await storage.create({ slug: "acme", name: "Acme Ltd" });
 * const tenancy = defineTenancy({ strategy: "path", storage, members: createMemoryTenantMembers() });
 * const auth = createAuth({ database: createMemoryStorage(), tenancy });
 *
 * const request = new Request("http://localhost/t/acme/");
 * const response = await auth.run(request, {}, undefined, async () => {
 *   await addMember("ada", { roles: ["editor"] });
 *   await setMemberRoles("ada", ["owner"]);
 *   return Response.json((await listMembers()).members[0]?.roles);
 * });
 * deepEqual(await response.json(), ["owner"]);
 * ```
 */
export async function setMemberRoles(
  userId: string,
  roles: string[],
  options: OfTenant = {},
): Promise<boolean> {
  const members = currentMembers("setMemberRoles");
  const tenantId = tenantOf(options);
  const member = await members.get(tenantId, userId);
  if (member === null) return false;
  return await reportChange(
    currentRequest("setMemberRoles"),
    {
      events: [{ type: "member-roles-changed", userId, tenantId, roles, before: member.roles }],
    },
    () => members.setRoles(tenantId, userId, roles),
  );
}

/**
 * The members of a tenant, by user id, a page at a time.
 *
 * @param options `tenantId`: where, by default the tenant of this request; `limit` and `cursor`:
 * which page.
 * @returns The members, and the cursor of the next page, which is null after the last one.
 * @throws {TenantNotFoundError} When this request has no tenant and `tenantId` names none.
 * @throws {ConfigurationError} When no member storage is configured.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage } from "@framework/auth";
 * import {
 *   addMember,
 *   createMemoryTenantMembers,
 *   createMemoryTenantStorage,
 *   defineTenancy,
 *   listMembers,
 * } from "@framework/auth/tenant";
 * import { deepEqual } from "node:assert/strict";
 *
 * const storage = createMemoryTenantStorage();
 * await storage.create({ slug: "acme", name: "Acme Ltd" });
 * const tenancy = defineTenancy({ strategy: "path", storage, members: createMemoryTenantMembers() });
 * const auth = createAuth({ database: createMemoryStorage(), tenancy });
 *
 * const request = new Request("http://localhost/t/acme/");
 * const response = await auth.run(request, {}, undefined, async () => {
 *   for (const userId of ["ada", "grace"]) await addMember(userId);
 *   const { members, cursor } = await listMembers({ limit: 1 });
 *   const rest = await listMembers({ limit: 1, cursor: cursor! });
 *   return Response.json([...members, ...rest.members].map(({ userId }) => userId));
 * });
 * deepEqual(await response.json(), ["ada", "grace"]);
 * ```
 */
export async function listMembers(options: ListMembersOptions = {}): Promise<MemberPage> {
  const { tenantId: _tenantId, ...part } = options;
  return await currentMembers("listMembers").listOfTenant(tenantOf(options), part);
}

/**
 * The memberships of a user, by tenant id: for a page on which a user chooses where to go.
 *
 * @param userId Whose. It is not checked against who is signed in.
 * @param options `limit` and `cursor`: which page.
 * @returns The memberships, and the cursor of the next page, which is null after the last one.
 * @throws {ConfigurationError} When no member storage is configured.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage } from "@framework/auth";
 * import {
 *   addMember,
 *   createMemoryTenantMembers,
 *   createMemoryTenantStorage,
 *   defineTenancy,
 *   listTenantsOf,
 * } from "@framework/auth/tenant";
 * import { deepEqual } from "node:assert/strict";
 *
 * const storage = createMemoryTenantStorage();
 * const { id } = await storage.create({ slug: "acme", name: "Acme Ltd" });
 * const tenancy = defineTenancy({ strategy: "path", storage, members: createMemoryTenantMembers() });
 * const auth = createAuth({ database: createMemoryStorage(), tenancy });
 *
 * const request = new Request("http://localhost/t/acme/");
 * const response = await auth.run(request, {}, undefined, async () => {
 *   await addMember("ada");
 *   const { members } = await listTenantsOf("ada");
 *   return Response.json(members.map(({ tenantId }) => tenantId));
 * });
 * deepEqual(await response.json(), [id]);
 * ```
 */
export async function listTenantsOf(userId: string, options?: ListOptions): Promise<MemberPage> {
  return await currentMembers("listTenantsOf").listOfUser(userId, options);
}

/**
 * Removes a tenant and ends its memberships, its API keys and its webhooks. Its sessions count nowhere any more, but for
 * users who are members of another tenant. What else the application keeps for the tenant it removes by itself.
 *
 * @param tenantId Its id. It is not checked against who is signed in.
 * @returns False when there was no such tenant.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage } from "@framework/auth";
 * import {
 *   createMemoryTenantMembers,
 *   createMemoryTenantStorage,
 *   defineTenancy,
 *   deleteTenant,
 * } from "@framework/auth/tenant";
 * import { deepEqual } from "node:assert/strict";
 *
 * const storage = createMemoryTenantStorage();
 * const { id } = await storage.create({ slug: "acme", name: "Acme Ltd" });
 * const tenancy = defineTenancy({ strategy: "path", storage, members: createMemoryTenantMembers() });
 * const auth = createAuth({ database: createMemoryStorage(), tenancy });
 *
 * const request = new Request("http://localhost/t/acme/");
 * const response = await auth.run(request, {}, undefined, async () => {
 *   return Response.json([await deleteTenant(id), await deleteTenant(id)]);
 * });
 * deepEqual(await response.json(), [true, false]);
 * ```
 */
export async function deleteTenant(tenantId: string): Promise<boolean> {
  const { settings } = currentRequest("deleteTenant").auth;
  const { tenancy } = settings;
  const removed = await tenancy?.storage.delete(tenantId) ?? false;
  await tenancy?.members?.removeAll(tenantId);
  for (const module of settings.modules) {
    // Whoever makes a tenant of the same id later gets nothing of this one's.
    await (module as EndpointModule).endTenant?.(settings, tenantId);
  }
  return removed;
}
