import assert from "node:assert/strict";
import { ConfigurationError } from "../errors.ts";
import { createD1Double } from "../tests/d1_double.ts";
import { record } from "../tests/storage_records.ts";
import { accountsOf, linkedAccountsOf } from "./accounts.ts";
import { activityOf } from "./activity.ts";
import { administrationOf } from "./administration.ts";
import { createMemoryStorage } from "./memory.ts";
import { createNoStorage, type Storage } from "./storage.ts";
import { passkeysOf } from "./passkeys.ts";
import { secretsOf } from "./secrets.ts";
import { sentSecretsOf } from "./sent_secrets.ts";
import { createSqlStorage } from "./sql.ts";

Deno.test("groupOf() gives a storage's own operations", () => {
  const storage = createMemoryStorage();
  assert.equal(secretsOf(storage), storage);
  assert.equal(sentSecretsOf(storage), storage);
  assert.equal(accountsOf(storage), storage);
  assert.equal(linkedAccountsOf(storage), storage);
  assert.equal(passkeysOf(storage), storage);
  assert.equal(activityOf(storage), storage);
  assert.equal(administrationOf(storage), storage);
});

Deno.test("groupOf() gives the SQL storage what it lacks, also one that an application has wrapped", async () => {
  const database = createD1Double();
  const plain = createSqlStorage(database);
  assert.equal("findAccount" in plain, false);
  const wrapped: Storage = { ...plain, getUser: () => Promise.resolve(null) };
  await wrapped.createUser(record({ id: "ada", email: "ada@example.com" }));
  assert.equal((await accountsOf(wrapped).getUserByEmail("ada@example.com"))?.id, "ada");
  assert.equal(await administrationOf(wrapped).enableUser("ada", 1), true);
  assert.equal(await passkeysOf(wrapped).getPasskey("key"), null);
  assert.deepEqual(await activityOf(wrapped).listActivity("ada", { since: 0, limit: 1 }), []);
  assert.equal(await secretsOf(wrapped).readSecret("email", "h", 1), null);
  const attempt = { now: 1, max: 1 };
  assert.equal(await sentSecretsOf(wrapped).countAttempt("email", "h", attempt), null);
  assert.deepEqual(await linkedAccountsOf(wrapped).listAccounts("ada"), []);
  database.close();
});

Deno.test("groupOf() says what a storage lacks", () => {
  const { putSecret: _, ...without } = createMemoryStorage();
  for (const storage of [without, createNoStorage()]) {
    assert.throws(
      () => secretsOf(storage),
      (error) =>
        error instanceof ConfigurationError && error.field === "database" &&
        error.message.includes("putSecret()"),
    );
  }
});
