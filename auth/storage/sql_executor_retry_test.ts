import assert from "node:assert/strict";
import { StorageUnavailableError, UserExistsError } from "../errors.ts";
import type { CompleteStorage } from "../../testing/storage/complete_storage.ts";
import { LOST_MESSAGES } from "../tests/faulty_database.ts";
import { countOf, RENEWAL, withBench } from "../tests/storage_bench.ts";
import {
  account,
  activity,
  HOUR,
  NOW,
  passkey,
  record,
  secret,
  session,
  WAYS,
} from "../../testing/storage/records.ts";

const SWAP = {
  from: NOW,
  at: NOW + 1,
  accessToken: "a2",
  refreshToken: "r2",
  expiresAt: null,
  tokenType: null,
  scope: null,
};

const TABLES = ["users", "sessions", "accounts", "verifications", "passkeys", "account_activity"];

const KEEP = { keep: 10, since: 0 };

/**
 * Operations that are safe to repeat, with their result when the first response was lost after the
 * work was done.
 */
const REPEATABLE: [
  name: string,
  work: (storage: CompleteStorage) => Promise<unknown>,
  again: unknown,
][] = [
  ["getUser", async (storage) => (await storage.getUser("ada"))?.id, "ada"],
  ["getActiveUser", async (storage) => (await storage.getActiveUser("ada"))?.id, "ada"],
  ["readSession", async (storage) => (await storage.readSession("hash-of-s1"))?.session.id, "s1"],
  [
    "listSessions",
    async (storage) => (await storage.listSessions("ada", { now: NOW, limit: 5 })).length,
    1,
  ],
  // Somebody was faster: itself. The session goes on under the cookie that the browser has.
  ["renewSession", (storage) => storage.renewSession("s1", RENEWAL), false],
  ["deleteSession", (storage) => storage.deleteSession("hash-of-s1"), false],
  ["deleteSessionById", (storage) => storage.deleteSessionById("ada", "s1"), false],
  ["deleteSessions", (storage) => storage.deleteSessions("ada"), 0],
  ["disableUser", (storage) => storage.disableUser("ada", NOW), true],
  ["enableUser", (storage) => storage.enableUser("ada", NOW), true],
  ["deleteUser", (storage) => storage.deleteUser("ada"), false],
  [
    "updateUser",
    async (storage) => (await storage.updateUser(record({ id: "ada", name: "New" })))?.name,
    "New",
  ],
  [
    "setUserRoles",
    async (storage) =>
      (await storage.setUserRoles("ada", { roles: { role: "admin" }, at: NOW }))?.role,
    "admin",
  ],
  [
    "endEverything",
    (storage) => storage.endEverything("ada", ["links"], { at: NOW, credentials: true }),
    true,
  ],
  ["readSecret", async (storage) => (await storage.readSecret("email", "h1", NOW))?.hash, "h1"],
  ["putSecret", (storage) => storage.putSecret(secret("h2")), undefined],
  [
    "putNewestSecret",
    (storage) =>
      storage.putNewestSecret(secret("h2", { identifier: "ada@example.com" }), { keep: 1 }),
    undefined,
  ],
  [
    "findAccount",
    async (storage) => (await storage.findAccount("code", "id-of-ada"))?.userId,
    "ada",
  ],
  ["listAccounts", async (storage) => (await storage.listAccounts("ada")).length, 1],
  [
    "unlinkAccount",
    (storage) => storage.unlinkAccount("ada", "code", "id-of-ada", { keep: WAYS }),
    "absent",
  ],
  // Somebody was faster: itself. Whoever reads again finds the tokens.
  ["swapAccountTokens", (storage) => storage.swapAccountTokens("code", "id-of-ada", SWAP), false],
  [
    "getUserByEmail",
    async (storage) => (await storage.getUserByEmail("ada@example.com"))?.id,
    "ada",
  ],
  [
    "proveEmail",
    (storage) => storage.proveEmail("ada", { emailIdentity: "ada@example.com", at: NOW }),
    "already",
  ],
  ["getPasskey", async (storage) => (await storage.getPasskey("key"))?.id, "key"],
  ["listPasskeys", async (storage) => (await storage.listPasskeys("ada")).length, 1],
  ["renamePasskey", (storage) => storage.renamePasskey("ada", "key", "Mine"), true],
  [
    "deletePasskey",
    (storage) => storage.deletePasskey("ada", "key", { keep: WAYS }),
    "absent",
  ],
  ["insertActivity", (storage) => storage.insertActivity(activity("a2", "ada"), KEEP), undefined],
  [
    "listActivity",
    async (storage) => (await storage.listActivity("ada", { since: 0, limit: 5 })).length,
    1,
  ],
  ["sweep", (storage) => storage.sweep(NOW + HOUR, 10), 0],
];

// Tracks: F10
Deno.test("createSqlStorage() tries what may be done twice again when the connection is lost", async () => {
  for (const [name, work] of REPEATABLE) {
    let expected: unknown;
    await withBench(async ({ storage }) => {
      expected = await work(storage);
    });
    for (const message of LOST_MESSAGES) {
      await withBench(async ({ database, storage }) => {
        const { trips } = database;
        database.faults.push({ when: "before", message });
        assert.deepEqual(await work(storage), expected, `${name}: ${message}`);
        assert.equal(database.trips - trips, 2);
      });
    }
  }
});

// Tracks: F11
Deno.test("createSqlStorage() does the work once when its answer is lost", async () => {
  for (const [name, work, again] of REPEATABLE) {
    const states: string[] = [];
    for (const faults of [[], [{ when: "after", message: LOST_MESSAGES[0]! } as const]]) {
      await withBench(async ({ file, database, storage }) => {
        database.faults.push(...faults);
        const result = await work(storage);
        if (faults.length > 0) assert.deepEqual(result, again, name);
        states.push(JSON.stringify(
          TABLES.map((table) => file.prepare(`SELECT * FROM ${table}`).all()),
        ));
      });
    }
    assert.equal(states[0], states[1], name);
  }
});

// Tracks: F10
Deno.test("createSqlStorage() gives up after the third loss, and tries what is no loss once", async () => {
  await withBench(async ({ database, storage }) => {
    const lost = { when: "before", message: LOST_MESSAGES[0]! } as const;
    database.faults.push(lost, lost, lost);
    let { trips } = database;
    await assert.rejects(
      async () => await storage.readSession("hash-of-s1"),
      StorageUnavailableError,
    );
    assert.equal(database.trips - trips, 3);
    ({ trips } = database);
    // More load is the last thing that an overloaded database needs (F12).
    const overloaded = "D1_ERROR: D1 DB is overloaded. Requests queued for too long.";
    database.faults.push({ when: "before", message: overloaded });
    await assert.rejects(
      async () => await storage.readSession("hash-of-s1"),
      StorageUnavailableError,
    );
    assert.equal(database.trips - trips, 1);
  });
});

// Tracks: F10, F11
Deno.test("createSqlStorage() does not insert twice; who tries again gets in", async () => {
  const inserting: ((storage: CompleteStorage) => Promise<unknown>)[] = [
    (storage) => storage.createUser(record({ id: "eve" })),
    (storage) => storage.saveUser(record({ id: "eve" })),
    (storage) => storage.insertSession(session("s2", "eve"), { owner: record({ id: "eve" }) }),
  ];
  for (const insert of inserting) {
    for (const when of ["before", "after"] as const) {
      await withBench(async ({ file, database, storage }) => {
        const { trips } = database;
        database.faults.push({ when, message: LOST_MESSAGES[0]! });
        await assert.rejects(insert(storage), StorageUnavailableError);
        assert.equal(database.trips - trips, 1);
        assert.equal(countOf(file, "users"), when === "before" ? 1 : 2);
        const inserted = await storage.insertSession(session("s3", "eve"), {
          owner: record({ id: "eve" }),
        });
        assert.equal(inserted?.user.id, "eve");
      });
    }
  }
});

// Tracks: F10
Deno.test("createSqlStorage() tries anything again that the database took back", async () => {
  await withBench(async ({ file, database, storage }) => {
    database.faults.push({ when: "before", message: "database is locked" });
    await storage.createUser(record({ id: "eve" }));
    assert.equal(countOf(file, "users"), 2);
    database.faults.push({ when: "after", message: "database is locked" });
    await assert.rejects(storage.createUser(record({ id: "bob" })), UserExistsError);
  });
});

/**
 * Operations that must not be repeated, and their error when a caller retries after a lost
 * response.
 */
const SINGLE: [
  name: string,
  work: (storage: CompleteStorage) => Promise<unknown>,
  again: unknown,
][] = [
  // The one use is used up: whoever asked gets a new one, and nobody else gets this one.
  ["takeSecret", (storage) => storage.takeSecret("email", "h1", { now: NOW }), null],
  ["countAttempt", (storage) => storage.countAttempt("email", "h1", { now: NOW, max: 1 }), null],
  ["linkAccount", (storage) => storage.linkAccount(account("chat", "ada")), "updated"],
  ["insertPasskey", (storage) => storage.insertPasskey(passkey("key2", "ada")), false],
  [
    "advancePasskey",
    (storage) => storage.advancePasskey("key", { from: 0, to: 1, backedUp: false, at: NOW }),
    false,
  ],
];

// Tracks: F10, F11, K4
Deno.test("createSqlStorage() does not do twice what counts once, and tells that its answer was lost", async () => {
  for (const [name, work, again] of SINGLE) {
    for (const message of LOST_MESSAGES) {
      await withBench(async ({ database, storage }) => {
        const { trips } = database;
        database.faults.push({ when: "after", message });
        await assert.rejects(work(storage), StorageUnavailableError, name);
        assert.equal(database.trips - trips, 1, name);
        assert.deepEqual(await work(storage), again, name);
      });
      await withBench(async ({ database, storage }) => {
        database.faults.push({ when: "before", message });
        await assert.rejects(work(storage), StorageUnavailableError, name);
        assert.notDeepEqual(await work(storage), again, name);
      });
    }
  }
});
