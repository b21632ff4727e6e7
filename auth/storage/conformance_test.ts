import { DatabaseSync } from "node:sqlite";
import { runInWorkerd } from "../tests/conformance_in_workerd.ts";
import { createD1Double } from "../tests/d1_double.ts";
import { REVOCATION_CASES } from "../tests/revocation_cases.ts";
import { SQL_STORAGE_CASES } from "../tests/sql_storage_cases.ts";
import { STORAGE_CASES } from "../tests/storage_cases.ts";
import { createMemoryRevocationStore } from "./revocations.ts";
import { createMemoryStorage } from "./memory.ts";
import { authSchema } from "./schema.ts";
import { createSqliteDatabase } from "./sqlite.ts";

for (const [name, check] of Object.entries(STORAGE_CASES)) {
  Deno.test(`memory storage: ${name}`, () => check(createMemoryStorage()));
}
for (const [name, check] of Object.entries(REVOCATION_CASES)) {
  Deno.test(`memory storage: ${name}`, () => check(createMemoryRevocationStore()));
}

for (const [name, run] of Object.entries(SQL_STORAGE_CASES)) {
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
  fn: (test) => runInWorkerd(test, [{ suite: "storage", kind: "d1Databases" }]),
});
