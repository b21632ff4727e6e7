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

export {
  createTenantResolver,
  type TenantResolver,
  type TenantResolverOptions,
} from "./tenant/resolver.ts";
export { createMemoryTenantStorage, type TenantClockOptions } from "./tenant/memory.ts";
export { createSqlTenantStorage, type SqlTenantStorageOptions } from "./tenant/sql.ts";
export {
  createKeyValueTenantStorage,
  type KeyValueNamespace,
  type KeyValueTenantStorageOptions,
} from "./tenant/kv.ts";
export type {
  ListOptions,
  NewTenant,
  Tenant,
  TenantChanges,
  TenantPage,
  TenantStorage,
} from "./types/tenant.ts";
export { defineTenancy, type TenancyConfig } from "./tenant/tenancy.ts";
export type { TenancyDefinition, TenancyFactory } from "./tenant/tenancy.ts";
export type {
  GiveUpRole,
  Member,
  MemberPage,
  RequestTenant,
  Tenancy,
  TenantMembers,
  TenantNaming,
  TenantSession,
} from "./types/tenant.ts";
export { createMemoryTenantMembers } from "./tenant/memory.ts";
export { createSqlTenantMembers } from "./tenant/sql.ts";
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
export { isSlug } from "./tenant/validation.ts";
export {
  AuthError,
  type AuthErrorFields,
  InvalidTenantError,
  TenantExistsError,
  TenantNotFoundError,
} from "./errors.ts";
export type { Definition } from "./lib/options.ts";
export type { Session } from "./types/session.ts";
export type { User } from "./types/user.ts";
export type { SqlDatabase, SqlResult, SqlStatement, SqlValue } from "./storage/sql_database.ts";
