import assert from "node:assert/strict";
import { deviceBindingGroup } from "./device_bindings.ts";
import { ConfigurationError } from "../errors.ts";
import { createD1Double } from "../tests/d1_double.ts";
import { record } from "../../testing/storage/records.ts";
import { accountGroup, linkedAccountGroup } from "./accounts.ts";
import { activityGroup } from "./activity.ts";
import { administrationGroup } from "./users.ts";
import { apiKeyGroup } from "./api_keys.ts";
import { auditGroup } from "./audit.ts";
import { directoryGroup } from "./directory.ts";
import { endingGroup } from "./endings.ts";
import type { StorageGroup } from "./group.ts";
import { provideGroups, type StorageGroups } from "./provide_groups.ts";
import { knownBrowserGroup } from "./known_browsers.ts";
import { rateLimitGroup } from "./rate_limits.ts";
import { savedUserGroup } from "./saved_users.ts";
import { sessionListGroup } from "./sessions.ts";
import { impersonationGroup } from "./impersonations.ts";
import { teamGroup } from "./teams.ts";
import { joinGroup, transactionGroup } from "./transactions.ts";
import { createMemoryStorage } from "./memory.ts";
import { createNoStorage, groupOf, type Storage } from "./storage.ts";
import { outboxGroup } from "./outbox.ts";
import { passkeyGroup } from "./passkeys.ts";
import { passwordGroup } from "./passwords.ts";
import { sealedGroup } from "./sealed.ts";
import { secondFactorGroup } from "./second_factors.ts";
import { secretGroup } from "./secrets.ts";
import { sentSecretGroup } from "./sent_secrets.ts";
import { createSqlStorage } from "./sql.ts";
import { webhookEndpointGroup } from "./webhook_endpoints.ts";

Deno.test("groupOf() gives a storage's own operations", () => {
  const storage = createMemoryStorage();
  assert.equal(groupOf(storage, secretGroup), storage);
  assert.equal(groupOf(storage, sentSecretGroup), storage);
  assert.equal(groupOf(storage, accountGroup), storage);
  assert.equal(groupOf(storage, linkedAccountGroup), storage);
  assert.equal(groupOf(storage, passkeyGroup), storage);
  assert.equal(groupOf(storage, activityGroup), storage);
  assert.equal(groupOf(storage, administrationGroup), storage);
});

Deno.test("groupOf() gives the SQL storage what it lacks, also one that an application has wrapped", async () => {
  const database = createD1Double();
  const plain = createSqlStorage(database);
  assert.equal("findAccount" in plain, false);
  const wrapped: Storage = { ...plain, getUser: () => Promise.resolve(null) };
  await wrapped.createUser(record({ id: "ada", email: "ada@example.com" }));
  assert.equal((await groupOf(wrapped, accountGroup).getUserByEmail("ada@example.com"))?.id, "ada");
  assert.equal(await groupOf(wrapped, administrationGroup).enableUser("ada", 1), true);
  assert.equal(await groupOf(wrapped, passkeyGroup).getPasskey("key"), null);
  assert.deepEqual(
    await groupOf(wrapped, activityGroup).listActivity("ada", { since: 0, limit: 1 }),
    [],
  );
  assert.equal(await groupOf(wrapped, secretGroup).readSecret("email", "h", 1), null);
  const attempt = { now: 1, max: 1 };
  assert.equal(await groupOf(wrapped, sentSecretGroup).countAttempt("email", "h", attempt), null);
  assert.deepEqual(await groupOf(wrapped, linkedAccountGroup).listAccounts("ada"), []);
  database.close();
});

Deno.test("groupOf() says what a storage lacks", () => {
  const { group: _, ...without } = createMemoryStorage();
  const some = { ...without, group: provideGroups({ accounts: createMemoryStorage() }) };
  for (const storage of [without, some, createNoStorage()]) {
    assert.throws(
      () => groupOf(storage, secretGroup),
      (error) =>
        error instanceof ConfigurationError && error.field === "database" &&
        error.message.includes("provideGroups({ secrets })"),
    );
  }
});

Deno.test("provideGroups() gives a storage of one's own its groups, and none by an inherited name", () => {
  const { group: _, ...own } = createMemoryStorage();
  const storage: Storage = { ...own, group: provideGroups({ accounts: own, passkeys: own }) };
  assert.equal(groupOf(storage, accountGroup), own);
  assert.equal(groupOf(storage, passkeyGroup), own);
  const inherited: StorageGroup<unknown> = { name: "toString", sql: () => null };
  for (const made of [storage, createMemoryStorage()]) assert.equal(made.group!(inherited), null);
});

Deno.test("every group of StorageGroups has its value, of that name, over SQL and but for one in memory", () => {
  const values: Record<keyof StorageGroups, StorageGroup<unknown>> = {
    accounts: accountGroup,
    activity: activityGroup,
    administration: administrationGroup,
    audit: auditGroup,
    deviceBindings: deviceBindingGroup,
    apiKeys: apiKeyGroup,
    directory: directoryGroup,
    endings: endingGroup,
    impersonations: impersonationGroup,
    joinedTransactions: joinGroup,
    knownBrowsers: knownBrowserGroup,
    linkedAccounts: linkedAccountGroup,
    outbox: outboxGroup,
    passkeys: passkeyGroup,
    passwords: passwordGroup,
    rateLimits: rateLimitGroup,
    savedUsers: savedUserGroup,
    sealed: sealedGroup,
    secondFactors: secondFactorGroup,
    secrets: secretGroup,
    sentSecrets: sentSecretGroup,
    sessionList: sessionListGroup,
    teams: teamGroup,
    transactions: transactionGroup,
    webhookEndpoints: webhookEndpointGroup,
  };
  const database = createD1Double();
  const [memory, sql] = [createMemoryStorage(), createSqlStorage(database)];
  for (const [name, group] of Object.entries(values)) {
    assert.equal(group.name, name);
    const operations = groupOf(sql, group) as Record<string, unknown>;
    if (group === transactionGroup || group === joinGroup) {
      assert.throws(() => groupOf(memory, group), ConfigurationError);
      continue;
    }
    const own = groupOf(memory, group) as Record<string, unknown>;
    for (const operation of Object.keys(operations)) {
      assert.equal(typeof own[operation], "function", operation);
    }
  }
  database.close();
});

Deno.test("a transaction of the SQL storage runs nothing before it is used, and then all or nothing", async () => {
  const database = createD1Double();
  database.sqlite.exec("CREATE TABLE notes (text TEXT UNIQUE)");
  const storage = createSqlStorage(database);
  const note = (text: string) => database.prepare("INSERT INTO notes VALUES (?1)").bind(text);
  const count = (table: string) =>
    database.sqlite.prepare(`SELECT count(*) AS n FROM ${table}`).get()!.n;
  const within = groupOf(storage, transactionGroup).transaction([note("a"), note("b")]);
  assert.equal(count("notes"), 0);
  await storage.createUser(record({ id: "ada" }), { within });
  assert.deepEqual([count("notes"), count("users")], [2, 1]);
  await assert.rejects(storage.createUser(record({ id: "eve" }), { within }), /UNIQUE/);
  assert.deepEqual([count("notes"), count("users")], [2, 1]);
  database.close();
});
