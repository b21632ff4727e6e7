import { Miniflare } from "miniflare";
import { createD1Double } from "../tests/d1_double.ts";
import { STORAGE_CASES } from "../tests/storage_cases.ts";
import { createMemoryStorage } from "./memory_storage.ts";
import { authSchema } from "./schema.ts";
import type { SqlDatabase } from "./sql_database.ts";
import { createSqlStorage } from "./sql_storage.ts";

for (const [name, check] of Object.entries(STORAGE_CASES)) {
  Deno.test(`memory storage: ${name}`, () => check(createMemoryStorage()));

  Deno.test(`SQL storage over node:sqlite: ${name}`, async () => {
    const database = createD1Double();
    await check(createSqlStorage(database));
    database.close();
  });
}

Deno.test({
  name: "SQL storage over D1 in workerd",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(test) {
    const names = Object.keys(STORAGE_CASES);
    const miniflare = new Miniflare({
      modules: true,
      script: "export default { fetch() { return new Response() } }",
      d1Databases: Object.fromEntries(names.map((_, index) => [`DB${index}`, `db-${index}`])),
    });
    try {
      for (const [index, name] of names.entries()) {
        await test.step(name, async () => {
          const database = await miniflare.getD1Database(`DB${index}`);
          await database.batch(statementsOf(authSchema.up).map((sql) => database.prepare(sql)));
          await STORAGE_CASES[name]!(createSqlStorage(database as unknown as SqlDatabase));
        });
      }
    } finally {
      await miniflare.dispose();
    }
  },
});

/** The statements of the schema, which has no semicolon inside of one. */
function statementsOf(sql: string): string[] {
  return sql.split(";").map((one) => one.trim()).filter((one) => one !== "");
}
