// deno-lint-ignore-file require-await -- what an operation throws must be a rejection

/**
 * Tenants and members in memory.
 *
 * @module
 */

import type {
  ListOptions,
  Member,
  MemberPage,
  Tenant,
  TenantMembers,
  TenantStorage,
} from "../types/tenant.ts";
import {
  assertUnlike,
  changeTenant,
  createTenantRecord,
  readListOptions,
  readRoles,
} from "./validation.ts";

/** Options for tenant storages. */
export interface TenantClockOptions {
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  now?: () => number;
}

/**
 * Tenants that live as long as the process, for tests.
 *
 * @param options `now`: the clock, in milliseconds since 1970. Default `Date.now`.
 *
 * @example
 * ```ts
 * import { createMemoryTenantStorage } from "@framework/auth/tenant";
 * import { equal } from "node:assert/strict";
 *
 * const storage = createMemoryTenantStorage();
 * const { id } = await storage.create({ slug: "acme", name: "Acme Ltd" });
 * equal((await storage.getBySlug("acme"))?.id, id);
 * ```
 */
export function createMemoryTenantStorage(options: TenantClockOptions = {}): TenantStorage {
  const { now = Date.now } = options;
  const tenants = new Map<string, Tenant>();

  function find(matches: (tenant: Tenant) => boolean): Tenant | null {
    for (const tenant of tenants.values()) if (matches(tenant)) return structuredClone(tenant);
    return null;
  }

  function store(tenant: Tenant): Tenant {
    assertUnlike(tenant, [
      find(({ id, slug }) => id !== tenant.id && (slug === tenant.slug || slug === tenant.id)),
      tenants.get(tenant.slug) ?? null,
    ]);
    tenants.set(tenant.id, structuredClone(tenant));
    return tenant;
  }

  return {
    async create(given) {
      const tenant = createTenantRecord(given, now());
      assertUnlike({ ...tenant, id: "" }, [tenants.get(tenant.id) ?? null]);
      return store(tenant);
    },
    async get(id) {
      return find((tenant) => tenant.id === id);
    },
    async getBySlug(slug) {
      return find((tenant) => tenant.slug === slug);
    },
    async update(id, changes) {
      const tenant = tenants.get(id);
      return tenant === undefined ? null : store(changeTenant(tenant, changes, now()));
    },
    async delete(id) {
      return tenants.delete(id);
    },
    async list(options) {
      const { cursor, limit } = readListOptions(options);
      const following = [...tenants.values()]
        .filter(({ id }) => id > cursor)
        .sort((a, b) => a.id < b.id ? -1 : 1);
      const part = structuredClone(following.slice(0, limit));
      return { tenants: part, cursor: following.length > limit ? part.at(-1)!.id : null };
    },
  };
}

/**
 * Memberships that live as long as the process, for tests. Whether a user exists is not asked.
 *
 * @example
 * ```ts
 * import { createMemoryTenantMembers } from "@framework/auth/tenant";
 * import { deepEqual } from "node:assert/strict";
 *
 * const members = createMemoryTenantMembers();
 * await members.add({ tenantId: "t1", userId: "ada", roles: ["owner"], createdAt: new Date() });
 * deepEqual((await members.get("t1", "ada"))?.roles, ["owner"]);
 * ```
 */
export function createMemoryTenantMembers(): TenantMembers {
  // Tenant, then user.
  const tenants = new Map<string, Map<string, Member>>();

  function part(
    members: Member[],
    key: "tenantId" | "userId",
    options: ListOptions | undefined,
  ): MemberPage {
    const { cursor, limit } = readListOptions(options);
    const following = members
      .filter((member) => member[key] > cursor)
      .sort((a, b) => a[key] < b[key] ? -1 : 1);
    const found = structuredClone(following.slice(0, limit));
    return { members: found, cursor: following.length > limit ? found.at(-1)![key] : null };
  }

  return {
    async get(tenantId, userId) {
      return structuredClone(tenants.get(tenantId)?.get(userId) ?? null);
    },
    async add({ tenantId, userId, roles, createdAt }) {
      const members = tenants.get(tenantId) ?? new Map<string, Member>();
      if (members.has(userId)) return false;
      members.set(userId, { tenantId, userId, roles: readRoles(roles), createdAt });
      tenants.set(tenantId, members);
      return true;
    },
    async setRoles(tenantId, userId, roles) {
      const member = tenants.get(tenantId)?.get(userId);
      const checked = readRoles(roles);
      if (member === undefined) return false;
      member.roles = checked;
      return true;
    },
    async remove(tenantId, userId) {
      return tenants.get(tenantId)?.delete(userId) ?? false;
    },
    async removeAll(tenantId) {
      const count = tenants.get(tenantId)?.size ?? 0;
      tenants.delete(tenantId);
      return count;
    },
    async hasOther(tenantId, userId, role) {
      return [...tenants.get(tenantId)?.values() ?? []]
        .some((member) => member.userId !== userId && member.roles.includes(role));
    },
    async giveUp(tenantId, userId, { role, roles }) {
      const members = tenants.get(tenantId);
      const member = members?.get(userId);
      const others = [...members?.values() ?? []].filter((one) => one.userId !== userId);
      const checked = roles && readRoles(roles);
      if (member === undefined || !others.some((one) => one.roles.includes(role))) return false;
      if (checked === null) members!.delete(userId);
      else member.roles = checked;
      return true;
    },
    async listOfTenant(tenantId, options) {
      return part([...tenants.get(tenantId)?.values() ?? []], "userId", options);
    },
    async listOfUser(userId, options) {
      const all = [...tenants.values()].flatMap((members) => members.get(userId) ?? []);
      return part(all, "tenantId", options);
    },
  };
}
