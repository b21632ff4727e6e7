import assert from "node:assert/strict";
import { ConfigurationError, StorageUnavailableError } from "../errors.ts";
import { postgres } from "./postgres.ts";
import { createSqlStorage } from "./sql.ts";
import type { PostgresConnection, PostgresPool, PostgresResult } from "./postgres_pool.ts";
import type { SqlResult } from "./sql_database.ts";

interface PoolDouble extends PostgresPool {
  /** Queries that were made, and how connections were returned. */
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

Deno.test("postgres() runs a statement on a connection of its own", async () => {
  const pool = createPoolDouble({ rowCount: 2, command: "UPDATE" });
  const result = await postgres(pool).prepare("UPDATE t SET a = ?2 WHERE b = ?1")
    .bind("x", 5).run();
  assert.deepEqual(result, { results: [], meta: { changes: 2 } });
  assert.deepEqual(pool.log, [
    "connect",
    "SET statement_timeout = 4500",
    "UPDATE t SET a = $2 WHERE b = $1 | x | 5",
    "release",
  ]);
});

Deno.test("postgres() makes numbers of BIGINT as far as numbers hold it", async () => {
  const fields = [
    { name: "at", dataTypeID: 20 },
    { name: "later", dataTypeID: 20 },
    { name: "none", dataTypeID: 20 },
    { name: "text", dataTypeID: 25 },
  ];
  const rows = [{ at: "1767225600000", later: "9007199254740993", none: null, text: "5" }];
  const pool = createPoolDouble({ rows, rowCount: 1, fields });
  const { results, meta } = await postgres(pool).prepare("SELECT").all();
  assert.deepEqual(results, [
    { at: 1767225600000, later: "9007199254740993", none: null, text: "5" },
  ]);
  assert.equal(meta.changes, 0);
});

// Tracks: K4
Deno.test("postgres() runs a batch as one transaction on one connection", async () => {
  const pool = createPoolDouble();
  const database = postgres(pool, { statementTimeout: 0 });
  await database.batch([database.prepare("A").bind(1), database.prepare("B")]);
  assert.deepEqual(pool.log, ["connect", "BEGIN", "A | 1", "B", "COMMIT", "release"]);
});

Deno.test("postgres() rolls a batch back that the server refuses, and keeps the connection", async () => {
  const pool = createPoolDouble();
  const database = postgres(pool, { statementTimeout: 0 });
  pool.fail.B = serverError("23505");
  const batch = database.batch(["A", "B", "C"].map((sql) => database.prepare(sql)));
  await assert.rejects(batch, (error) => error === pool.fail.B);
  assert.deepEqual(pool.log, ["connect", "BEGIN", "A", "B", "ROLLBACK", "release"]);
});

Deno.test("postgres() closes a connection whose state nobody knows", async () => {
  for (const error of [new Error("socket hang up"), serverError("57P01"), serverError("08006")]) {
    const pool = createPoolDouble();
    pool.fail.A = error;
    await assert.rejects(
      postgres(pool).prepare("A").run(),
      (it) => it === error || (it as Error).cause === error,
    );
    assert.equal(pool.log.at(-1), "destroy");
  }
  const pool = createPoolDouble();
  pool.fail.A = serverError("23505");
  pool.fail.ROLLBACK = new Error("socket hang up");
  const database = postgres(pool);
  await assert.rejects(
    database.batch([database.prepare("A")]),
    (error) => ((error as Error).cause as Error).cause === pool.fail.A,
  );
  assert.equal(pool.log.at(-1), "destroy");
});

// Tracks: K11
Deno.test("postgres() sends no text with NUL: who sent it is told, and the connection stays", async () => {
  const pool = createPoolDouble();
  const database = postgres(pool, { statementTimeout: 0 });
  const told = { name: "RequestError", status: 400 };
  await assert.rejects(database.prepare("SELECT a").bind("a\0b").first(), told);
  await assert.rejects(createSqlStorage(database).getUser("a\0b"), told);
  await assert.rejects(
    database.batch([database.prepare("A").bind("a"), database.prepare("B").bind("\0")]),
    told,
  );
  assert.deepEqual(pool.log.slice(-5), ["connect", "BEGIN", "A | a", "ROLLBACK", "release"]);
  assert.equal(pool.log.includes("destroy"), false);
});

// Tracks: F10
Deno.test("postgres() closes a connection to a server that has become a replica", async () => {
  const pool = createPoolDouble();
  pool.fail.B = serverError("25006");
  const database = postgres(pool, { statementTimeout: 0 });
  await assert.rejects(database.prepare("B").run());
  await assert.rejects(database.batch([database.prepare("A"), database.prepare("B")]));
  assert.deepEqual(pool.log, ["connect", "B", "destroy", "connect", "BEGIN", "A", "B", "destroy"]);
});

Deno.test("postgres() listens once to the failure of each connection, or the driver ends the process", async () => {
  const listened: string[] = [];
  const connection: PostgresConnection = {
    query: () => Promise.resolve({ rows: [], rowCount: 0, command: "SELECT", fields: [] }),
    release() {},
    on(event, listener) {
      listened.push(event);
      listener(new Error("terminated"));
    },
  };
  const database = postgres({ connect: () => Promise.resolve(connection) });
  for (let round = 0; round < 3; round++) await database.prepare("A").run();
  assert.deepEqual(listened, ["error"]);
});

// Tracks: F10
Deno.test("postgres() listens to a connection before the pool hands it out, and once to the pool", async () => {
  const log: string[] = [];
  let made: ((connection: PostgresConnection) => void) | undefined;
  const pool: PostgresPool = {
    on(event, listener) {
      log.push(event);
      if (event === "connect") made = listener as typeof made;
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
  for (let round = 0; round < 2; round++) await postgres(pool).prepare("A").run();
  assert.deepEqual(log, ["connect", "error", "listens", "listens"]);
});

/** A pool of which the test says when it answers. */
function createSlowPool() {
  const released: string[] = [];
  const waiting: ((connection: PostgresConnection) => void)[] = [];
  let made = 0;
  function createConnection(query: PostgresConnection["query"] = neverAnswers): PostgresConnection {
    const name = `connection ${++made}`;
    return {
      query: (text, values) =>
        text.startsWith("SET ") ? Promise.resolve(NOTHING) : query(text, values),
      release: (destroy) => void released.push(`${name} ${destroy === true ? "closed" : "kept"}`),
    };
  }
  const pool: PostgresPool = { connect: () => new Promise((resolve) => waiting.push(resolve)) };
  return { pool, released, waiting, createConnection };
}

const NOTHING: PostgresResult = { rows: [], rowCount: 0, command: "SELECT", fields: [] };

function neverAnswers(): Promise<PostgresResult> {
  return new Promise(() => {});
}

// Tracks: OP-03
Deno.test("postgres() gives up a connection that does not come, and releases it when it comes late", async () => {
  const { pool, released, waiting, createConnection } = createSlowPool();
  const database = postgres(pool, { connectionTimeout: 10 });
  await assert.rejects(database.prepare("SELECT 1").first(), StorageUnavailableError);
  assert.deepEqual(released, []);
  waiting[0]!(createConnection());
  await Promise.resolve();
  assert.deepEqual(released, ["connection 1 kept"]);
});

// Tracks: OP-03
Deno.test("postgres() closes a connection on which nobody answers, and those that are silent as long", async () => {
  const { released, createConnection } = createSlowPool();
  const answers = () => Promise.resolve(NOTHING);
  const idle = createConnection(answers);
  const silent = createConnection();
  const fresh = createConnection(answers);
  // The idle one was heard of before the silence began.
  const connections = [idle, silent, idle, fresh];
  const pool: PostgresPool = { connect: () => Promise.resolve(connections.shift()!) };
  const database = postgres(pool, { statementTimeout: 10 });
  await database.prepare("SELECT 1").first();
  await assert.rejects(database.prepare("INSERT INTO t").run(), StorageUnavailableError);
  await database.prepare("SELECT 1").first();
  assert.deepEqual(released, [
    "connection 1 kept",
    "connection 2 closed",
    "connection 1 closed",
    "connection 3 kept",
  ]);
});

// Tracks: OP-03
Deno.test("postgres() rolls nothing back on a connection that does not answer", async () => {
  const asked: string[] = [];
  const { released, createConnection } = createSlowPool();
  const connection = createConnection((text) => {
    asked.push(text);
    return text === "A" ? neverAnswers() : Promise.resolve(NOTHING);
  });
  const database = postgres({ connect: () => Promise.resolve(connection) }, {
    statementTimeout: 10,
  });
  await assert.rejects(
    database.batch([database.prepare("A"), database.prepare("B")]),
    StorageUnavailableError,
  );
  assert.deepEqual(asked, ["BEGIN", "A"]);
  assert.deepEqual(released, ["connection 1 closed"]);
});

// Tracks: OP-03
Deno.test("postgres() gives a pool without a time for its connections one, and keeps another", () => {
  for (const [given, expected] of [[undefined, 5000], [0, 5000], [700, 700]] as const) {
    const pool = { ...createSlowPool().pool, options: { connectionTimeoutMillis: given } };
    postgres(pool);
    assert.equal(pool.options.connectionTimeoutMillis, expected);
  }
});

Deno.test("postgres() refuses a timeout that is none", () => {
  for (const statementTimeout of [-1, 0.5, NaN, Infinity, "5s" as unknown as number]) {
    assert.throws(
      () => postgres(createSlowPool().pool, { statementTimeout }),
      (error) => error instanceof ConfigurationError && error.field === "statementTimeout",
    );
  }
});

// Tracks: AU-13
Deno.test("postgres() refuses other handles by name, and postgres.js that renames columns", () => {
  class Kysely {}
  assert.throws(() => postgres(new Kysely() as never), /cannot use Kysely: .*postgres\.js/);
  assert.throws(() => postgres(undefined as never), ConfigurationError);
  // The sql of neon(), whose transactions are lists of statements.
  const neon = Object.assign(() => {}, { query() {}, unsafe() {}, transaction() {} });
  assert.throws(() => postgres(neon as never), /Pool or a Client of pg or of @neondatabase/);
  const transform = { column: { from: (name: string) => name } };
  const renaming = Object.assign(() => {}, {
    unsafe() {},
    begin() {},
    options: { connection: {}, transform },
  });
  assert.throws(() => postgres(renaming as never), /a client of its own without one/);
});

/** A PGlite that refuses a statement, as it does with values that are none of the types of their columns. */
function createPgliteDouble(refused: string) {
  const log: string[] = [];
  function query(text: string, values: unknown[] = []) {
    log.push([text, ...values].join(" | "));
    if (text === refused) return Promise.reject(new Error("Invalid input for BOOL type"));
    const fields = [{ name: "at", dataTypeID: 20 }];
    return Promise.resolve({ rows: [{ at: "5" }], affectedRows: 2, fields });
  }
  return {
    log,
    waitReady: Promise.resolve(),
    query,
    async transaction<T>(work: (own: { query: typeof query }) => Promise<T>): Promise<T> {
      await Promise.resolve();
      log.push("begun");
      try {
        const result = await work({ query });
        log.push("committed");
        return result;
      } catch (error) {
        log.push("taken back");
        throw error;
      }
    },
  };
}

// Tracks: K4
Deno.test("postgres() over PGlite runs a batch in its transaction, and leaves none open behind what it refuses", async () => {
  const pglite = createPgliteDouble("C");
  const database = postgres(pglite, { statementTimeout: 0 });
  const [{ results, meta }] = await database.batch([database.prepare("UPDATE a = ?1").bind(1)]) as [
    SqlResult,
  ];
  assert.deepEqual([results, meta.changes], [[{ at: 5 }], 2]);
  await assert.rejects(database.batch(["B", "C"].map((sql) => database.prepare(sql))), /BOOL/);
  assert.deepEqual(await database.prepare("SELECT 1").first(), { at: 5 });
  assert.deepEqual(pglite.log, [
    ...["begun", "UPDATE a = $1 | 1", "committed"],
    ...["begun", "B", "C", "taken back", "SELECT 1"],
  ]);
});
