import assert from "node:assert/strict";
import {
  createPostgresDatabase,
  type PostgresConnection,
  type PostgresPool,
  type PostgresResult,
} from "./postgres_database.ts";

interface PoolDouble extends PostgresPool {
  /** What was asked, and how connections came back. */
  log: string[];
  /** Errors by statement. */
  fail: Record<string, Error>;
}

function createPoolDouble(result: Partial<PostgresResult> = {}): PoolDouble {
  const log: string[] = [];
  const fail: Record<string, Error> = {};
  return {
    log,
    fail,
    connect() {
      log.push("connect");
      return Promise.resolve({
        query(text, values = []) {
          log.push([text, ...values].join(" | "));
          const error = fail[text];
          if (error !== undefined) return Promise.reject(error);
          return Promise.resolve({
            rows: [],
            rowCount: 0,
            command: "SELECT",
            fields: [],
            ...result,
          });
        },
        release: (destroy) => void log.push(destroy === true ? "destroy" : "release"),
      });
    },
  };
}

function serverError(code: string): Error {
  return Object.assign(new Error("refused"), { code });
}

Deno.test("createPostgresDatabase() runs a statement on a connection of its own", async () => {
  const pool = createPoolDouble({ rowCount: 2, command: "UPDATE" });
  const result = await createPostgresDatabase(pool).prepare("UPDATE t SET a = ?2 WHERE b = ?1")
    .bind("x", 5).run();
  assert.deepEqual(result, { results: [], meta: { changes: 2 } });
  assert.deepEqual(pool.log, ["connect", "UPDATE t SET a = $2 WHERE b = $1 | x | 5", "release"]);
});

Deno.test("createPostgresDatabase() makes numbers of BIGINT as far as numbers hold it", async () => {
  const fields = [
    { name: "at", dataTypeID: 20 },
    { name: "later", dataTypeID: 20 },
    { name: "none", dataTypeID: 20 },
    { name: "text", dataTypeID: 25 },
  ];
  const rows = [{ at: "1767225600000", later: "9007199254740993", none: null, text: "5" }];
  const pool = createPoolDouble({ rows, rowCount: 1, fields });
  const { results, meta } = await createPostgresDatabase(pool).prepare("SELECT").all();
  assert.deepEqual(results, [
    { at: 1767225600000, later: "9007199254740993", none: null, text: "5" },
  ]);
  assert.equal(meta.changes, 0);
});

// Tracks: K4
Deno.test("createPostgresDatabase() runs a batch as one transaction on one connection", async () => {
  const pool = createPoolDouble();
  const database = createPostgresDatabase(pool);
  await database.batch([database.prepare("A").bind(1), database.prepare("B")]);
  assert.deepEqual(pool.log, ["connect", "BEGIN", "A | 1", "B", "COMMIT", "release"]);
});

Deno.test("createPostgresDatabase() rolls a batch back that the server refuses, and keeps the connection", async () => {
  const pool = createPoolDouble();
  const database = createPostgresDatabase(pool);
  pool.fail.B = serverError("23505");
  const batch = database.batch(["A", "B", "C"].map((sql) => database.prepare(sql)));
  await assert.rejects(batch, (error) => error === pool.fail.B);
  assert.deepEqual(pool.log, ["connect", "BEGIN", "A", "B", "ROLLBACK", "release"]);
});

Deno.test("createPostgresDatabase() closes a connection whose state nobody knows", async () => {
  for (const error of [new Error("socket hang up"), serverError("57P01"), serverError("08006")]) {
    const pool = createPoolDouble();
    pool.fail.A = error;
    await assert.rejects(createPostgresDatabase(pool).prepare("A").run(), (it) => it === error);
    assert.equal(pool.log.at(-1), "destroy");
  }
  const pool = createPoolDouble();
  pool.fail.A = serverError("23505");
  pool.fail.ROLLBACK = new Error("socket hang up");
  const database = createPostgresDatabase(pool);
  await assert.rejects(
    database.batch([database.prepare("A")]),
    (error) => error instanceof Error && error.cause === pool.fail.A,
  );
  assert.equal(pool.log.at(-1), "destroy");
});

Deno.test("createPostgresDatabase() listens once to the failure of each connection, or the driver ends the process", async () => {
  const listened: string[] = [];
  const connection: PostgresConnection = {
    query: () => Promise.resolve({ rows: [], rowCount: 0, command: "SELECT", fields: [] }),
    release() {},
    on(event, listener) {
      listened.push(event);
      listener(new Error("terminated"));
    },
  };
  const database = createPostgresDatabase({ connect: () => Promise.resolve(connection) });
  for (let round = 0; round < 3; round++) await database.prepare("A").run();
  assert.deepEqual(listened, ["error"]);
});

// Tracks: F10
Deno.test("createPostgresDatabase() listens to a connection before the pool hands it out, and once to the pool", async () => {
  const log: string[] = [];
  let made: ((connection: PostgresConnection) => void) | undefined;
  const pool: PostgresPool = {
    on(event, listener) {
      log.push(event);
      made = listener;
    },
    connect() {
      let listens = false;
      const connection: PostgresConnection = {
        query: () => Promise.resolve({ rows: [], rowCount: 0, command: "SELECT", fields: [] }),
        release() {},
        on: () => listens = true,
      };
      made?.(connection);
      log.push(listens ? "listens" : "does not listen");
      return Promise.resolve(connection);
    },
  };
  for (let round = 0; round < 2; round++) await createPostgresDatabase(pool).prepare("A").run();
  assert.deepEqual(log, ["connect", "listens", "listens"]);
});
