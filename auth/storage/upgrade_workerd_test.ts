import { Miniflare } from "miniflare";
import assert from "node:assert/strict";
import { disposeMiniflare } from "../../tests/support/dispose_miniflare.ts";
import { SQLITE_VERSION_1 } from "../tests/schema_version_1.ts";
import { UPGRADE_CASES } from "../tests/upgrade_cases.ts";
import { authSchema } from "./schema.ts";
import type { SqlDatabase } from "./sql_database.ts";
import { upgradeTables } from "./upgrade.ts";

const { steps } = authSchema;

/** The binding as a plain object, of which the cases make others. */
function methodsOf(database: SqlDatabase): SqlDatabase {
  return {
    prepare: (sql) => database.prepare(sql),
    batch: (statements) => database.batch(statements),
  };
}

// Tracks: F48, OP-06
Deno.test({
  name: "upgradeTables() does on D1 what it does on SQLite",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(test) {
    const databases = Object.keys(UPGRADE_CASES).map((_, index) => `DB${index}`);
    const miniflare = new Miniflare({
      modules: true,
      script: "export default { fetch() { return new Response() } }",
      d1Databases: [...databases, "EMPTY"],
    });
    try {
      for (const [index, [name, check]] of Object.entries(UPGRADE_CASES).entries()) {
        await test.step(name, async () => {
          const database = await miniflare.getD1Database(databases[index]!) as never as SqlDatabase;
          const tables = SQLITE_VERSION_1.split(/;\n/).filter((sql) => sql.trim() !== "");
          await database.batch(tables.map((sql) => database.prepare(sql)));
          await check({ database: { ...methodsOf(database) }, steps });
        });
      }
      await test.step("an empty database is given the tables", async () => {
        const database = await miniflare.getD1Database("EMPTY") as never as SqlDatabase;
        assert.deepEqual(await upgradeTables(database), { from: null, to: authSchema.version });
        assert.deepEqual(await upgradeTables(database), {
          from: authSchema.version,
          to: authSchema.version,
        });
      });
    } finally {
      await disposeMiniflare(miniflare);
    }
  },
});
