// deno-lint-ignore-file require-await -- what an operation throws must be a rejection

import { readListOptions } from "./list_options.ts";
import { readRoles } from "./members.ts";
import type { ListOptions, Member, MemberPage, TenantMembers } from "./tenant.ts";

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
    async listOfTenant(tenantId, options) {
      return part([...tenants.get(tenantId)?.values() ?? []], "userId", options);
    },
    async listOfUser(userId, options) {
      const all = [...tenants.values()].flatMap((members) => members.get(userId) ?? []);
      return part(all, "tenantId", options);
    },
  };
}
