import assert from "node:assert/strict";
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
  // Tracks: R182
  "members: giveUp() and hasOther() pass over who is disabled": async (database) => {
    for (const [id, disabledAt] of [["ada", null], ["bob", 1]] as const) {
      const row = [id, disabledAt];
      await database.prepare("INSERT INTO users (id, disabled_at) VALUES (?1, ?2)").bind(...row)
        .run();
    }
    const members = createSqlTenantMembers(database);
    for (const userId of ["ada", "bob"]) {
      await members.add({ tenantId: "t1", userId, roles: ["owner"], createdAt: new Date(0) });
    }
    assert.equal(await members.hasOther!("t1", "ada", "owner"), false);
    for (const roles of [null, ["editor"]]) {
      assert.equal(await members.giveUp!("t1", "ada", { role: "owner", roles }), false);
    }
    assert.deepEqual((await members.get("t1", "ada"))?.roles, ["owner"]);
    assert.equal(await members.hasOther!("t1", "bob", "owner"), true);
    assert.equal(await members.giveUp!("t1", "bob", { role: "owner", roles: null }), true);
    assert.equal(await members.get("t1", "bob"), null);
  },
};
