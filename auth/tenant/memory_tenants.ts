// deno-lint-ignore-file require-await -- what an operation throws must be a rejection

import { readListOptions } from "./list_options.ts";
import type { Tenant, TenantStorage } from "./tenant.ts";
import { assertUnlike, changeTenant, createTenantRecord } from "./tenant_record.ts";

/** What a tenant storage can be told. */
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
