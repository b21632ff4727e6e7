import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { CliError } from "../terminal/exit.ts";
import { applyMigrations } from "./apply.ts";
import { readLedger } from "./ledger.ts";
import type { RemoteConnection, Rows } from "./remote.ts";
import { createRemoteMigrations } from "./remote_migrations.ts";
import { splitStatements } from "./statements.ts";

const table = "d1_migrations";
const files = [
  { name: "1_a.sql", sql: "CREATE TABLE a (x);\n-- it's a comment" },
  {
    name: "2_b's.sql",
    sql: `CREATE TABLE b (x);
CREATE TRIGGER t AFTER INSERT ON b BEGIN INSERT INTO a VALUES (';'); DELETE FROM a; END;`,
  },
];
const downs = [
  { name: "2_b's.sql", sql: "DROP TABLE b;" },
  { name: "1_a.sql", sql: "DROP TABLE a;" },
];

/** Connects as the platform does: requests one after the other, each as a whole or not at all. */
function connect(database: DatabaseSync): RemoteConnection & { requests: string[] } {
  const requests: string[] = [];
  function run(sql: string): Rows[] {
    requests.push(sql);
    database.exec("BEGIN");
    try {
      const rows = splitStatements(sql).map(({ text }) => database.prepare(text).all());
      database.exec("COMMIT");
      return rows as Rows[];
    } catch (error) {
      database.exec("ROLLBACK");
      throw error;
    }
  }
  const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
  return {
    requests,
    query: (sql) => turn().then(() => run(sql)),
    execute: (sql) => turn().then(() => void run(sql)),
  };
}

function withDatabase(test: (database: DatabaseSync) => Promise<void>): Promise<void> {
  const database = new DatabaseSync(":memory:");
  return test(database).finally(() => database.close());
}

async function apply(
  connection: RemoteConnection,
  { list = files, steps, signal }: {
    list?: typeof files;
    steps?: number;
    signal?: AbortSignal;
  } = {},
): Promise<string[]> {
  const done: string[] = [];
  await createRemoteMigrations(connection, table).apply(list, {
    steps,
    signal: signal ?? new AbortController().signal,
    onDone: (name) => done.push(name),
    onOutOfOrder: (names) => done.push(`late: ${names}`),
  });
  return done;
}

async function revert(connection: RemoteConnection, list: typeof files): Promise<string[]> {
  const done: string[] = [];
  await createRemoteMigrations(connection, table).revert(list, {
    signal: new AbortController().signal,
    onDone: (name) => done.push(name),
  });
  return done;
}

function names(database: DatabaseSync): string[] {
  return readLedger(database, table).map(({ name }) => name);
}

Deno.test("createRemoteMigrations() applies and takes back, with the records that the local database has", () =>
  withDatabase(async (database) => {
    const connection = connect(database);
    assert.deepEqual(await apply(connection, { steps: 1 }), ["1_a.sql"]);
    assert.deepEqual(await apply(connection), ["2_b's.sql"]);
    assert.deepEqual(await apply(connection), []);
    await withDatabase(async (local) => {
      await applyMigrations(local, files, {
        table,
        signal: new AbortController().signal,
        onApplied() {},
        onOutOfOrder() {},
      });
      const records = (each: DatabaseSync) =>
        readLedger(each, table).map(({ name, checksum }) => [name, checksum]);
      assert.deepEqual(records(database), records(local));
    });
    database.exec("INSERT INTO b VALUES (1)");
    assert.deepEqual(await revert(connection, downs), ["2_b's.sql", "1_a.sql"]);
    assert.deepEqual(names(database), []);
    assert.equal(
      database.prepare("SELECT count(*) AS n FROM framework_migration_lock").get()?.["n"],
      0,
    );
  }));

// Tracks: R159
Deno.test("createRemoteMigrations() reads what is applied without making or changing anything", () =>
  withDatabase(async (database) => {
    const connection = connect(database);
    assert.deepEqual(await createRemoteMigrations(connection, table).ledger(), []);
    assert.deepEqual(database.prepare("SELECT name FROM sqlite_master").all(), []);
    database.exec("CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name, applied_at)");
    database.exec("INSERT INTO d1_migrations (name, applied_at) VALUES ('1_a.sql', 'then')");
    assert.deepEqual(await createRemoteMigrations(connection, table).ledger(), [
      { name: "1_a.sql", appliedAt: "then", checksum: undefined },
    ]);
    for (const request of connection.requests) assert.match(request, /^SELECT /);
  }));

// Tracks: F39
Deno.test("createRemoteMigrations() stops at the file that fails and leaves nothing of it", () =>
  withDatabase(async (database) => {
    const bad = { name: "3_c.sql", sql: "CREATE TABLE c (x); INSERT INTO nowhere VALUES (1);" };
    const connection = connect(database);
    await assert.rejects(
      apply(connection, { list: [...files, bad] }),
      (error) =>
        error instanceof CliError && /^3_c\.sql: no such table: nowhere/.test(error.message) &&
        error.hint === "Nothing of this file was applied. Correct it and run the command again.",
    );
    assert.deepEqual(names(database), ["1_a.sql", "2_b's.sql"]);
    assert.throws(() => database.exec("SELECT * FROM c"), /no such table/);
    const changed = [{ ...files[0]!, sql: "CREATE TABLE a (y);" }, files[1]!];
    await assert.rejects(apply(connection, { list: changed }), {
      message: "1_a.sql was changed after it was applied.",
    });
    await assert.rejects(apply(connection, { list: [files[0]!] }), {
      message: "2_b's.sql has been applied, but its file is missing.",
    });
    assert.deepEqual(
      await apply(connection, { list: [{ name: "0_z.sql", sql: "SELECT 1;" }, ...files] }),
      ["late: 0_z.sql", "0_z.sql"],
    );
  }));

// Tracks: F37
Deno.test("createRemoteMigrations() believes the record, not a connection that broke", () =>
  withDatabase(async (database) => {
    const real = connect(database);
    const lost = new Error("fetch failed");
    const afterwards = {
      ...real,
      execute: (sql: string) => real.execute(sql).then(() => Promise.reject(lost)),
    };
    assert.deepEqual(await apply(afterwards), ["1_a.sql", "2_b's.sql"]);
    assert.deepEqual(await revert(afterwards, downs), ["2_b's.sql", "1_a.sql"]);

    const before = { ...real, execute: () => Promise.reject(lost) };
    await assert.rejects(apply(before), { message: "1_a.sql: fetch failed" });
    assert.deepEqual(names(database), []);

    let broken = false;
    const gone: RemoteConnection = {
      query: (sql) => broken ? Promise.reject(lost) : real.query(sql),
      execute() {
        broken = true;
        return Promise.reject(lost);
      },
    };
    await assert.rejects(
      apply(gone),
      (error) =>
        error instanceof CliError &&
        /The outcome is unknown/.test(error.hint ?? ""),
    );
  }));

// Tracks: F38
Deno.test("createRemoteMigrations() lets one of two processes through, and each file is applied once", async () => {
  for (let round = 0; round < 20; round++) {
    await withDatabase(async (database) => {
      const results = await Promise.allSettled([
        apply(connect(database)),
        apply(connect(database)),
      ]);
      const refused = results.filter((result) => result.status === "rejected");
      assert.equal(refused.length, 1);
      assert.equal(
        refused[0]?.reason.message,
        "Another process is migrating the remote database.",
      );
      assert.deepEqual(names(database), ["1_a.sql", "2_b's.sql"]);
    });
  }
});

// Tracks: F38
Deno.test("createRemoteMigrations() applies nothing more once its lock was taken over", () =>
  withDatabase(async (database) => {
    const real = connect(database);
    let uploads = 0;
    const slow: RemoteConnection = {
      ...real,
      execute(sql) {
        if (++uploads === 2) {
          database.exec("UPDATE framework_migration_lock SET owner = 'another'");
        }
        return real.execute(sql);
      },
    };
    await assert.rejects(apply(slow), /2_b's\.sql: NOT NULL constraint failed/);
    assert.deepEqual(names(database), ["1_a.sql"]);
    const owner = database.prepare("SELECT owner FROM framework_migration_lock").get()?.["owner"];
    assert.equal(owner, "another", "the lock of the other process stays");
    await assert.rejects(apply(real), /Another process is migrating/);
    database.exec("UPDATE framework_migration_lock SET expires_at = unixepoch() - 1");
    assert.deepEqual(await apply(real), ["2_b's.sql"]);
  }));

Deno.test("createRemoteMigrations() stops between files when interrupted, and gives the lock back", () =>
  withDatabase(async (database) => {
    const interruption = new AbortController();
    const real = connect(database);
    const connection: RemoteConnection = {
      ...real,
      execute(sql) {
        interruption.abort();
        return real.execute(sql);
      },
    };
    assert.deepEqual(await apply(connection, { signal: interruption.signal }), ["1_a.sql"]);
    assert.deepEqual(await apply(real), ["2_b's.sql"]);
  }));

// Tracks: AB-14, SP-W6
Deno.test("createRemoteMigrations() refuses an empty file, cannot empty the database, and names no command that would", () =>
  withDatabase(async (database) => {
    const connection = connect(database);
    const empty = { name: "3_c.sql", sql: "-- nothing yet" };
    await assert.rejects(apply(connection, { list: [...files, empty] }), {
      message: "3_c.sql contains no statement, so nothing was applied.",
    });
    assert.deepEqual(names(database), []);
    await apply(connection);
    for (const list of [[files[0]!], [{ ...files[0]!, sql: "SELECT 2;" }, files[1]!]]) {
      await assert.rejects(
        apply(connection, { list }),
        (error) => error instanceof CliError && /^Restore the file[^`]*\.$/.test(error.hint ?? ""),
      );
    }
    assert.equal(createRemoteMigrations(connection, table).empty, undefined);
  }));
