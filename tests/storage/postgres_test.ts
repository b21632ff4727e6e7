import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { createAuth, type LogFields, startSession, UserExistsError } from "@framework/auth";
import { createSqlStorage, type SqlDatabase, upgradeTables } from "@framework/auth/storage";
import { postgres, postgresDialect, postgresSchema } from "@framework/auth/postgres";
import pg from "pg";
import { SUITES } from "../../auth/tests/handle_cases.ts";
import { POSTGRES_VERSION_1 } from "../../auth/tests/schema_version_1.ts";
import { UPGRADE_CASES } from "../../auth/tests/upgrade_cases.ts";
import { SQL_STORAGE_CASES } from "../../auth/tests/sql_storage_cases.ts";
import { activity, HOUR, NOW, record, session } from "../../testing/storage/records.ts";
import { completeStorage } from "../../testing/storage/complete_storage.ts";
import { interrupt, INTERRUPTION_CASES } from "../../testing/storage/interruption_cases.ts";
import { setRounds } from "../../testing/storage/race.ts";
import { createTrips, type Trips } from "../../testing/storage/trips.ts";
import {
  MORE_CASES,
  record as recordStatements,
  scansOfPostgres,
  type Sent,
} from "../../scripts/plans.ts";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { EMPTY_POSTGRES } from "../support/empty_postgres.ts";
import { inMatrix, RACE_ROUNDS } from "../support/matrix.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { activityGroup } from "../../auth/storage/activity.ts";
import { transactionGroup } from "../../auth/storage/transactions.ts";
import { administrationGroup } from "../../auth/storage/users.ts";
import { groupOf } from "../../auth/storage/storage.ts";
import { sweepText } from "../../auth/storage/sql_executor.ts";
import { ENDING } from "../../auth/storage/statements.ts";

const bin = await findPostgres();

setRounds(RACE_ROUNDS);

// As large as it takes for PostgreSQL to prefer an index; `scripts/plans.ts` does it with a million users.
const SIZE = inMatrix ? { users: 30_000, sessions: 30_000 } : { users: 6000, sessions: 6000 };

/** Operations of a push that lose an exchange: of one statement, and of a transaction; the double of D1 has all. */
const LOST = ["createUser()", "insertSession() with a new owner, in place of another session"];

/** Cases of the matrix: what they do differs by no engine, and takes a server long. SQLite has them. */
const RARE = [
  "endEverything() ends what is named of one user, and nothing else",
  "upgradeTables() leaves tables of a later version alone",
  "upgradeTables() refuses tables that are too new, with both numbers, and does nothing",
  "upgradeTables() runs what is alongside after its own, at every call, for any number at once",
];

/** The cases of a push, or all of them. */
function chosen<Case>(cases: Record<string, Case>): [name: string, one: Case][] {
  return Object.entries(cases).filter(([name]) => inMatrix || !RARE.includes(name));
}

// A hundred at once take their time on a slow machine. What happens in the documented times: postgres_faults_test.ts.
const SLOW = { connectionTimeout: 120_000, statementTimeout: 120_000, requestTimeout: 0 };

/** The same pool, each statement of whose connections is one exchange that can be lost, BEGIN and COMMIT too. */
function poolOverTrips(pool: pg.Pool, { trip }: Trips): pg.Pool {
  // One for each connection, whose errors the library listens to once.
  const known = new WeakMap<pg.PoolClient, pg.PoolClient>();
  return new Proxy(pool, {
    get(target, name) {
      if (name !== "connect") return Reflect.get(target, name);
      return async () => {
        const client = await target.connect();
        const proxy = known.get(client) ?? new Proxy(client, {
          get(connection, member) {
            const value: unknown = Reflect.get(connection, member);
            if (typeof value !== "function") return value;
            const call = value.bind(connection);
            return member === "query" ? (...given: unknown[]) => trip(() => call(...given)) : call;
          },
        });
        known.set(client, proxy);
        return proxy;
      };
    },
  });
}

/** Columns and indexes of all tables. */
async function shapeOf(admin: pg.Client): Promise<unknown> {
  const columns = await admin.query(
    `SELECT table_name, column_name, data_type, is_nullable, column_default
     FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2`,
  );
  const indexes = await admin.query(
    "SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2",
  );
  return [columns.rows, indexes.rows];
}

/** Checks one behaviour over empty tables. */
type PostgresCase = (server: PostgresServer, database: SqlDatabase) => Promise<void>;

/** Cases for PostgreSQL's own behaviour. */
const POSTGRES_CASES: Record<string, PostgresCase> = {
  "createUser() runs statements of the application in the same transaction": async (
    { admin },
    database,
  ) => {
    await admin.query(
      "CREATE TABLE passwords (user_id TEXT PRIMARY KEY REFERENCES users, hash TEXT)",
    );
    const storage = createSqlStorage(database);
    const insert = database.prepare("INSERT INTO passwords VALUES (?1, ?2)");
    const within = groupOf(storage, transactionGroup).transaction([insert.bind("ada", "h")]);
    await storage.createUser(record({ id: "ada" }), { within });
    await assert.rejects(
      storage.createUser(record({ id: "eve" }), { within }),
      /passwords_pkey/,
    );
    assert.equal(await storage.getUser("eve"), null);
    await assert.rejects(storage.createUser(record({ id: "ada" })), UserExistsError);
    assert.equal((await admin.query("SELECT count(*) FROM passwords")).rows[0].count, "1");
  },
  "an application signs its users in, with its own columns": async ({ admin }, database) => {
    await admin.query('ALTER TABLE users ADD COLUMN plan TEXT, ADD COLUMN "seatCount" BIGINT');
    await admin.query("INSERT INTO users (id, plan, \"seatCount\") VALUES ('ada', 'pro', 5)");
    const auth = createAuth({ database, userColumns: ["plan", "seatCount"] });
    const signIn = new Request("http://localhost/in", { method: "POST" });
    const response = await auth.run(signIn, {}, undefined, async () => {
      await startSession("ada");
      return new Response();
    });
    const cookie = response.headers.getSetCookie()[0]!.split(";")[0]!;
    const request = new Request("http://localhost/auth/session", { headers: { cookie } });
    const { user } = await (await auth.handle(request, {}))!.json();
    assert.deepEqual([user.id, user.plan, user.seatCount], ["ada", "pro", 5]);
    await admin.query('ALTER TABLE users DROP COLUMN plan, DROP COLUMN "seatCount"');
  },
  // Tracks: F10
  "a connection that the server ends costs no read": async ({ admin }, database) => {
    const storage = createSqlStorage(database);
    await storage.createUser(record({ id: "ada" }));
    await storage.insertSession(session("s1", "ada"));
    for (let round = 0; round < 5; round++) {
      const reads = Array.from({ length: 10 }, () => storage.readSession("hash-of-s1"));
      await admin.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = 'framework'",
      );
      for (const stored of await Promise.all(reads)) assert.equal(stored?.session.id, "s1");
    }
  },
  // Tracks: F19
  "a row that cannot be read counts as absent and is reported": async ({ admin }, database) => {
    const log: LogFields[] = [];
    const ignore = () => {};
    const error = (event: string, fields: LogFields) => void log.push({ event, ...fields });
    const logger = { info: ignore, warn: ignore, error };
    const storage = createSqlStorage(database, { logger });
    await storage.createUser(record({ id: "ada" }));
    await storage.insertSession(session("s1", "ada"));
    for (const end of ["9007199254740993", "-9223372036854775808", "8640000000000001"]) {
      await admin.query("UPDATE sessions SET expires_at = $1", [end]);
      assert.equal(await storage.readSession("hash-of-s1"), null);
    }
    assert.deepEqual(
      log,
      Array(3).fill({ event: "stored-row-corrupt", column: "expires_at", id: "s1" }),
    );
  },
  "two transactions that wait for each other both succeed": async (_, database) => {
    const storage = createSqlStorage(database);
    const ids = Array.from({ length: 10 }, (_, index) => `u${index}`);
    for (const id of ids) await storage.createUser(record({ id }));
    for (const id of ids) await storage.insertSession(session(`s-${id}`, id, { expiresAt: NOW }));
    await Promise.all([
      ...ids.map((id) => storage.deleteSessions(id)),
      storage.sweep(NOW + HOUR, 100),
      ...ids.reverse().map((id) => groupOf(storage, administrationGroup).disableUser(id, NOW)),
      storage.sweep(NOW + HOUR, 100),
    ]);
    assert.equal(await storage.sweep(NOW + HOUR, 100), 0);
  },
  // Tracks: F21, OP-05
  "a sweep goes by the index whatever is known of the table, and waits for no other": async (
    { admin },
    database,
  ) => {
    const tables = [...ENDING.map((table) => [table, "expires_at"]), ["account_activity", "at"]];
    // All that PostgreSQL knows is that most rows have ended; and that is no longer true.
    await admin.query(`INSERT INTO users (id) VALUES ('ada');
      INSERT INTO sessions SELECT 's' || i, 'h' || i, 'ada', NULL, NULL, 1, 1, 1, 1, NULL
        FROM generate_series(1, 4000) AS i;
      INSERT INTO rate_limits SELECT id, '', 1 FROM sessions;
      INSERT INTO verifications (purpose, hash, created_at, expires_at)
        SELECT 'email', id, 1, 1 FROM sessions;
      INSERT INTO revocations (kind, id, revoked_at, expires_at) SELECT 'user', id, 1, 1 FROM sessions;
      INSERT INTO known_browsers SELECT id, 'ada', 1, 1 FROM sessions;
      INSERT INTO account_activity (id, user_id, type, at) SELECT id, 'ada', 'sign-in', 1 FROM sessions;
      ANALYZE; DELETE FROM rate_limits; DELETE FROM verifications;`);
    for (const [table, column] of tables) {
      const sql = sweepText(table!, postgresDialect, column);
      const { rows } = await admin.query(
        `EXPLAIN ${sql.replace("?1", String(NOW)).replace("?2", "500")}`,
      );
      const plan = rows.map((row: Record<string, unknown>) => row["QUERY PLAN"]).join("\n");
      assert.match(plan, /Tid Scan/, plan);
      assert.match(plan, /Index Scan using \w+_by_(?:end|time)/, plan);
      assert.doesNotMatch(plan, /Seq Scan/, plan);
    }
    // What another has in its hands is left to it.
    await admin.query(`BEGIN; SELECT 1 FROM sessions WHERE id <= 's2' FOR UPDATE`);
    const held = Number(
      (await admin.query("SELECT count(*) AS n FROM sessions WHERE id <= 's2'")).rows[0].n,
    );
    assert.equal(await createSqlStorage(database).sweep(NOW, 100_000), 12_000 - held);
    await admin.query("ROLLBACK");
  },
  "batches at once over one client, which connects by itself, do not come into each other": async (
    { port },
  ) => {
    const client = new pg.Client(`postgres://framework@127.0.0.1:${port}/postgres`);
    try {
      const check = SUITES.driver["batches at once do not come into each other"]!;
      await check({ database: postgres(client, SLOW), steps: [] });
    } finally {
      await client.end();
    }
  },
  "what happens to a user who is deleted at the same time is nowhere": async (
    { admin },
    database,
  ) => {
    const storage = createSqlStorage(database);
    await storage.createUser(record({ id: "ada" }));
    await admin.query("BEGIN; DELETE FROM users WHERE id = 'ada'");
    const stored = groupOf(storage, activityGroup).insertActivity(activity("a", "ada"), {
      keep: 5,
      since: 0,
    });
    // It has found the user, and waits for what becomes of them.
    const waiting = "SELECT 1 FROM pg_locks WHERE NOT granted";
    while ((await admin.query(waiting)).rows.length === 0) await pause(1);
    await admin.query("COMMIT");
    await stored;
    assert.equal((await admin.query("SELECT 1 FROM account_activity")).rows.length, 0);
  },
};

Deno.test({
  name: `SQL storage over PostgreSQL${bin === null ? `: ${postgresHint}` : ""}`,
  ignore: bin === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(test) {
    const server = await startPostgres(bin!);
    try {
      const { admin, pool } = server;
      const anew = () => admin.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
      await admin.query(postgresSchema.up);
      const database = postgres(pool, SLOW);
      const sent = new Map<string, Sent>();
      const recorded = recordStatements(database.direct ?? database, sent);
      for (const [name, run] of chosen({ ...SQL_STORAGE_CASES, ...MORE_CASES })) {
        await admin.query(EMPTY_POSTGRES);
        await test.step(name, () => run(recorded));
      }
      // Tracks: F21, OP-05
      await test.step("no statement of the library reads a whole table of PostgreSQL", async () => {
        assert.ok(sent.size > 60, String(sent.size));
        // As on a disk that finds every page as fast: it prefers an index of fewer rows.
        if (!inMatrix) await admin.query("SET random_page_cost = 1.1");
        assert.deepEqual(await scansOfPostgres(server, [...sent.values()], SIZE), []);
        await admin.query("RESET random_page_cost");
      });
      for (const [name, check] of Object.entries(POSTGRES_CASES)) {
        await admin.query(EMPTY_POSTGRES);
        await test.step(name, () => check(server, database));
      }
      const trips = createTrips();
      const storage = completeStorage(
        createSqlStorage(postgres(poolOverTrips(pool, trips), SLOW)),
      );
      for (const [name, one] of Object.entries(INTERRUPTION_CASES)) {
        if (!inMatrix && !LOST.includes(name)) continue;
        await admin.query(EMPTY_POSTGRES);
        // Tracks: F10, F11
        await test.step(`${name} happens as a whole or not at all when an exchange is lost`, async () => {
          await interrupt(one, { storage, trips });
        });
      }
      await anew();
      // Tracks: F48, OP-06
      for (const [name, check] of chosen(UPGRADE_CASES)) {
        await test.step(name, async () => {
          await admin.query(POSTGRES_VERSION_1);
          try {
            await check({
              database: postgres(pool, SLOW),
              steps: postgresSchema.steps,
            });
          } finally {
            await anew();
          }
        });
      }
      await test.step("the steps make of the first tables what postgresSchema makes, and back", async () => {
        const shapes: unknown[] = [];
        for (const begin of [POSTGRES_VERSION_1, postgresSchema.up]) {
          await admin.query(begin);
          if (begin === POSTGRES_VERSION_1) {
            await upgradeTables(postgres(server.pool));
          }
          shapes.push(await shapeOf(admin));
          for (const { down } of postgresSchema.steps.toReversed()) await admin.query(down);
          shapes.push(await shapeOf(admin));
          await anew();
        }
        assert.deepEqual(shapes[0], shapes[2]);
        assert.deepEqual(shapes[1], shapes[3]);
      });
      await test.step("processes that begin at once on an empty database find each other's tables", async () => {
        const alongside = [
          "CREATE TABLE IF NOT EXISTS passwords (user_id TEXT PRIMARY KEY REFERENCES users (id), hash TEXT)",
        ];
        for (let round = 0; round < (inMatrix ? 10 : 1); round++) {
          const databases = Array.from({ length: 6 }, () => postgres(pool, SLOW));
          for (let again = 0; again < 2; again++) {
            const made = databases.map((database) => upgradeTables(database, { alongside }));
            for (const { to } of await Promise.all(made)) assert.equal(to, postgresSchema.version);
            assert.deepEqual((await admin.query("SELECT * FROM passwords")).rows, []);
          }
          await anew();
        }
      });
      await test.step("postgresSchema makes its tables and removes them again", async () => {
        await admin.query(postgresSchema.up);
        assert.equal(
          (await admin.query("SELECT version FROM auth_schema")).rows[0].version,
          String(postgresSchema.version),
        );
        await admin.query(postgresSchema.down);
        const { rows } = await admin.query("SELECT 1 FROM pg_tables WHERE schemaname = 'public'");
        assert.deepEqual(rows, []);
      });
    } finally {
      await server.stop();
    }
  },
});
