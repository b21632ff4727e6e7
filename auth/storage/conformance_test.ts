import { Miniflare } from "miniflare";
import { DatabaseSync } from "node:sqlite";
import { completeStorage } from "../tests/complete_storage.ts";
import { createD1Double } from "../tests/d1_double.ts";
import { REVOCATION_CASES } from "../tests/revocation_cases.ts";
import { STORAGE_CASES } from "../tests/storage_cases.ts";
import { createMemoryRevocationStore } from "./memory_revocations.ts";
import { createMemoryStorage } from "./memory_storage.ts";
import { authSchema } from "./schema.ts";
import type { SqlDatabase } from "./sql_database.ts";
import { createSqlRevocationStore } from "./sql_revocations.ts";
import { createSqlStorage } from "./sql_storage.ts";
import { createSqliteDatabase } from "./sqlite_database.ts";

/** Every case as work on an empty SQL database. */
const SQL_CASES: [name: string, run: (database: SqlDatabase) => Promise<void>][] = [
  ...Object.entries(STORAGE_CASES).map(([name, check]) =>
    [name, (database: SqlDatabase) => check(completeStorage(createSqlStorage(database)))] as const
  ),
  ...Object.entries(REVOCATION_CASES).map(([name, check]) =>
    [name, (database: SqlDatabase) => check(createSqlRevocationStore(database))] as const
  ),
].map(([name, run]) => [name, run]);

for (const [name, check] of Object.entries(STORAGE_CASES)) {
  Deno.test(`memory storage: ${name}`, () => check(createMemoryStorage()));
}
for (const [name, check] of Object.entries(REVOCATION_CASES)) {
  Deno.test(`memory storage: ${name}`, () => check(createMemoryRevocationStore()));
}

for (const [name, run] of SQL_CASES) {
  Deno.test(`SQL storage over a double of D1: ${name}`, async () => {
    const database = createD1Double();
    await run(database);
    database.close();
  });

  Deno.test(`SQL storage over node:sqlite: ${name}`, async () => {
    const file = new DatabaseSync(":memory:");
    file.exec(authSchema.up);
    await run(createSqliteDatabase(file));
    file.close();
  });
}

Deno.test({
  name: "SQL storage over D1 in workerd",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(test) {
    const miniflare = new Miniflare({
      modules: true,
      script: "export default { fetch() { return new Response() } }",
      d1Databases: Object.fromEntries(
        SQL_CASES.map((_, index) => [`DB${index}`, `db-${index}`]),
      ),
    });
    try {
      for (const [index, [name, run]] of SQL_CASES.entries()) {
        await test.step(name, async () => {
          const database = await miniflare.getD1Database(`DB${index}`);
          await database.batch(statementsOf(authSchema.up).map((sql) => database.prepare(sql)));
          await run(database as unknown as SqlDatabase);
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
