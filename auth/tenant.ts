/**
 * Tenants: customers, teams or sites that one application keeps apart.
 *
 * @example
 * ```ts
 * import { createMemoryTenantStorage, createTenantResolver } from "@framework/auth/tenant";
 * import { equal } from "node:assert/strict";
 *
 * const storage = createMemoryTenantStorage();
 * await storage.create({ slug: "acme", name: "Acme Ltd" });
 * const resolver = createTenantResolver(storage, {
 *   strategy: "subdomain",
 *   baseDomain: "app.example",
 * });
 * const { tenant } = await resolver.require(new Request("https://acme.app.example/"));
 * equal(tenant.name, "Acme Ltd");
 * ```
 *
 * @module
 */

export { createTenantResolver, type TenantResolver } from "./tenant/resolver.ts";
export type { TenantResolverOptions } from "./tenant/resolver_options.ts";
export { createMemoryTenantStorage, type TenantClockOptions } from "./tenant/memory_tenants.ts";
export { createSqlTenantStorage, type SqlTenantStorageOptions } from "./tenant/sql_tenants.ts";
export {
  createKeyValueTenantStorage,
  type KeyValueNamespace,
  type KeyValueTenantStorageOptions,
} from "./tenant/key_value_tenants.ts";
export type {
  ListOptions,
  NewTenant,
  Tenant,
  TenantChanges,
  TenantPage,
  TenantStorage,
} from "./tenant/tenant.ts";
export { defineTenancy, type TenancyConfig } from "./tenant/define_tenancy.ts";
export type { TenancyDefinition, TenancyFactory } from "./tenant/tenancy_definition.ts";
export type { RequestTenant, Tenancy, TenantSession } from "./tenant/tenancy.ts";
export type { Member, MemberPage, TenantMembers } from "./tenant/tenant.ts";
export { createMemoryTenantMembers } from "./tenant/memory_members.ts";
export { createSqlTenantMembers } from "./tenant/sql_members.ts";
export {
  addMember,
  type AddMemberOptions,
  deleteTenant,
  getTenant,
  listMembers,
  type ListMembersOptions,
  listTenantsOf,
  type OfTenant,
  removeMember,
  requireMember,
  requireTenant,
  setMemberRoles,
} from "./tenant/operations.ts";
export { isSlug } from "./tenant/names.ts";
export {
  InvalidTenantError,
  TenantExistsError,
  TenantNotFoundError,
} from "./errors/tenant_errors.ts";
export { AuthError, type AuthErrorFields } from "./errors/auth_error.ts";
export type { Definition } from "./config/definition.ts";
export type { Session } from "./session/session.ts";
export type { User } from "./users/user.ts";
export type { SqlDatabase, SqlResult, SqlStatement, SqlValue } from "./storage/sql_database.ts";
