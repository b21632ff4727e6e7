import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { StorageUnavailableError } from "../errors.ts";
import { createFaultyDatabase, LOST_MESSAGES } from "../tests/faulty_database.ts";
import { createSqlExecutor, forApplications } from "./sql_executor.ts";
import { sqlite } from "./sqlite.ts";

const LOST = LOST_MESSAGES[0]!;

/** A table with one row, behind a connection that is lost at will. */
function withTable() {
  const file = new DatabaseSync(":memory:");
  file.exec("CREATE TABLE t (a INTEGER UNIQUE); INSERT INTO t VALUES (1)");
  const faulty = createFaultyDatabase(sqlite(file));
  const count = () => file.prepare("SELECT count(*) AS n FROM t").get()!.n;
  return { file, faulty, count, database: forApplications(faulty) };
}

// Tracks: OP-09
Deno.test("a statement of the application that reads is tried three times, and then a 503", async () => {
  const { file, faulty, database } = withTable();
  const read = database.prepare("SELECT a FROM t WHERE a = ?1").bind(1);
  faulty.faults.push({ when: "before", message: LOST }, { when: "after", message: LOST });
  assert.deepEqual({ ...await read.first<object>() }, { a: 1 });
  assert.equal(faulty.trips, 3);
  faulty.faults.push(...Array(3).fill({ when: "before", message: LOST }));
  await assert.rejects(read.all(), (error) => {
    return error instanceof StorageUnavailableError && error.status === 503 &&
      (error.cause as Error).message === LOST;
  });
  assert.equal(faulty.trips, 6);
  file.close();
});

// Tracks: OP-09
Deno.test("a statement of the application that may write is run once, whatever becomes of the answer", async () => {
  const { file, faulty, count, database } = withTable();
  const writes = [
    () => database.prepare("INSERT INTO t VALUES (2)").run(),
    () => database.prepare("INSERT INTO t VALUES (3) RETURNING a").first(),
    () => database.batch([database.prepare("INSERT INTO t VALUES (?1)").bind(4)]),
  ];
  for (const [index, write] of writes.entries()) {
    faulty.faults.push({ when: "after", message: LOST });
    const { trips } = faulty;
    await assert.rejects(write(), StorageUnavailableError);
    assert.equal(faulty.trips, trips + 1);
    assert.equal(count(), index + 2);
  }
  faulty.faults.push({ when: "before", message: "database is locked" });
  await assert.rejects(database.prepare("DELETE FROM t").run(), StorageUnavailableError);
  assert.equal(count(), 4);
  file.close();
});

// Tracks: OP-09
Deno.test("an application sees the errors of its own statements as they are", async () => {
  const { file, database } = withTable();
  for (const sql of ["INSERT INTO t VALUES (1)", "SELECT nothing FROM t", "SELEC 1"]) {
    await assert.rejects(
      database.prepare(sql).run(),
      (error) => !(error instanceof StorageUnavailableError),
      sql,
    );
  }
  file.close();
});

Deno.test("the library's own statements go to the database underneath, also of one that was spread", async () => {
  const { file, faulty, database } = withTable();
  assert.equal(database.direct, faulty);
  const seen: string[] = [];
  const own = { ...database, prepare: (sql: string) => (seen.push(sql), database.prepare(sql)) };
  await createSqlExecutor(own).prepare("SELECT a FROM t").first();
  assert.deepEqual(seen, ["SELECT a FROM t"]);
  file.close();
});
