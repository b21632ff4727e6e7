import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { StorageUnavailableError } from "../errors.ts";
import { completeStorage } from "../../testing/storage/complete_storage.ts";
import { createD1Double } from "../tests/d1_double.ts";
import { account, activity, passkey, record, secret, WAYS } from "../../testing/storage/records.ts";
import { sentSecretGroup } from "./sent_secrets.ts";
import { postgres } from "./postgres.ts";
import { authSchema } from "./schema.ts";
import type { SqlDatabase, SqlStatement } from "./sql_database.ts";
import { sqlite } from "./sqlite.ts";
import { groupOf } from "./storage.ts";
import { createSqlStorage } from "./sql.ts";
import { transactionGroup } from "./transactions.ts";

Deno.test("createSqlStorage() prepares a statement once per database object", async () => {
  const database = createD1Double();
  for (let index = 0; index < 5; index++) await createSqlStorage(database).readSession("h");
  assert.equal(database.prepared, 1);
  assert.equal(database.trips, 5);
  database.close();
});

Deno.test("createSqlStorage() does each operation in one round trip", async () => {
  const database = createD1Double();
  const storage = completeStorage(createSqlStorage(database));
  const session = {
    id: "s",
    userId: "ada",
    tokenHash: "h",
    userAgent: null,
    createdAt: 1,
    authenticatedAt: 1,
    refreshedAt: 1,
    expiresAt: 10,
  };
  const owner = { user: { id: "ada" }, emailIdentity: null, at: 1 };
  const tokens = {
    accessToken: null,
    refreshToken: null,
    expiresAt: null,
    tokenType: null,
    scope: null,
  };
  const operations = [
    () => storage.createUser({ user: { id: "eve" }, emailIdentity: null, at: 1 }),
    () => storage.getUser("eve"),
    () => storage.insertSession(session, { owner, replaces: "old" }),
    () => storage.readSession("h"),
    () => storage.renewSession("s", { from: 1, at: 2, expiresAt: 20 }),
    () => storage.sweep(5, 10),
    () => storage.deleteSession("h"),
    () => storage.getActiveUser("eve"),
    () => storage.saveUser(owner),
    () => storage.updateUser(owner),
    () => storage.setUserRoles("eve", { roles: { role: "admin" }, at: 2 }),
    () => storage.listSessions("eve", { now: 1, limit: 5 }),
    () => storage.deleteSessionById("eve", "s"),
    () => storage.deleteSessions("eve", { exceptId: "s" }),
    () => storage.putSecret(secret("h1")),
    () => storage.putNewestSecret(secret("h1", { identifier: "a" }), { keep: 1 }),
    () => storage.readSecret("email", "h1", 1),
    () => storage.countAttempt("email", "h1", { now: 1, max: 3 }),
    () => storage.takeSecret("email", "h1", { now: 1 }),
    () =>
      storage.redeemSecret({ purpose: "email", hash: "h1", identifier: "a" }, {
        now: 1,
        userId: "eve",
        emailIdentity: "eve@example.com",
        ends: ["email"],
      }),
    () =>
      storage.insertSession({ ...session, id: "s2", tokenHash: "h2" }, {
        owner,
        account: account("code", "ada"),
        passkey: storage.preparePasskey(passkey("key", "ada")),
      }),
    () => storage.linkAccount(account("chat", "ada")),
    () => storage.findAccount("chat", "id-of-ada"),
    () => storage.listAccounts("ada"),
    () => storage.swapAccountTokens("chat", "id-of-ada", { ...tokens, from: 1, at: 2 }),
    () => storage.unlinkAccount("ada", "chat", "id-of-ada", { keep: WAYS }),
    () => storage.getUserByEmail("a"),
    () => storage.insertPasskey(passkey("key2", "ada")),
    () => storage.getPasskey("key"),
    () => storage.listPasskeys("ada"),
    () => storage.renamePasskey("ada", "key", "x"),
    () => storage.advancePasskey("key", { from: 0, to: 1, backedUp: true, at: 2 }),
    () => storage.deletePasskey("ada", "key2", { keep: WAYS }),
    () => storage.insertActivity(activity("a", "ada"), { keep: 5, since: 1 }),
    () => storage.listActivity("ada", { since: 1, limit: 5 }),
    () => storage.proveEmail("ada", { emailIdentity: "a", at: 2 }),
    () => storage.endEverything("ada", ["links"], { at: 2, credentials: true }),
    () => storage.disableUser("eve", 2),
    () => storage.enableUser("eve", 3),
    () => storage.deleteUser("eve"),
  ];
  for (const operation of operations) {
    const before = database.trips;
    await operation();
    assert.equal(database.trips, before + 1, String(operation));
  }
  database.close();
});

// Tracks: R043, F10
Deno.test("createSqlStorage() rejects with StorageUnavailableError whatever fails", async () => {
  const database = createD1Double();
  const storage = createSqlStorage(database);
  database.fail = "D1_ERROR: Network connection lost.";
  await assert.rejects(async () => await storage.readSession("h"), StorageUnavailableError);
  await assert.rejects(storage.getUser("ada"), StorageUnavailableError);
  await assert.rejects(storage.deleteSession("h"), StorageUnavailableError);
  await assert.rejects(storage.sweep(1, 1), StorageUnavailableError);
  await assert.rejects(
    storage.renewSession("s", { from: 1, at: 2, expiresAt: 3 }),
    StorageUnavailableError,
  );
  const broken = createSqlStorage({
    prepare() {
      throw new Error("not bound");
    },
    batch: () => Promise.reject(new Error("not bound")),
  });
  await assert.rejects(async () => await broken.readSession("h"), StorageUnavailableError);
  database.close();
});

// Tracks: R039
Deno.test("createSqlStorage() inserts and reads no session of a disabled user", async () => {
  const database = createD1Double();
  const storage = createSqlStorage(database);
  database.sqlite.exec("INSERT INTO users (id, name, disabled_at) VALUES ('ada', 'Ada', 1)");
  const session = {
    id: "s",
    userId: "ada",
    tokenHash: "h",
    userAgent: null,
    createdAt: 1,
    authenticatedAt: 1,
    refreshedAt: 1,
    expiresAt: 10,
  };
  const owner = { user: { id: "ada", name: "Changed" }, emailIdentity: null, at: 1 };
  assert.equal(await storage.insertSession(session, { owner }), null);
  assert.equal((await storage.getUser("ada"))?.name, "Ada");
  assert.equal(database.sqlite.prepare("SELECT count(*) AS n FROM sessions").get()!.n, 0);
  database.close();
});

Deno.test("createSqlStorage() writes no user row when a sign-in changes nothing", async () => {
  const database = createD1Double();
  const storage = createSqlStorage(database);
  const user = { id: "ada", name: "Ada", email: "ada@example.com" };
  await storage.createUser({ user, emailIdentity: user.email, at: 1 });
  const session = {
    id: "s",
    userId: "ada",
    tokenHash: "h",
    userAgent: null,
    createdAt: 2,
    authenticatedAt: 2,
    refreshedAt: 2,
    expiresAt: 10,
  };
  await storage.insertSession(session, { owner: { user, emailIdentity: user.email, at: 2 } });
  assert.equal(database.sqlite.prepare("SELECT updated_at FROM users").get()!.updated_at, 1);
  database.close();
});

// Tracks: F35, R150
Deno.test("putNewestSecret() keeps no rows of 1,500 ceremonies that were begun and never ended", async () => {
  const database = createD1Double();
  const { putNewestSecret } = groupOf(createSqlStorage(database), sentSecretGroup);
  const lifetime = 60_000;
  const [start, step] = [Date.UTC(2026, 0, 1), 137];
  for (let index = 0; index < 1_500; index++) {
    const createdAt = start + index * step;
    await putNewestSecret({
      purpose: "ceremony",
      hash: `h${index}`,
      identifier: `browser-${index}`,
      userId: null,
      payload: null,
      createdAt,
      expiresAt: createdAt + lifetime,
    }, { keep: 10 });
  }
  const rows = database.sqlite.prepare("SELECT count(*) AS n FROM verifications").get()!
    .n as number;
  assert.ok(rows <= lifetime / step + 500, String(rows));
  database.close();
});

Deno.test("transaction() refuses what is no statement of a database by name", () => {
  const database = createD1Double();
  const storage = createSqlStorage(database);
  const { transaction } = groupOf(storage, transactionGroup);
  for (const wrong of [null, undefined, "SELECT 1", {}]) {
    assert.throws(() => transaction([wrong as never]), /give statements of the database/);
  }
  assert.deepEqual(transaction([]).work, []);
  database.close();
});

Deno.test("transaction() refuses statements of another database by name, and takes those of the same one", async () => {
  const [own, other] = [new DatabaseSync(":memory:"), new DatabaseSync(":memory:")];
  const pool = { connect: () => Promise.reject(new Error("unused")), options: {} };
  const bindings = [createD1Double(), createD1Double()] as const;
  const insertion = "INSERT INTO notes VALUES (?1)";
  for (const file of [own, other, ...bindings.map(({ sqlite }) => sqlite)]) {
    file.exec(
      `${file === own || file === other ? authSchema.up : ""}; CREATE TABLE notes (text TEXT)`,
    );
  }
  const ofPostgres = postgres(pool as never).prepare(insertion);
  const refused: [database: SqlDatabase, statement: SqlStatement][] = [
    [sqlite(own), sqlite(other).prepare(insertion)],
    [sqlite(own), bindings[0].prepare(insertion)],
    [sqlite(own), ofPostgres],
    [bindings[0], sqlite(own).prepare(insertion).bind("a")],
    [bindings[0], ofPostgres],
    [bindings[0], own.prepare(insertion) as never],
    [postgres(pool as never), sqlite(own).prepare(insertion)],
  ];
  for (const [index, [database, statement]] of refused.entries()) {
    const { transaction } = groupOf(createSqlStorage(database), transactionGroup);
    assert.throws(() => transaction([statement]), {
      name: "ConfigurationError",
      message: /give statements of the database that createAuth\(\) was given/,
    }, String(index));
  }
  for (const database of [sqlite(own), ...bindings]) {
    const storage = createSqlStorage(database);
    // Another adapter of the same handle is the same database.
    const source = database === refused[0]![0] ? sqlite(own) : database;
    const within = groupOf(storage, transactionGroup).transaction([
      source.prepare(insertion).bind("kept"),
    ]);
    await storage.createUser(record({ id: "ada" }), { within });
    const row = await database.prepare("SELECT text FROM notes").first<{ text: string }>();
    assert.equal(row?.text, "kept");
  }
  for (const double of bindings) double.close();
  own.close();
  other.close();
});
