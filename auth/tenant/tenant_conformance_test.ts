import { DatabaseSync } from "node:sqlite";
import { authSchema } from "../storage/schema.ts";
import { sqlite } from "../storage/sqlite.ts";
import { createD1Double } from "../tests/d1_double.ts";
import { createKeyValueDouble } from "../tests/key_value_double.ts";
import { MEMBER_CASES } from "../tests/member_cases.ts";
import { TENANT_CASES } from "../tests/tenant_cases.ts";
import { createKeyValueTenantStorage } from "./kv.ts";
import { SQL_TENANT_CASES, ticking } from "../tests/tenant_stores.ts";
import { createMemoryTenantMembers, createMemoryTenantStorage } from "./memory.ts";

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

for (const [name, run] of Object.entries(SQL_TENANT_CASES)) {
  Deno.test(`SQL ${name}, over a double of D1`, async () => {
    const database = createD1Double();
    await run(database);
    database.close();
  });

  Deno.test(`SQL ${name}, over node:sqlite`, async () => {
    const file = new DatabaseSync(":memory:");
    file.exec(authSchema.up);
    await run(sqlite(file));
    file.close();
  });
}
