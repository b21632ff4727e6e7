import assert from "node:assert/strict";
import { createD1Double } from "../tests/d1_double.ts";
import { createMemoryStorage } from "./memory.ts";
import { createSqlStorage } from "./sql.ts";
import { databaseKeyOf } from "./database_key.ts";

// Tracks: OP-14
Deno.test("databaseKeyOf() is what the tables hold, read once for each storage", async () => {
  const database = createD1Double();
  const storage = createSqlStorage(database);
  const { key } = database.sqlite.prepare("SELECT key FROM auth_schema").get()!;
  const { trips } = database;
  for (let round = 0; round < 3; round++) assert.equal(await databaseKeyOf(storage), key);
  assert.equal(database.trips - trips, 1);
  assert.equal(await databaseKeyOf(createSqlStorage(database)), key);
  database.close();
});

Deno.test("databaseKeyOf() of a storage without tables lives as long as that", async () => {
  const storage = createMemoryStorage();
  const key = await databaseKeyOf(storage);
  assert.match(key, /^[0-9a-f]{64}$/);
  assert.equal(await databaseKeyOf(storage), key);
  assert.notEqual(await databaseKeyOf(createMemoryStorage()), key);
});

Deno.test("databaseKeyOf() asks again when the database has not answered", async () => {
  const database = createD1Double();
  const storage = createSqlStorage(database);
  database.fail = "D1 DB is overloaded";
  const passing = await databaseKeyOf(storage);
  database.fail = undefined;
  const { key } = database.sqlite.prepare("SELECT key FROM auth_schema").get()!;
  assert.notEqual(passing, key);
  assert.equal(await databaseKeyOf(storage), key);
  database.close();
});
