/**
 * Tenants in a key-value namespace.
 *
 * @module
 */

import { StorageUnavailableError, TenantExistsError } from "../errors.ts";
import { wrongOption } from "../lib/options.ts";
import type { Tenant, TenantStorage } from "../types/tenant.ts";
import type { TenantClockOptions } from "./memory.ts";
import {
  assertUnlike,
  changeTenant,
  createTenantRecord,
  isSlug,
  isTenantId,
  readListOptions,
  readSettings,
} from "./validation.ts";

/** A key-value namespace, as Workers KV has it: the part that is used. */
export interface KeyValueNamespace {
  /** The text under a key, or null. */
  get(key: string): Promise<string | null>;
  /** Stores a text under a key, in place of the one that is there. */
  put(key: string, value: string): Promise<void>;
  /** Removes a key, also one that is not there. */
  delete(key: string): Promise<void>;
  /** The keys that begin with a prefix, in order. */
  list(
    options: { prefix: string; limit: number; cursor?: string },
  ): Promise<{ keys: { name: string }[]; list_complete: boolean; cursor?: string }>;
}

/** Options for {@linkcode createKeyValueTenantStorage}. */
export interface KeyValueTenantStorageOptions extends TenantClockOptions {
  /** Prefix of the keys. Default "tenant:". */
  prefix?: string;
}

// A key has at most 512 bytes, of which ids and slugs need 70.
const PREFIX = /^[\x21-\x7e]{0,256}$/;

function writeTenant(tenant: Tenant): string {
  const { settings, ...rest } = tenant;
  return JSON.stringify({ ...rest, settings: JSON.stringify(settings ?? {}) });
}

/** The tenant in a text; null for what is none, as a key that another program wrote. */
function readTenant(text: string | null, expected: string): Tenant | null {
  if (text === null) return null;
  let stored: Record<string, unknown> | null;
  try {
    stored = JSON.parse(text);
  } catch {
    return null;
  }
  const { id, slug, name, suspendedAt } = stored ?? {};
  if (id !== expected || !isTenantId(id) || !isSlug(slug) || typeof name !== "string") return null;
  const settings = readSettings(stored!.settings);
  const [createdAt, updatedAt] = [stored!.createdAt, stored!.updatedAt].map((time) =>
    new Date(time as string)
  ) as [Date, Date];
  const since = suspendedAt === undefined ? undefined : new Date(suspendedAt as string);
  const times = [createdAt, updatedAt, ...(since === undefined ? [] : [since])];
  if (settings === null || times.some((time) => Number.isNaN(time.getTime()))) return null;
  return {
    id,
    slug,
    name,
    ...(settings !== undefined && { settings }),
    createdAt,
    updatedAt,
    ...(since !== undefined && { suspendedAt: since }),
  };
}

/**
 * Tenants in a key-value namespace: read at the edge, and read late. What KV promises bounds this storage
 * too: a change, a suspension among them, is seen everywhere after at most 60 seconds; so is a new tenant
 * where somebody asked for it before it was there, since "not found" is cached as well. Two tenants
 * that are made with one slug at the same moment are not told apart: the slug leads to the later one, the
 * other is in the list only. Where that matters, use `createSqlTenantStorage()`.
 *
 * Keys are `<prefix>id:<id>`, which holds the tenant, and `<prefix>slug:<slug>`, which holds its id.
 *
 * @param namespace A KV binding.
 * @param options `prefix` of the keys, "tenant:" by default, and `now`, the clock in milliseconds
 * since 1970.
 * @throws {ConfigurationError} For a `prefix` that is too long or not plain ASCII.
 *
 * @example
 * ```ts
 * import { createKeyValueTenantStorage, type KeyValueNamespace } from "@framework/auth/tenant";
 * import { equal } from "node:assert/strict";
 *
 * function tenantsOf(env: { KV: KeyValueNamespace }) {
 *   return createKeyValueTenantStorage(env.KV, { prefix: "tenant:" });
 * }
 *
 * // In the place of a KV binding.
 * const texts = new Map<string, string>();
 * const KV: KeyValueNamespace = {
 *   get: (key) => Promise.resolve(texts.get(key) ?? null),
 *   put: (key, text) => Promise.resolve(void texts.set(key, text)),
 *   delete: (key) => Promise.resolve(void texts.delete(key)),
 *   list: () => Promise.resolve({ keys: [], list_complete: true }),
 * };
 * const { id } = await tenantsOf({ KV }).create({ slug: "acme", name: "Acme Ltd" });
 * equal((await tenantsOf({ KV }).getBySlug("acme"))?.id, id);
 * ```
 */
export function createKeyValueTenantStorage(
  namespace: KeyValueNamespace,
  options: KeyValueTenantStorageOptions = {},
): TenantStorage {
  const { prefix = "tenant:", now = Date.now } = options;
  if (typeof prefix !== "string" || !PREFIX.test(prefix)) {
    throw wrongOption("prefix", prefix, "at most 256 characters of plain ASCII without spaces");
  }

  async function attempt<T>(operation: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      throw new StorageUnavailableError(`Cannot ${operation}: the key-value store refused`, {
        cause,
      });
    }
  }

  // Ids and slugs hold no ":", so no key of one kind is a key of the other.
  const idKey = (id: string): string => `${prefix}id:${id}`;
  const slugKey = (slug: string): string => `${prefix}slug:${slug}`;
  const read = (key: string): Promise<string | null> =>
    attempt("read the tenant", () => namespace.get(key));
  const put = (key: string, value: string): Promise<void> =>
    attempt("store the tenant", () => namespace.put(key, value));
  const remove = (key: string): Promise<void> =>
    attempt("remove the tenant", () => namespace.delete(key));

  async function get(id: string): Promise<Tenant | null> {
    return isTenantId(id) ? readTenant(await read(idKey(id)), id) : null;
  }

  async function getBySlug(slug: string): Promise<Tenant | null> {
    const id = isSlug(slug) ? await read(slugKey(slug)) : null;
    const tenant = id === null ? null : await get(id);
    // A slug that was given away leads to its tenant no longer, whatever an old key says.
    return tenant?.slug === slug ? tenant : null;
  }

  async function assertFree(tenant: Tenant): Promise<void> {
    assertUnlike(tenant, [
      await getBySlug(tenant.slug),
      await getBySlug(tenant.id),
      await get(tenant.slug),
    ]);
  }

  return {
    get,
    getBySlug,
    async create(given) {
      const tenant = createTenantRecord(given, now());
      if (await get(tenant.id) !== null) throw new TenantExistsError();
      await assertFree(tenant);
      // The slug last: what it leads to is there.
      await put(idKey(tenant.id), writeTenant(tenant));
      await put(slugKey(tenant.slug), tenant.id);
      return tenant;
    },
    async update(id, changes) {
      const known = await get(id);
      if (known === null) return null;
      const tenant = changeTenant(known, changes, now());
      await assertFree(tenant);
      await put(idKey(id), writeTenant(tenant));
      if (tenant.slug !== known.slug) {
        await put(slugKey(tenant.slug), id);
        await remove(slugKey(known.slug));
      }
      return tenant;
    },
    async delete(id) {
      const known = await get(id);
      if (known === null) return false;
      await remove(idKey(id));
      await remove(slugKey(known.slug));
      return true;
    },
    async list(options) {
      const { cursor, limit } = readListOptions(options);
      const found = await attempt("list the tenants", () =>
        namespace.list({
          prefix: idKey(""),
          limit,
          ...(cursor !== "" && { cursor }),
        }));
      const ids = found.keys.map(({ name }) => name.slice(idKey("").length));
      const tenants = await Promise.all(ids.map(get));
      return {
        tenants: tenants.filter((tenant) => tenant !== null),
        cursor: found.list_complete ? null : found.cursor ?? null,
      };
    },
  };
}
