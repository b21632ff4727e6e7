/**
 * Tenants and members in a SQL database.
 *
 * @module
 */

import { TenantExistsError, UserUnavailableError } from "../errors.ts";
import { wrongOption } from "../lib/options.ts";
import type { SqlDatabase, SqlValue } from "../storage/sql_database.ts";
import { changesOf, createSqlExecutor } from "../storage/sql_executor.ts";
import type {
  ListOptions,
  Member,
  MemberPage,
  Tenant,
  TenantMembers,
  TenantStorage,
} from "../types/tenant.ts";
import type { TenantClockOptions } from "./memory.ts";
import {
  changeTenant,
  createTenantRecord,
  isSlug,
  isTenantId,
  readListOptions,
  readRoles,
  readSettings,
  writeSettings,
} from "./validation.ts";

/** Options for {@linkcode createSqlTenantStorage}. */
export interface SqlTenantStorageOptions extends TenantClockOptions {
  /** The table, which has the columns of the table `tenants` of `authSchema`. Default "tenants". */
  tableName?: string;
}

// D1 (SQLite), PostgreSQL and MariaDB.
const TAKEN = /unique constraint|duplicate entry/i;
const MAX_TIME = 8.64e15;

type Row = Record<string, unknown>;

function readTime(value: unknown): Date | null {
  const holds = typeof value === "number" && Number.isSafeInteger(value) &&
    Math.abs(value) <= MAX_TIME;
  return holds ? new Date(value) : null;
}

/** The tenant in a row; null when the row cannot be read. */
function readTenant(row: Row | null): Tenant | null {
  if (row === null) return null;
  const { id, slug, name, settings: text, suspended_at: suspended } = row;
  const settings = readSettings(text);
  const createdAt = readTime(row.created_at);
  const updatedAt = readTime(row.updated_at);
  const suspendedAt = suspended === null ? undefined : readTime(suspended);
  if (!isTenantId(id) || !isSlug(slug) || typeof name !== "string") return null;
  if (settings === null || createdAt === null || updatedAt === null) return null;
  if (suspendedAt === null) return null;
  return {
    id,
    slug,
    name,
    ...(settings !== undefined && { settings }),
    createdAt,
    updatedAt,
    ...(suspendedAt !== undefined && { suspendedAt }),
  };
}

function valuesOf(tenant: Tenant): SqlValue[] {
  const { id, slug, name, settings, createdAt, updatedAt, suspendedAt } = tenant;
  return [
    id,
    slug,
    name,
    writeSettings(settings),
    suspendedAt?.getTime() ?? null,
    createdAt.getTime(),
    updatedAt.getTime(),
  ];
}

const COLUMNS = "id, slug, name, settings, suspended_at, created_at, updated_at";

/** ?1 id, ?2 slug, … as `valuesOf()`. One statement: the check for another's id or slug and the write. */
function statementsFor(table: string) {
  // A header names a tenant by slug or by id, so one tenant's slug must not be another's id.
  const confusable = `SELECT 1 FROM ${table} AS other
WHERE other.id <> ?1 AND (other.id = ?2 OR other.slug = ?1)`;
  return {
    insert: `INSERT INTO ${table} (${COLUMNS})
SELECT ?1, ?2, ?3, ?4, CAST(?5 AS BIGINT), CAST(?6 AS BIGINT), CAST(?7 AS BIGINT)
WHERE NOT EXISTS (${confusable})`,
    update: `UPDATE ${table} SET slug = ?2, name = ?3, settings = ?4,
  suspended_at = CAST(?5 AS BIGINT), updated_at = CAST(?7 AS BIGINT)
WHERE id = ?1 AND created_at = CAST(?6 AS BIGINT) AND NOT EXISTS (${confusable})`,
    get: `SELECT ${COLUMNS} FROM ${table} WHERE id = ?1`,
    getBySlug: `SELECT ${COLUMNS} FROM ${table} WHERE slug = ?1`,
    remove: `DELETE FROM ${table} WHERE id = ?1`,
    list: `SELECT ${COLUMNS} FROM ${table} WHERE id > ?1 ORDER BY id LIMIT ?2`,
  };
}

/**
 * Tenants in a SQL database with the shape of D1.
 *
 * @param database A D1 binding, or an adapter with its shape.
 * @param options `tableName`, "tenants" by default, and `now`, the clock in milliseconds since
 * 1970.
 * @throws {ConfigurationError} For a `tableName` that is no plain name.
 *
 * @example
 * ```ts
 * import { createSqlTenantStorage } from "@framework/auth/tenant";
 * import { sqlite } from "@framework/auth/sqlite";
 * import { authSchema } from "@framework/auth/storage";
 * import { DatabaseSync } from "node:sqlite";
 * import { equal } from "node:assert/strict";
 *
 * const file = new DatabaseSync(":memory:");
 * file.exec(authSchema.up);
 * const storage = createSqlTenantStorage(sqlite(file));
 * await storage.create({ id: "t1", slug: "acme", name: "Acme Ltd" });
 * equal((await storage.getBySlug("acme"))?.id, "t1");
 * file.close();
 * ```
 */
export function createSqlTenantStorage(
  database: SqlDatabase,
  options: SqlTenantStorageOptions = {},
): TenantStorage {
  const { tableName = "tenants", now = Date.now } = options;
  if (typeof tableName !== "string" || !/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(tableName)) {
    throw wrongOption("tableName", tableName, "a name of letters, digits and underscores");
  }
  const { prepare, repeat, once } = createSqlExecutor(database);
  const statements = statementsFor(`"${tableName}"`);

  /** Writes, and tells a name that is taken from a failure. False when nothing was written. */
  async function write(sql: string, tenant: Tenant): Promise<boolean> {
    try {
      return await once("store the tenant", async () => {
        return changesOf(await prepare(sql).bind(...valuesOf(tenant)).run()) > 0;
      });
    } catch (error) {
      if (!TAKEN.test(String(error))) throw error;
      throw new TenantExistsError(undefined, { cause: error });
    }
  }

  function find(sql: string, value: string): Promise<Tenant | null> {
    return repeat(
      "read the tenant",
      async () => readTenant(await prepare(sql).bind(value).first<Row>()),
    );
  }

  return {
    async create(given) {
      const tenant = createTenantRecord(given, now());
      if (!await write(statements.insert, tenant)) throw new TenantExistsError();
      return tenant;
    },
    async get(id) {
      return isTenantId(id) ? await find(statements.get, id) : null;
    },
    async getBySlug(slug) {
      return isSlug(slug) ? await find(statements.getBySlug, slug) : null;
    },
    async update(id, changes) {
      const known = isTenantId(id) ? await find(statements.get, id) : null;
      if (known === null) return null;
      const tenant = changeTenant(known, changes, now());
      if (await write(statements.update, tenant)) return tenant;
      if (await find(statements.get, id) === null) return null;
      throw new TenantExistsError();
    },
    async delete(id) {
      if (!isTenantId(id)) return false;
      return await repeat("remove the tenant", async () => {
        return changesOf(await prepare(statements.remove).bind(id).run()) > 0;
      });
    },
    async list(options) {
      const { cursor, limit } = readListOptions(options);
      const rows = await repeat("list the tenants", async () => {
        const { results } = await prepare(statements.list).bind(cursor, limit + 1).all<Row>();
        return results;
      });
      const part = rows.slice(0, limit);
      const last = part.at(-1)?.id;
      return {
        tenants: part.map(readTenant).filter((tenant) => tenant !== null),
        cursor: rows.length > limit ? last as string : null,
      };
    },
  };
}

// D1 (SQLite), PostgreSQL and MariaDB.
const NO_SUCH_USER = /foreign key constraint/i;

const MEMBER_COLUMNS = "tenant_id, user_id, roles, created_at";
const GET = `SELECT ${MEMBER_COLUMNS} FROM tenant_members WHERE tenant_id = ?1 AND user_id = ?2`;
const ADD = `INSERT INTO tenant_members (${MEMBER_COLUMNS}) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (tenant_id, user_id) DO NOTHING`;
const SET_ROLES = "UPDATE tenant_members SET roles = ?3 WHERE tenant_id = ?1 AND user_id = ?2";
const REMOVE = "DELETE FROM tenant_members WHERE tenant_id = ?1 AND user_id = ?2";
const REMOVE_ALL = "DELETE FROM tenant_members WHERE tenant_id = ?1";
// A quote after "[" or "," begins an item, for inside of a text it follows a backslash. No LIKE: SQLite's folds case.
// Who is disabled has the role, and can do nothing by it.
const OTHER = `SELECT 1 AS found FROM tenant_members AS other
JOIN users ON users.id = other.user_id AND users.disabled_at IS NULL
WHERE other.tenant_id = ?1 AND other.user_id <> ?2
AND REPLACE(REPLACE(REPLACE(other.roles, ?3, ''), ?4, ''), ?5, '') <> other.roles`;
const HAS_OTHER = `${OTHER} ORDER BY user_id LIMIT 1`;
// One statement, of which SQLite runs one at a time; on PostgreSQL under a lock, since each would see the other's row.
const GIVE_UP = {
  membership:
    `DELETE FROM tenant_members WHERE tenant_id = ?1 AND user_id = ?2 AND EXISTS (${OTHER})`,
  role: `UPDATE tenant_members SET roles = ?6
WHERE tenant_id = ?1 AND user_id = ?2 AND EXISTS (${OTHER})`,
};

/** Beginnings of an item in a list of roles, and the role. */
function itemsOf(role: string): string[] {
  return ["[", ",", ", "].map((before) => before + JSON.stringify(role));
}
const LIST = {
  userId: `SELECT ${MEMBER_COLUMNS} FROM tenant_members
WHERE tenant_id = ?1 AND user_id > ?2 ORDER BY user_id LIMIT ?3`,
  tenantId: `SELECT ${MEMBER_COLUMNS} FROM tenant_members
WHERE user_id = ?1 AND tenant_id > ?2 ORDER BY tenant_id LIMIT ?3`,
};

type MemberRow = Record<string, unknown>;

/** The membership in a row; one whose row cannot be read is none. */
function readMember(row: MemberRow | null): Member | null {
  if (row === null) return null;
  const { tenant_id: tenantId, user_id: userId, roles: text, created_at: created } = row;
  if (typeof tenantId !== "string" || typeof userId !== "string") return null;
  if (typeof created !== "number" || Number.isNaN(new Date(created).getTime())) return null;
  try {
    const roles = readRoles(JSON.parse(text as string));
    return { tenantId, userId, roles, createdAt: new Date(created) };
  } catch {
    return null;
  }
}

/**
 * Memberships in the table `tenant_members` of `authSchema`, beside the users. With a user their
 * memberships are gone.
 *
 * @param database A D1 binding, or an adapter with its shape: the one that has the table `users`.
 *
 * @example
 * ```ts
 * import { authSchema, type SqlDatabase } from "@framework/auth/storage";
 * import { sqlite } from "@framework/auth/sqlite";
 * import { createSqlTenantMembers, defineTenancy } from "@framework/auth/tenant";
 * import { deepEqual } from "node:assert/strict";
 * import { DatabaseSync } from "node:sqlite";
 *
 * const tenancy = defineTenancy((env: { DB: SqlDatabase }) => ({
 *   strategy: "path",
 *   members: createSqlTenantMembers(env.DB),
 * }));
 *
 * using file = new DatabaseSync(":memory:"); // in the place of a D1 binding
 * file.exec(authSchema.up);
 * const members = createSqlTenantMembers(sqlite(file));
 * deepEqual(await members.listOfTenant("t1"), { members: [], cursor: null });
 * ```
 */
export function createSqlTenantMembers(database: SqlDatabase): TenantMembers {
  const { prepare, batch, repeat, once } = createSqlExecutor(database);
  const { dialect } = database;

  function change(operation: string, sql: string, values: string[]): Promise<number> {
    return repeat(operation, async () => changesOf(await prepare(sql).bind(...values).run()));
  }

  async function list(
    key: "tenantId" | "userId",
    value: string,
    options: ListOptions | undefined,
  ): Promise<MemberPage> {
    const { cursor, limit } = readListOptions(options);
    const rows = await repeat("list the members", async () => {
      return (await prepare(LIST[key]).bind(value, cursor, limit + 1).all<MemberRow>()).results;
    });
    const part = rows.slice(0, limit);
    const last = part.at(-1)?.[key === "userId" ? "user_id" : "tenant_id"];
    return {
      members: part.map(readMember).filter((member) => member !== null),
      cursor: rows.length > limit ? last as string : null,
    };
  }

  return {
    get(tenantId, userId) {
      return repeat("read the membership", async () => {
        return readMember(await prepare(GET).bind(tenantId, userId).first<MemberRow>());
      });
    },
    async add({ tenantId, userId, roles, createdAt }) {
      const values = [tenantId, userId, JSON.stringify(readRoles(roles)), createdAt.getTime()];
      try {
        return await once("add the member", async () => {
          return changesOf(await prepare(ADD).bind(...values).run()) > 0;
        });
      } catch (error) {
        if (!NO_SUCH_USER.test(String(error))) throw error;
        throw new UserUnavailableError("There is no such user", { cause: error });
      }
    },
    async setRoles(tenantId, userId, roles) {
      const values = [tenantId, userId, JSON.stringify(readRoles(roles))];
      return await change("change the roles", SET_ROLES, values) > 0;
    },
    async remove(tenantId, userId) {
      return await change("remove the member", REMOVE, [tenantId, userId]) > 0;
    },
    removeAll(tenantId) {
      return change("remove the members", REMOVE_ALL, [tenantId]);
    },
    hasOther(tenantId, userId, role) {
      return repeat("read the members", async () => {
        return await prepare(HAS_OTHER).bind(tenantId, userId, ...itemsOf(role)).first() !== null;
      });
    },
    async giveUp(tenantId, userId, { role, roles }) {
      const values = [tenantId, userId, ...itemsOf(role)];
      const change = roles === null
        ? prepare(GIVE_UP.membership).bind(...values)
        : prepare(GIVE_UP.role).bind(...values, JSON.stringify(readRoles(roles)));
      return await once("take the role", async () => {
        const results = await batch([
          ...dialect === undefined ? [] : [
            prepare(dialect.lockText).bind(`members of ${tenantId}`),
          ],
          change,
        ]);
        return changesOf(results.at(-1)) > 0;
      });
    },
    listOfTenant(tenantId, options) {
      return list("userId", tenantId, options);
    },
    listOfUser(userId, options) {
      return list("tenantId", userId, options);
    },
  };
}
