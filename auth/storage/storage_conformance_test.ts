import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createD1Double } from "../tests/d1_double.ts";
import { REVOCATION_CASES } from "../tests/revocation_cases.ts";
import { SQL_STORAGE_CASES } from "../tests/sql_storage_cases.ts";
import { casesFor, withOwnGroups } from "../tests/storage_case_groups.ts";
import { STORAGE_CASES } from "../tests/storage_cases.ts";
import { createMemoryRevocationStore } from "./revocations.ts";
import { provideGroups } from "./provide_groups.ts";
import type { PasskeyStorage } from "./passkeys.ts";
import type { Storage } from "./storage.ts";
import { createMemoryStorage } from "./memory.ts";
import { authSchema } from "./schema.ts";
import { sqlite } from "./sqlite.ts";

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
    await run(sqlite(file));
    file.close();
  });
}

/** Users and sessions of the storage in memory, with passkeys as the only group. */
function createOwnStorage(change: Partial<PasskeyStorage> = {}): Storage {
  const memory = createMemoryStorage();
  const passkeys: PasskeyStorage = {
    preparePasskey: memory.preparePasskey,
    preparePasskeyUse: memory.preparePasskeyUse,
    insertPasskey: memory.insertPasskey,
    getPasskey: memory.getPasskey,
    listPasskeys: memory.listPasskeys,
    hasPasskey: memory.hasPasskey,
    listPasskeyIds: memory.listPasskeyIds,
    renamePasskey: memory.renamePasskey,
    advancePasskey: memory.advancePasskey,
    deletePasskey: memory.deletePasskey,
    ...change,
  };
  return {
    createUser: memory.createUser,
    getUser: memory.getUser,
    getActiveUser: memory.getActiveUser,
    credentialsCount: memory.credentialsCount,
    insertSession: memory.insertSession,
    readSession: memory.readSession,
    renewSession: memory.renewSession,
    deleteSession: memory.deleteSession,
    deleteSessions: memory.deleteSessions,
    sweep: memory.sweep,
    group: provideGroups({ passkeys }),
  };
}

Deno.test("a storage of one's own runs the cases of the groups that it has", async () => {
  const all = Object.keys(STORAGE_CASES);
  assert.deepEqual(Object.keys(await casesFor(createMemoryStorage())), all);
  const { group: _, ...plain } = createOwnStorage();
  const [base, own] = [await casesFor(plain), await casesFor(createOwnStorage())];
  assert.ok(Object.keys(base).length >= 5, Object.keys(base).join("\n"));
  const added = Object.keys(own).filter((name) => !(name in base));
  assert.ok(added.some((name) => name.startsWith("renamePasskey()")), added.join("\n"));
  for (const name of added) assert.match(name, /[Pp]asskey/);
  assert.ok(Object.keys(own).length < all.length);
  for (const check of Object.values(own)) await check(withOwnGroups(createOwnStorage()));
});

Deno.test("a group that does not do what it must fails its cases", async () => {
  const broken = () => createOwnStorage({ renamePasskey: () => Promise.resolve(true) });
  const failed: string[] = [];
  for (const [name, check] of Object.entries(await casesFor(broken()))) {
    await check(withOwnGroups(broken())).catch(() => failed.push(name));
  }
  assert.ok(failed.length > 0);
});
