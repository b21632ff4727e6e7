import { ConfigurationError } from "../errors/configuration_error.ts";
import { TenantNotFoundError } from "../errors/tenant_errors.ts";
import { currentRequest } from "../request/request_store.ts";
import { forgetOwn, isOf } from "../request/session_operations.ts";
import { type Member, type MemberPage, readRoles, type TenantMembers } from "./members.ts";
import type { ListOptions, Tenant } from "./tenant.ts";

/** Which tenant is meant. */
export interface OfTenant {
  /** Id of the tenant. Default: the one of this request. It is not checked against who is signed in. */
  tenantId?: string;
}

/** A member to be. */
export interface AddMemberOptions extends OfTenant {
  /** The roles there. Default: none. */
  roles?: string[];
}

/** Which members are listed. */
export interface ListMembersOptions extends OfTenant, ListOptions {}

/**
 * The tenant of this request, or null: it names none, or one that is unknown or suspended.
 *
 * @throws {OutsideRequestError} When there is no request.
 * @throws {StorageUnavailableError} When the tenant could not be looked up.
 *
 * @example
 * ```ts
 * import { getTenant } from "@framework/auth/tenant";
 *
 * function pageTitle(): string {
 *   return getTenant()?.name ?? "Welcome";
 * }
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
 * import { requireTenant } from "@framework/auth/tenant";
 *
 * function invoicesQuery(): string[] {
 *   return ["SELECT * FROM invoices WHERE tenant_id = ?1", requireTenant().id];
 * }
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
    `Cannot call ${operation}(): nothing says who is a member where. Write defineTenancy({ members: … }), or ` +
      "configure a SQL `database`.",
    { field: "tenancy.members" },
  );
}

function tenantOf({ tenantId }: OfTenant): string {
  return tenantId ?? requireTenant().id;
}

/**
 * Makes a user a member of a tenant. Sessions that the user has elsewhere count there from the next
 * request on.
 *
 * @param userId Who.
 * @returns False when the user is a member already; the roles stay as they are.
 * @throws {UserUnavailableError} When there is no such user.
 * @throws {TenantNotFoundError} When this request has no tenant and `tenantId` names none.
 *
 * @example
 * ```ts
 * import { requireRole } from "@framework/auth";
 * import { addMember } from "@framework/auth/tenant";
 *
 * async function invite(userId: string): Promise<void> {
 *   requireRole("owner");
 *   await addMember(userId, { roles: ["editor"] });
 * }
 * ```
 */
export async function addMember(userId: string, options: AddMemberOptions = {}): Promise<boolean> {
  const members = currentMembers("addMember");
  const { settings } = currentRequest("addMember").auth;
  const member: Member = {
    tenantId: tenantOf(options),
    userId,
    roles: readRoles(options.roles ?? []),
    createdAt: new Date(settings.now()),
  };
  return await members.add(member);
}

/**
 * Ends a membership: the roles in that tenant are gone with the next request, the sessions that were made
 * there end, and those that were made elsewhere do not count there any more. With the session strategy 'jwt'
 * and a revocation store all sessions of the user end, since nobody keeps a list; without a store a token
 * that was made there goes on, without those roles.
 *
 * @param userId Who.
 * @returns False when the user was no member.
 */
export async function removeMember(userId: string, options: OfTenant = {}): Promise<boolean> {
  const members = currentMembers("removeMember");
  const { auth, report } = currentRequest("removeMember");
  const { strategy } = auth.settings;
  const tenantId = tenantOf(options);
  const state = await auth.load();
  const removed = await members.remove(tenantId, userId);
  if (!strategy.revocable) return removed;
  // Also for who is no member any more: an attempt before this one may have got no further than that.
  await strategy.endAll(userId, { tenantId });
  if (removed) report({ type: "session-revoked", userId });
  const hasEnded = strategy.list === null ||
    state.status === "valid" && state.tenantId === tenantId;
  if (isOf(state, userId) && hasEnded) await forgetOwn(auth);
  return removed;
}

/**
 * Changes the roles of a member, from the next request on.
 *
 * @param userId Who.
 * @param roles All of the roles in that tenant.
 * @returns False when the user is no member.
 */
export async function setMemberRoles(
  userId: string,
  roles: string[],
  options: OfTenant = {},
): Promise<boolean> {
  return await currentMembers("setMemberRoles").setRoles(tenantOf(options), userId, roles);
}

/** The members of a tenant, by user id. */
export async function listMembers(options: ListMembersOptions = {}): Promise<MemberPage> {
  const { tenantId: _tenantId, ...part } = options;
  return await currentMembers("listMembers").listOfTenant(tenantOf(options), part);
}

/**
 * The memberships of a user, by tenant id: for a page on which a user chooses where to go.
 *
 * @param userId Whose. It is not checked against who is signed in.
 */
export async function listTenantsOf(userId: string, options?: ListOptions): Promise<MemberPage> {
  return await currentMembers("listTenantsOf").listOfUser(userId, options);
}

/**
 * Removes a tenant and ends its memberships. Its sessions count nowhere any more, but for users who are
 * members of another tenant.
 *
 * @returns False when there was no such tenant.
 */
export async function deleteTenant(tenantId: string): Promise<boolean> {
  const { tenancy } = currentRequest("deleteTenant").auth.settings;
  const removed = await tenancy?.storage.delete(tenantId) ?? false;
  await tenancy?.members?.removeAll(tenantId);
  return removed;
}
