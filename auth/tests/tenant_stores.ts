import { createSqlTenantMembers, createSqlTenantStorage } from "../tenant/sql.ts";
import { MEMBER_CASES } from "./member_cases.ts";
import type { SqlCase } from "./sql_storage_cases.ts";
import { TENANT_CASES } from "./tenant_cases.ts";

/** A clock that goes on by a second with every look. */
export function ticking(start: number = Date.UTC(2026, 0, 1)): () => number {
  let now = start;
  return () => now += 1000;
}

/** Every case as work on an empty SQL database. */
export const SQL_TENANT_CASES: Record<string, SqlCase> = {
  ...Object.fromEntries(
    Object.entries(TENANT_CASES).map(([name, check]): [string, SqlCase] => [
      `tenants: ${name}`,
      (database) => check(createSqlTenantStorage(database, { now: ticking() })),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(MEMBER_CASES).map(([name, check]): [string, SqlCase] => [
      `members: ${name}`,
      async (database) => {
        for (const id of ["ada", "bob", "cy"]) {
          await database.prepare("INSERT INTO users (id) VALUES (?1)").bind(id).run();
        }
        await check(createSqlTenantMembers(database));
      },
    ]),
  ),
};
