import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { StorageUnavailableError } from "../errors.ts";
import { record, session } from "../../testing/storage/records.ts";
import { authSchema } from "./schema.ts";
import { sqlite, type SqliteDatabase } from "./sqlite.ts";
import { createSqlStorage } from "./sql.ts";
import { administrationGroup } from "./users.ts";
import { groupOf } from "./storage.ts";

Deno.test("sqlite() answers as D1 does", async () => {
  const file = new DatabaseSync(":memory:");
  const database = sqlite(file);
  file.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)");
  const insert = database.prepare("INSERT INTO t (b) VALUES (?1)");
  assert.deepEqual((await insert.bind("x").run()).meta, { changes: 1, ["last_row_id"]: 1 });
  assert.deepEqual((await insert.bind(null).run()).meta, { changes: 1, ["last_row_id"]: 2 });
  const rows = database.prepare("SELECT a, b FROM t WHERE a > ?1 OR ?2 ORDER BY a");
  assert.deepEqual((await rows.bind(1, false).all()).results.map((row) => ({ ...row as object })), [
    { a: 2, b: null },
  ]);
  assert.equal((await rows.bind(1, true).first<{ b: string }>())?.b, "x");
  assert.equal(await rows.bind(5, false).first(), null);
  const update = database.prepare("UPDATE t SET b = 'y' WHERE a <= ?1 RETURNING a");
  const { results, meta } = await update.bind(5).all<{ a: number }>();
  assert.deepEqual([results.map(({ a }) => a), meta.changes], [[1, 2], 2]);
  const bytes = database.prepare("SELECT length(?1) AS n");
  assert.equal((await bytes.bind(new Uint8Array([1, 2, 3])).first<{ n: number }>())?.n, 3);
  assert.equal((await bytes.bind(new Uint8Array([1, 2]).buffer).first<{ n: number }>())?.n, 2);
  await assert.rejects(database.prepare("SELECT missing").first(), /no such column/);
  file.close();
});

Deno.test("sqlite() reads integers that no number holds without failing", async () => {
  const file = new DatabaseSync(":memory:");
  const database = sqlite(file);
  const read = database.prepare("SELECT 9007199254740993 AS large, 5 AS small");
  assert.deepEqual({ ...await read.first<object>() }, { large: 9007199254740993n, small: 5 });
  file.exec("CREATE TABLE t (a INTEGER)");
  const insert = database.prepare("INSERT INTO t VALUES (9007199254740993) RETURNING a, 1.5 AS b");
  assert.deepEqual(await insert.first(), { a: 9007199254740993n, b: 1.5 });
  assert.equal(file.prepare("SELECT count(*) AS n FROM t").get()!.n, 1);
  file.close();
});

/** A database of which nothing is known but what every one can do. */
function plain(file: DatabaseSync): SqliteDatabase {
  return {
    exec: (sql) => file.exec(sql),
    prepare(sql) {
      const statement = file.prepare(sql);
      return {
        all: (...values) => statement.all(...values),
        run: (...values) => statement.run(...values),
        setReadBigInts: (enabled) => void statement.setReadBigInts(enabled),
      };
    },
  };
}

for (
  const [kind, adapt] of [["node:sqlite", (file: DatabaseSync) => file], [
    "another",
    plain,
  ]] as const
) {
  Deno.test(`readNow() reads the first row of ${kind} at once, and throws at once`, () => {
    using file = new DatabaseSync(":memory:");
    const database = sqlite(adapt(file));
    file.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)");
    file.exec("INSERT INTO t VALUES (1, 'x'), (9007199254740993, NULL)");
    const later = "SELECT b, a, a AS c FROM t WHERE a > ?1 OR ?2 ORDER BY a";
    const large = { b: null, a: 9007199254740993n, c: 9007199254740993n };
    // More than once: a value that is too large must not change how the next row is read.
    for (let turn = 0; turn < 2; turn++) {
      const row = database.readNow!<object>(later, 0, false);
      assert.deepEqual({ ...row }, { b: "x", a: 1, c: 1 });
      assert.deepEqual({ ...database.readNow!<object>(later, 1, false) }, large);
    }
    assert.equal(database.readNow!("SELECT a FROM t WHERE a = ?1", 7), null);
    assert.throws(() => database.readNow!("SELECT missing"), /no such column/);
  });
}

// Tracks: F17
Deno.test("readSession() answers at once over it, and what failed at once is tried again", async () => {
  using file = new DatabaseSync(":memory:");
  file.exec(authSchema.up);
  const database = sqlite(file);
  const storage = createSqlStorage(database);
  await storage.createUser(record({ id: "ada" }));
  await storage.insertSession(session("s1", "ada"));
  const stored = storage.readSession("hash-of-s1");
  assert.ok(!(stored instanceof Promise));
  assert.equal(stored?.session.id, "s1");
  assert.equal(storage.readSession("hash-of-s2"), null);
  let tries = 0;
  const locked = createSqlStorage({
    ...database,
    readNow() {
      tries++;
      throw new Error("database is locked");
    },
  });
  assert.equal((await locked.readSession("hash-of-s1"))?.user.id, "ada");
  assert.equal(tries, 1);
});

// Tracks: K4
Deno.test("sqlite() does all of a batch or nothing, and goes on after a failure", async () => {
  const file = new DatabaseSync(":memory:");
  const database = sqlite(file);
  file.exec("CREATE TABLE t (a INTEGER PRIMARY KEY)");
  const insert = database.prepare("INSERT INTO t VALUES (?1)");
  await assert.rejects(database.batch([insert.bind(1), insert.bind(2), insert.bind(1)]), /UNIQUE/);
  assert.equal(file.prepare("SELECT count(*) AS n FROM t").get()!.n, 0);
  const results = await database.batch([insert.bind(1), database.prepare("SELECT a FROM t")]);
  assert.deepEqual(results.map(({ meta }) => meta.changes), [1, 0]);
  assert.equal(results[1]!.results.length, 1);
  file.close();
});

// Tracks: GHSA-2vg6
Deno.test("sqlite() enforces foreign keys, so that sessions go with their user", async () => {
  const file = new DatabaseSync(":memory:", { enableForeignKeyConstraints: false });
  file.exec(authSchema.up);
  const storage = createSqlStorage(sqlite(file));
  await storage.createUser(record({ id: "ada" }));
  await storage.insertSession(session("s1", "ada"));
  await groupOf(storage, administrationGroup).deleteUser("ada");
  assert.equal(file.prepare("SELECT count(*) AS n FROM sessions").get()!.n, 0);
  file.close();
});

Deno.test("sqlite() rejects when the database is closed, and throws nothing", async () => {
  const file = new DatabaseSync(":memory:");
  file.exec(authSchema.up);
  const storage = createSqlStorage(sqlite(file));
  file.close();
  await assert.rejects(async () => await storage.readSession("h"), StorageUnavailableError);
  await assert.rejects(storage.insertSession(session("s1", "ada")), StorageUnavailableError);
});

/**
 * Returns true when this process may mount a file system: CAP_SYS_ADMIN, bit 21 of its effective
 * capabilities.
 */
async function mayMount(): Promise<boolean> {
  if (Deno.build.os !== "linux") return false;
  const status = await Deno.readTextFile("/proc/self/status");
  const bits = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0";
  return (BigInt(`0x${bits}`) >> 21n & 1n) === 1n;
}

async function runOn(program: string, args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, { args, stderr: "piped" }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

const mounts = await mayMount();

// Tracks: F20
Deno.test({
  name: "sqlite() survives a disk that is full, and works on when there is room again" +
    (mounts ? "" : " [unavoidable: only root may mount a small disk]"),
  ignore: !mounts,
  async fn() {
    const folder = await Deno.makeTempDir({ prefix: "framework-disk-" });
    await runOn("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", folder]);
    const file = new DatabaseSync(`${folder}/auth.sqlite`);
    try {
      file.exec(authSchema.up);
      const storage = createSqlStorage(sqlite(file));
      await storage.createUser(record({ id: "ada" }));
      await storage.insertSession(session("s1", "ada"));
      const ballast = `${folder}/ballast`;
      const chunk = new Uint8Array(4096);
      await assert.rejects(async () => {
        for (;;) await Deno.writeFile(ballast, chunk, { append: true });
      }, /No space left/);
      let failure: unknown;
      for (let index = 0; index < 500 && failure === undefined; index++) {
        const owner = record({ id: `u${index}`, name: "n".repeat(2000) });
        await storage.insertSession(session(`t${index}`, owner.user.id), { owner })
          .catch((error) => failure = error);
      }
      assert.ok(failure instanceof StorageUnavailableError, String(failure));
      const counts = file.prepare(
        "SELECT (SELECT count(*) FROM users) AS users, (SELECT count(*) FROM sessions) AS sessions",
      ).get()!;
      assert.equal(counts.users, counts.sessions);
      assert.equal((await storage.readSession("hash-of-s1"))?.user.id, "ada");
      await Deno.remove(ballast);
      const owner = record({ id: "late" });
      assert.ok(await storage.insertSession(session("late", "late"), { owner }));
      assert.equal(file.prepare("PRAGMA integrity_check").get()!.integrity_check, "ok");
    } finally {
      file.close();
      await runOn("umount", [folder]);
      await Deno.remove(folder);
    }
  },
});

// Tracks: OP-08
Deno.test("sqlite() lets a file wait for other processes before it asks it anything, and then writes ahead", () => {
  using file = new DatabaseSync(":memory:");
  const asked: string[] = [];
  sqlite({
    exec: (sql) => (asked.push(sql), file.exec(sql)),
    prepare: (sql) => (asked.push(sql), file.prepare(sql)),
  }, { busyTimeout: 700 });
  assert.equal(asked[0], "PRAGMA busy_timeout = 700");
  assert.equal(asked.at(-1), "PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL");
  asked.length = 0;
  sqlite({
    exec: (sql) => (asked.push(sql), file.exec(sql)),
    prepare: (sql) => file.prepare(sql),
  }, { wal: false });
  assert.deepEqual(asked, ["PRAGMA busy_timeout = 2000", "PRAGMA foreign_keys = ON"]);
  assert.throws(() => sqlite(file, { busyTimeout: -1 }), /busyTimeout/);
});

// SQLite itself: with WAL and NORMAL, a commit may be lost when the machine stops. It is the default of better-sqlite3.
Deno.test("sqlite() has commits on the disk before they are acknowledged, whatever the driver's default", () => {
  using file = new DatabaseSync(":memory:");
  file.exec("PRAGMA synchronous = NORMAL");
  sqlite(file);
  assert.equal(file.prepare("PRAGMA synchronous").get()!.synchronous, 2);
});
