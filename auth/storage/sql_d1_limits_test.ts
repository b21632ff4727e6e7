import assert from "node:assert/strict";
import { Miniflare } from "miniflare";
import { StorageUnavailableError } from "../errors.ts";
import { HOUR, NOW, record, session } from "../../testing/storage/records.ts";
import { accountGroup, linkedAccountGroup } from "./accounts.ts";
import { passkeyGroup } from "./passkeys.ts";
import { savedUserGroup } from "./saved_users.ts";
import { authSchema } from "./schema.ts";
import { secretGroup } from "./secrets.ts";
import { sentSecretGroup } from "./sent_secrets.ts";
import { sessionListGroup } from "./sessions.ts";
import type { SqlDatabase, SqlStatement } from "./sql_database.ts";
import { createSqlStorage } from "./sql.ts";
import * as text from "./statements.ts";
import { administrationGroup } from "./users.ts";
import { groupOf } from "./storage.ts";
import { disposeMiniflare } from "../../tests/support/dispose_miniflare.ts";

/** The statements of the operations that a storage is given, as the database gets them. */
async function groupStatements(): Promise<string[]> {
  const statements = new Set<string>();
  const nothing = { results: [], meta: {} };
  const statement: SqlStatement = {
    bind: () => statement,
    first: () => Promise.resolve(null),
    all: () => Promise.resolve(nothing),
    run: () => Promise.resolve(nothing),
  };
  const database: SqlDatabase = {
    prepare(sql) {
      statements.add(sql);
      return statement;
    },
    batch: (all) => Promise.resolve(all.map(() => nothing)),
  };
  const storage = createSqlStorage(database);
  for (
    const group of [
      groupOf(storage, administrationGroup),
      groupOf(storage, secretGroup),
      groupOf(storage, sentSecretGroup),
      groupOf(storage, accountGroup),
      groupOf(storage, linkedAccountGroup),
      groupOf(storage, passkeyGroup),
      groupOf(storage, savedUserGroup),
      groupOf(storage, sessionListGroup),
    ]
  ) {
    const operations = Object.values(group) as ((...values: unknown[]) => Promise<unknown>)[];
    for (const operation of operations) {
      // Each takes this for what it needs: nothing is looked at on the way to the database.
      const options = {
        roles: {},
        user: {},
        identifier: "a",
        keep: 1,
        transports: [],
        toString: () => "a",
      };
      const work = async () => await operation(options, options, options, options);
      await work().catch(() => {});
    }
  }
  return [...statements];
}

// Tracks: F17
Deno.test("every statement of the SQL storage is short and binds few values", async () => {
  const groups = await groupStatements();
  assert.ok(groups.length > 20, String(groups.length));
  const fixed = Object.values(text).flat().filter((value) => typeof value === "string");
  const userColumns = Array.from({ length: 100 }, (_, index) => `column_${index}`);
  const built = Object.values(text.createUserStatements({ userColumns }))
    .filter((value) => typeof value === "string");
  assert.ok(fixed.length > 10, String(fixed.length));
  for (const sql of [...fixed, ...built, ...groups]) {
    assert.ok(sql.length < 10_000, sql);
    const places = [...sql.matchAll(/\?(\d+)/g)].map(([, place]) => Number(place));
    assert.ok(Math.max(0, ...places) <= 20, sql);
  }
});

// Tracks: F17
Deno.test({
  name: "SQL storage stays within the limits of D1, and meets them with a typed error",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const miniflare = new Miniflare({
      modules: true,
      script: "export default { fetch() { return new Response() } }",
      d1Databases: { DB: "limits" },
    });
    try {
      const database = await miniflare.getD1Database("DB");
      const statements = authSchema.up.split(/;\n/).map((sql) => sql.trim()).filter(Boolean);
      await database.batch(statements.map((sql) => database.prepare(sql)));
      const storage = createSqlStorage(database as unknown as SqlDatabase);
      await storage.createUser(record({ id: "ada", role: "member" }));

      const many = Array.from({ length: 10_000 }, (_, index) => `role-${index}`);
      const user = await groupOf(storage, administrationGroup).setUserRoles("ada", {
        roles: { roles: many },
        at: NOW,
      });
      assert.deepEqual(user?.roles, many);

      // A row of D1 holds 2 MB.
      const huge = Array.from({ length: 300_000 }, (_, index) => `role-${index}`);
      await assert.rejects(
        groupOf(storage, administrationGroup).setUserRoles("ada", {
          roles: { role: "admin", roles: huge },
          at: NOW,
        }),
        StorageUnavailableError,
      );
      const name = "n".repeat(3_000_000);
      await assert.rejects(
        storage.insertSession(session("s1", "ada"), { owner: record({ id: "ada", name }) }),
        StorageUnavailableError,
      );
      assert.equal((await storage.getUser("ada"))?.role, "member");
      assert.equal(await storage.readSession("hash-of-s1"), null);

      await database.prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
         INSERT INTO sessions SELECT 's' || i, 'h' || i, 'ada', NULL, NULL, 1, 1, 1, ?1, NULL FROM n`,
      ).bind(NOW + HOUR).run();
      assert.equal(
        (await groupOf(storage, sessionListGroup).listSessions("ada", { now: NOW, limit: 100 }))
          .length,
        100,
      );
      assert.equal(await storage.deleteSessions("ada", { exceptId: "s7" }), 4999);
    } finally {
      await disposeMiniflare(miniflare);
    }
  },
});
