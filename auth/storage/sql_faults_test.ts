import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { ConfigurationError, StorageUnavailableError } from "../errors.ts";
import type { CompleteStorage } from "../../testing/storage/complete_storage.ts";
import { countOf, RENEWAL, withBench } from "../tests/storage_bench.ts";
import {
  account,
  NOW,
  passkey,
  record,
  secret,
  session,
  WAYS,
} from "../../testing/storage/records.ts";
import { authSchema } from "./schema.ts";
import { sqlite } from "./sqlite.ts";
import { createSqlStorage } from "./sql.ts";

const TABLES = [
  "users",
  "sessions",
  "accounts",
  "verifications",
  "passkeys",
  "account_activity",
];

const MAILBOX = { emailIdentity: "ada@example.com", at: NOW };

// Tracks: F19, K2
Deno.test("createSqlStorage() takes a corrupt row for absent and reports it, whatever is in whichever column", async () => {
  const values = [
    "x'00ff'",
    "'text'",
    "'{'",
    "'[1]'",
    "-1.5",
    "1e300",
    "9007199254740993",
    "8640000000000001",
    "printf('%.*c', 100000, 'x')",
  ];
  await withBench(async ({ file, storage, log }) => {
    let reported = 0;
    for (const table of TABLES) {
      for (const { name } of file.prepare(`SELECT name FROM pragma_table_info('${table}')`).all()) {
        for (const value of values) {
          file.exec("SAVEPOINT healthy");
          try {
            // What the columns' own rules refuse cannot be in a row.
            file.exec(`PRAGMA defer_foreign_keys = ON; UPDATE ${table} SET ${name} = ${value}`);
          } catch {
            file.exec("ROLLBACK TO healthy; RELEASE healthy");
            continue;
          }
          log.length = 0;
          const stored = await storage.readSession("hash-of-s1");
          const listed = await storage.listSessions("ada", { now: NOW, limit: 5 });
          const user = await storage.getUser("ada");
          const where = `${table}.${name} = ${value}`;
          const account = await storage.findAccount("code", "id-of-ada");
          const [listedAccount] = await storage.listAccounts("ada");
          for (const one of [account, listedAccount ?? null]) {
            if (one !== null) assert.equal(typeof one.userId, "string", where);
            if (one !== null) assert.ok(Number.isSafeInteger(one.updatedAt), where);
          }
          const passkey = await storage.getPasskey("key");
          if (passkey !== null) {
            assert.ok(Number.isSafeInteger(passkey.counter), where);
            assert.ok(passkey.transports.every((one) => typeof one === "string"), where);
            assert.equal(typeof passkey.publicKey, "string", where);
          }
          const taken = await storage.takeSecret("email", "h1", { now: NOW });
          if (taken !== null) assert.ok(Number.isSafeInteger(taken.attempts), where);
          for (const one of await storage.listActivity("ada", { since: 0, limit: 5 })) {
            assert.ok(Number.isSafeInteger(one.at) && typeof one.type === "string", where);
          }
          for (const one of listed) assert.ok(Number.isSafeInteger(one.expiresAt), where);
          if (stored !== null) {
            assert.equal(typeof stored.user.id, "string", where);
            assert.ok(Number.isFinite(new Date(stored.session.expiresAt).getTime()), where);
          }
          if (user !== null) assert.equal(user.id, "ada", where);
          for (const line of log) {
            assert.equal(line.event, "stored-row-corrupt");
            if (table !== "sessions") assert.equal(line.column, name, where);
            reported++;
          }
          file.exec("ROLLBACK TO healthy; RELEASE healthy");
        }
      }
    }
    assert.ok(reported > 100, `${reported} rows were reported`);
    assert.equal((await storage.readSession("hash-of-s1"))?.user.name, "Ada");
  });
});

// Tracks: F18
Deno.test("createSqlStorage() rejects with a ConfigurationError when a table or a column is missing", async () => {
  const operations: ((storage: CompleteStorage) => Promise<unknown>)[] = [
    async (storage) => await storage.readSession("hash-of-s1"),
    (storage) => storage.insertSession(session("s2", "ada")),
    (storage) => storage.listSessions("ada", { now: NOW, limit: 5 }),
    (storage) => storage.disableUser("ada", NOW),
  ];
  for (const change of ["DROP TABLE sessions", "ALTER TABLE sessions DROP COLUMN refreshed_at"]) {
    for (const operation of operations) {
      await withBench(async ({ file, storage }) => {
        file.exec(change);
        // Deleting needs no such column.
        if (change.startsWith("ALTER") && operation === operations[3]) return;
        await assert.rejects(
          operation(storage),
          (error) => error instanceof ConfigurationError && error.field === "database",
        );
        if (operation === operations[3]) {
          assert.equal(file.prepare("SELECT disabled_at FROM users").get()!.disabled_at, null);
        }
      });
    }
  }
});

// Tracks: F18
Deno.test("createSqlStorage() says which operation misses a table of a way to sign in", async () => {
  const operations: [table: string, (storage: CompleteStorage) => Promise<unknown>][] = [
    ["verifications", (storage) => storage.putSecret(secret("h2"))],
    ["verifications", (storage) => storage.takeSecret("email", "h1", { now: NOW })],
    ["accounts", (storage) => storage.findAccount("code", "id-of-ada")],
    ["accounts", (storage) => storage.linkAccount(account("chat", "ada"))],
    ["passkeys", (storage) => storage.insertPasskey(passkey("key2", "ada"))],
    ["passkeys", (storage) => storage.deletePasskey("ada", "key", { keep: WAYS })],
    ["passkeys", (storage) => storage.proveEmail("ada", MAILBOX)],
    ["passkeys", (storage) => storage.endEverything("ada", ["sessions", "passkeys"], { at: NOW })],
  ];
  for (const [table, operation] of operations) {
    await withBench(async ({ file, storage }) => {
      file.exec(`DROP TABLE ${table}`);
      await assert.rejects(
        operation(storage),
        (error) => error instanceof ConfigurationError && error.field === "database",
      );
      // Nothing of a batch is done when one of it cannot be.
      assert.equal(countOf(file, "sessions"), 1);
    });
  }
});

// Tracks: F18, F48
Deno.test("createSqlStorage() works with tables that a newer version or the application has widened", async () => {
  await withBench(async ({ file, storage }) => {
    const widened = ["users", "sessions", "accounts", "verifications", "passkeys", "revocations"];
    for (const table of widened) {
      file.exec(`ALTER TABLE ${table} ADD COLUMN id_2 TEXT`);
      file.exec(`ALTER TABLE ${table} ADD COLUMN rank INTEGER NOT NULL DEFAULT 7`);
    }
    file.exec("UPDATE auth_schema SET version = 99; UPDATE sessions SET rank = 8");
    assert.equal((await storage.readSession("hash-of-s1"))?.user.name, "Ada");
    assert.equal(await storage.renewSession("s1", RENEWAL), true);
    await storage.insertSession(session("s2", "eve"), { owner: record({ id: "eve" }) });
    assert.equal((await storage.readSession("hash-of-s2"))?.user.id, "eve");
    assert.equal(await storage.linkAccount(account("chat", "ada")), "linked");
    assert.equal((await storage.listAccounts("ada")).length, 2);
    assert.equal(await storage.insertPasskey(passkey("key2", "ada")), true);
    assert.equal((await storage.listPasskeys("ada")).length, 2);
    await storage.putSecret(secret("h2"));
    assert.equal((await storage.takeSecret("email", "h2", { now: NOW }))?.hash, "h2");
    // What the other version wrote stays.
    assert.deepEqual(
      file.prepare("SELECT rank FROM sessions ORDER BY id").all().map(({ rank }) => rank),
      [8, 7],
    );
  });
});

// Tracks: F20, F11
Deno.test("createSqlStorage() stores no half of a sign-in on a full disk, and goes on after it", async () => {
  const file = new DatabaseSync(":memory:");
  file.exec(authSchema.up);
  const storage = createSqlStorage(sqlite(file));
  await storage.createUser(record({ id: "ada" }));
  const { page_count: pages } = file.prepare("PRAGMA page_count").get()!;
  file.exec(`PRAGMA max_page_count = ${Number(pages) + 2}`);
  let failure: unknown;
  let stored = 0;
  while (failure === undefined) {
    const id = `u${stored}`;
    const owner = record({ id, name: "n".repeat(500) });
    await storage.insertSession(session(id, id), { owner }).then(() => stored++, (error) => {
      failure = error;
    });
  }
  assert.ok(failure instanceof StorageUnavailableError, String(failure));
  assert.equal(countOf(file, "sessions"), stored);
  assert.equal(countOf(file, "users"), stored + 1);
  assert.equal((await storage.readSession("hash-of-u0"))?.user.id, "u0");
  file.exec("PRAGMA max_page_count = 100000");
  const owner = record({ id: "late" });
  assert.equal((await storage.insertSession(session("late", "late"), { owner }))?.created, true);
  file.close();
});

// Tracks: F21, R150
Deno.test("sweep() finds 500 of 5,000 ended sessions by index, and ends nobody's live one", async () => {
  await withBench(async ({ file, storage }) => {
    file.exec(`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
      INSERT INTO sessions SELECT 'old' || i, 'h' || i, 'ada', NULL, NULL, 1, 1, 1, 1 + i, NULL FROM n;
      INSERT INTO rate_limits VALUES ('k', '', 5);
      INSERT INTO revocations (kind, id, revoked_at, expires_at) VALUES ('session', 'x', 0, 5);
      INSERT INTO verifications (purpose, hash, created_at, expires_at) VALUES ('email', 'h', 1, 5);
      INSERT INTO verifications (purpose, hash, created_at, expires_at)
        VALUES ('email', 'live', 1, ${NOW * 2});
    `);
    const plans = ["sessions", "verifications", "rate_limits", "revocations"].map((table) => {
      const plan = file.prepare(
        `EXPLAIN QUERY PLAN SELECT 1 FROM ${table} WHERE expires_at <= ? LIMIT ?`,
      );
      return plan.all(1, 1).map(({ detail }) => String(detail)).join();
    });
    for (const plan of plans) assert.match(plan, /USING (?:COVERING )?INDEX \w+_by_end/);
    assert.equal(await storage.sweep(NOW, 500), 503);
    assert.equal(await storage.sweep(NOW, 500), 500);
    assert.equal(countOf(file, "sessions"), 5000 - 1000 + 1);
    assert.equal(countOf(file, "verifications"), 2);
    assert.equal((await storage.readSession("hash-of-s1"))?.session.id, "s1");
    assert.equal(await storage.sweep(NOW, 1_000_000), 4000);
    assert.equal((await storage.readSession("hash-of-s1"))?.session.id, "s1");
  });
});

// Tracks: F21, R150
Deno.test("sweep() and the operations on secrets find 5,000 ended secrets by index", async () => {
  await withBench(async ({ file, storage }) => {
    file.exec(`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
      INSERT INTO verifications (purpose, hash, identifier, user_id, created_at, expires_at)
        SELECT 'email', 'old' || i, 'a' || i || '@example.com', 'ada', 1, 1 + i FROM n;
    `);
    const conditions = ["expires_at <= 1", "purpose = 'a' AND identifier = 'b'", "user_id = 'ada'"];
    for (const condition of conditions) {
      const plan = file.prepare(
        `EXPLAIN QUERY PLAN SELECT 1 FROM verifications WHERE ${condition} LIMIT 1`,
      );
      const [{ detail }] = plan.all() as [{ detail: string }];
      assert.match(detail, /USING (?:COVERING )?INDEX verifications_by/, condition);
    }
    assert.equal(await storage.sweep(NOW, 500), 500);
    // Nobody is locked out meanwhile, and no ended one is taken.
    assert.equal(await storage.takeSecret("email", "old4900", { now: NOW }), null);
    assert.equal((await storage.takeSecret("email", "h1", { now: NOW }))?.userId, "ada");
    assert.equal(await storage.proveEmail("ada", MAILBOX), "proved");
    assert.equal(countOf(file, "verifications"), 0);
  });
});

// Tracks: R037, F05
Deno.test("a session that was ended is not there after 1,000 races with its renewal", async () => {
  await withBench(async ({ storage }) => {
    for (let round = 0; round < 1000; round++) {
      const id = `r${round}`;
      await storage.insertSession(session(id, "ada"));
      // Each starts after up to two turns of the other.
      const turns = [round % 3, Math.floor(round / 3) % 3];
      await Promise.all([
        waitTurns(turns[0]!).then(() => storage.deleteSession(`hash-of-${id}`)),
        waitTurns(turns[1]!).then(() => storage.renewSession(id, RENEWAL)),
      ]);
      assert.equal(await storage.readSession(`hash-of-${id}`), null);
    }
  });
});

async function waitTurns(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await Promise.resolve();
}
