import { UserUnavailableError } from "../errors/storage_errors.ts";
import type { SqlDatabase } from "../storage/sql_database.ts";
import { changesOf, createSqlExecutor } from "../storage/sql_executor.ts";
import { readListOptions } from "./list_options.ts";
import { readRoles } from "./members.ts";
import type { ListOptions, Member, MemberPage, TenantMembers } from "./tenant.ts";

// D1 (SQLite) and PostgreSQL.
const NO_SUCH_USER = /FOREIGN KEY constraint failed|violates foreign key constraint/i;

const COLUMNS = "tenant_id, user_id, roles, created_at";
const GET = `SELECT ${COLUMNS} FROM tenant_members WHERE tenant_id = ?1 AND user_id = ?2`;
const ADD = `INSERT INTO tenant_members (${COLUMNS}) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (tenant_id, user_id) DO NOTHING`;
const SET_ROLES = "UPDATE tenant_members SET roles = ?3 WHERE tenant_id = ?1 AND user_id = ?2";
const REMOVE = "DELETE FROM tenant_members WHERE tenant_id = ?1 AND user_id = ?2";
const REMOVE_ALL = "DELETE FROM tenant_members WHERE tenant_id = ?1";
const LIST = {
  userId: `SELECT ${COLUMNS} FROM tenant_members
WHERE tenant_id = ?1 AND user_id > ?2 ORDER BY user_id LIMIT ?3`,
  tenantId: `SELECT ${COLUMNS} FROM tenant_members
WHERE user_id = ?1 AND tenant_id > ?2 ORDER BY tenant_id LIMIT ?3`,
};

type Row = Record<string, unknown>;

/** The membership in a row; one whose row cannot be read is none. */
function readMember(row: Row | null): Member | null {
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
 * import { createSqliteDatabase } from "@framework/auth/storage-sqlite";
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
 * const members = createSqlTenantMembers(createSqliteDatabase(file));
 * deepEqual(await members.listOfTenant("t1"), { members: [], cursor: null });
 * ```
 */
export function createSqlTenantMembers(database: SqlDatabase): TenantMembers {
  const { prepare, repeat, once } = createSqlExecutor(database);

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
      return (await prepare(LIST[key]).bind(value, cursor, limit + 1).all<Row>()).results;
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
        return readMember(await prepare(GET).bind(tenantId, userId).first<Row>());
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
    listOfTenant(tenantId, options) {
      return list("userId", tenantId, options);
    },
    listOfUser(userId, options) {
      return list("tenantId", userId, options);
    },
  };
}
