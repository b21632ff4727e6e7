import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { ConfigurationError } from "../errors.ts";
import { createAuth } from "../app/create_auth.ts";
import { createMemoryStorage } from "./memory.ts";
import { sqlite } from "./sqlite.ts";
import type { SqlDatabase } from "./sql_database.ts";
import { readUserColumns } from "./rows.ts";

Deno.test("readUserColumns() takes names of columns", () => {
  assert.deepEqual(readUserColumns(undefined), []);
  assert.deepEqual(readUserColumns(["plan", "customerId", "seats_2"]), [
    "plan",
    "customerId",
    "seats_2",
  ]);
});

Deno.test("readUserColumns() throws when a name is none, is taken or comes twice", () => {
  const wrong: unknown[] = [
    "plan",
    { plan: true },
    [""],
    [5],
    ["pl an"],
    ['plan" FROM users; --'],
    ["plän"],
    ["2fa"],
    ["__proto__"],
    ["constructor"],
    ["toString"],
    ["a".repeat(64)],
    ["id"],
    ["ROLES"],
    ["emailVerified"],
    ["email_verified"],
    ["session_id"],
    ["tenant_id"],
    ["expires_at"],
    ["plan", "plan"],
  ];
  for (const value of wrong) {
    assert.throws(
      () => readUserColumns(value),
      (error) => error instanceof ConfigurationError && /^userColumns/.test(error.field!),
      JSON.stringify(value),
    );
  }
});

Deno.test("createAuth() refuses userColumns that would have no effect or are no columns", () => {
  for (
    const options of [
      { database: createMemoryStorage(), userColumns: ["plan"] },
      { database: createD1Shape(), userColumns: ["id"] },
      { database: createD1Shape(), userColumns: null as never },
      { database: createD1Shape(), userColumns: "" as never },
    ]
  ) {
    assert.throws(
      () => createAuth(options),
      (error) => error instanceof ConfigurationError && /^userColumns/.test(error.field!),
    );
  }
  createAuth({ database: createD1Shape(), userColumns: ["plan"] });
  createAuth({ database: createMemoryStorage(), userColumns: [] });
});

function createD1Shape(): SqlDatabase {
  function refuse(): never {
    throw new Error("not asked");
  }
  return { prepare: refuse, batch: refuse };
}

Deno.test("auth says at the start which column of userColumns users lacks, and goes on serving", async () => {
  const lines: unknown[] = [];
  using file = new DatabaseSync(":memory:");
  const auth = createAuth({
    database: sqlite(file),
    userColumns: ["plan"],
    logger: { info() {}, warn() {}, error: (...line) => void lines.push(line) },
  });
  const ask = async () => {
    const work: Promise<unknown>[] = [];
    const info = { waitUntil: (one: Promise<unknown>) => void work.push(one) };
    const response = await auth.handle(new Request("http://localhost/auth/session"), {}, info);
    await Promise.all(work);
    return response?.status;
  };
  await auth.migrate();
  assert.equal(await ask(), 200);
  assert.match(JSON.stringify(lines, replaceError), /ALTER TABLE users ADD COLUMN plan TEXT/);
  assert.equal(lines.length, 1);
  file.exec("ALTER TABLE users ADD COLUMN plan TEXT");
  assert.equal(await ask(), 200);
  assert.equal(await auth.storage({}).getUser("nobody"), null);
});

function replaceError(_key: string, value: unknown): unknown {
  return value instanceof Error ? value.message : value;
}
