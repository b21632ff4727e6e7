import { Miniflare } from "miniflare";
import { DatabaseSync } from "node:sqlite";
import { authSchema } from "../storage/schema.ts";
import type { SqlDatabase } from "../storage/sql_database.ts";
import { createSqliteDatabase } from "../storage/sqlite_database.ts";
import { createD1Double } from "../tests/d1_double.ts";
import { createKeyValueDouble } from "../tests/key_value_double.ts";
import { MEMBER_CASES } from "../tests/member_cases.ts";
import { TENANT_CASES } from "../tests/tenant_cases.ts";
import { createKeyValueTenantStorage, type KeyValueNamespace } from "./key_value_tenants.ts";
import { runSqlCases, ticking } from "../tests/tenant_stores.ts";
import { createMemoryTenantMembers } from "./memory_members.ts";
import { createMemoryTenantStorage } from "./memory_tenants.ts";

for (const [name, check] of Object.entries(TENANT_CASES)) {
  Deno.test(`memory tenants: ${name}`, () => check(createMemoryTenantStorage({ now: ticking() })));

  Deno.test(`key-value tenants over a double of KV: ${name}`, async () => {
    const double = createKeyValueDouble();
    const now = ticking();
    // So slow that KV takes every write.
    const storage = createKeyValueTenantStorage(double.at("here"), {
      now: () => double.clock.now = now(),
    });
    double.limitsWrites = false;
    await check(storage);
  });
}

for (const [name, check] of Object.entries(MEMBER_CASES)) {
  Deno.test(`memory members: ${name}`, () => check(createMemoryTenantMembers()));
}

for (const [name, run] of runSqlCases()) {
  Deno.test(`SQL ${name}, over a double of D1`, async () => {
    const database = createD1Double();
    await run(database);
    database.close();
  });

  Deno.test(`SQL ${name}, over node:sqlite`, async () => {
    const file = new DatabaseSync(":memory:");
    file.exec(authSchema.up);
    await run(createSqliteDatabase(file));
    file.close();
  });
}

Deno.test({
  name: "SQL and key-value tenants in workerd",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(test) {
    const sql = runSqlCases();
    const keyValue = Object.entries(TENANT_CASES);
    const miniflare = new Miniflare({
      modules: true,
      script: "export default { fetch() { return new Response() } }",
      d1Databases: Object.fromEntries(sql.map((_, index) => [`DB${index}`, `db-${index}`])),
      kvNamespaces: Object.fromEntries(keyValue.map((_, index) => [`KV${index}`, `kv-${index}`])),
    });
    try {
      for (const [index, [name, run]] of sql.entries()) {
        await test.step(`SQL ${name}, over D1`, async () => {
          const database = await miniflare.getD1Database(`DB${index}`);
          const statements = authSchema.up.split(";").map((one) => one.trim()).filter(Boolean);
          await database.batch(statements.map((one) => database.prepare(one)));
          await run(database as unknown as SqlDatabase);
        });
      }
      for (const [index, [name, check]] of keyValue.entries()) {
        await test.step(`key-value tenants over KV: ${name}`, async () => {
          const namespace = await miniflare.getKVNamespace(`KV${index}`);
          const port = namespace as unknown as KeyValueNamespace;
          await check(createKeyValueTenantStorage(port, { now: ticking() }));
        });
      }
    } finally {
      await miniflare.dispose();
    }
  },
});
