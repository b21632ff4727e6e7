// Sign-up in the transaction of an application, by the clients that people use, on PostgreSQL.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { postgres, postgresSchema } from "@framework/auth/postgres";
import { sqlite } from "@framework/auth/sqlite";
import { authSchema } from "@framework/auth/storage";
import { CompiledQuery, Kysely, PostgresDialect, sql } from "kysely";
import type pg from "pg";
import { Pool } from "pg";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { EMPTY_POSTGRES } from "../support/empty_postgres.ts";
import { inMatrix } from "../support/matrix.ts";
import { nodeIsAvailable } from "../support/node.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { type Client, documentedTrigger, signUp, testJoined } from "./joined_cases.ts";
import { clientOfPrisma, load } from "./joined_clients.ts";

function clientOfPg(pool: pg.Pool): Client {
  return {
    async transaction(work) {
      const client = await pool.connect();
      client.on("error", () => {});
      try {
        await client.query("BEGIN");
        const result = await work(
          ({ text, values }) => client.query(text, values),
          (text) => client.query(text),
        );
        await client.query("COMMIT");
        return result;
      } catch (error) {
        await client.query("ROLLBACK").catch(() => {});
        throw error;
      } finally {
        client.release();
      }
    },
    close: () => Promise.resolve(),
  };
}

function clientOfKysely(pool: pg.Pool): Client {
  const db = new Kysely({ dialect: new PostgresDialect({ pool }) });
  return {
    transaction: (work) =>
      db.transaction().execute((tx) =>
        work(
          ({ text, values }) => tx.executeQuery(CompiledQuery.raw(text, values)),
          (text) => sql.raw(text).execute(tx),
        )
      ),
    close: () => Promise.resolve(),
  };
}

// Tracks: AU-05
Deno.test("a sign-up at /auth/signup stores the documented trigger's row with the user, or neither: SQLite", async () => {
  using file = new DatabaseSync(":memory:");
  file.exec(`${authSchema.up}; CREATE TABLE profiles (user_id TEXT)`);
  file.exec(await documentedTrigger("SQLite"));
  const database = sqlite(file);
  assert.equal(await signUp(database, "ada@example.com"), 303);
  const joined = file.prepare("SELECT count(*) AS n FROM users JOIN profiles ON user_id = id");
  assert.deepEqual({ ...joined.get() }, { n: 1 });
  file.exec("DROP TABLE profiles");
  assert.equal(await signUp(database, "bob@example.com"), 500);
  assert.deepEqual({ ...file.prepare("SELECT count(*) AS n FROM users").get() }, { n: 1 });
});

const bin = await findPostgres();
const LIMITS = { connectionTimeout: 5000, statementTimeout: 500, requestTimeout: 500 };

// Tracks: AU-05
Deno.test({
  name:
    "a sign-up at /auth/signup stores the documented trigger's row with the user, or neither: " +
    (bin === null ? `PostgreSQL [unavoidable: ${postgresHint}]` : "PostgreSQL"),
  ignore: bin === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const { admin, pool, stop } = await startPostgres(bin!);
    try {
      await admin.query(`${postgresSchema.up}; CREATE TABLE profiles (user_id TEXT)`);
      await admin.query(await documentedTrigger("PostgreSQL"));
      assert.equal(await signUp(postgres(pool), "ada@example.com"), 303);
      const count = async (sql: string) => Number((await admin.query(sql)).rows[0].count);
      assert.equal(await count("SELECT count(*) FROM users JOIN profiles ON user_id = id"), 1);
      await admin.query("DROP TABLE profiles");
      assert.equal(await signUp(postgres(pool), "bob@example.com"), 500);
      assert.equal(await count("SELECT count(*) FROM users"), 1);
    } finally {
      await stop();
    }
  },
});

/** A trigger that makes insertions of users slow, and how it goes. */
const SLOW = {
  begin: `CREATE FUNCTION slow() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pg_sleep(1);
  RETURN NEW;
END $$;
CREATE TRIGGER slow BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION slow()`,
  end: "DROP TRIGGER slow ON users; DROP FUNCTION slow()",
};

function testClient(name: string, open: (server: PostgresServer) => Promise<Client>): void {
  // Tracks: AU-05
  Deno.test({
    name: `joinTransaction() stores by ${name}` +
      (bin === null ? ` [unavoidable: ${postgresHint}]` : ""),
    ignore: bin === null,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn(test) {
      const server = await startPostgres(bin!);
      const { admin, pool, port } = server;
      // Connections that the library has used keep its limit.
      const own = new Pool({ connectionString: `postgres://framework@127.0.0.1:${port}/postgres` });
      try {
        await admin.query(postgresSchema.up);
        const ask = async (sql: string) => (await admin.query(sql)).rows;
        await testJoined(test, {
          client: await open(server),
          ground: {
            database: postgres(pool),
            strict: postgres(own, LIMITS),
            ask,
            empty: async () =>
              void await ask(`${EMPTY_POSTGRES}; CREATE TABLE profiles (user_id TEXT UNIQUE)`),
            noEve: {
              make: "ALTER TABLE users ADD CONSTRAINT no_eve CHECK (name <> 'Eve')",
              remove: "ALTER TABLE users DROP CONSTRAINT no_eve",
            },
            endTransactions: async () =>
              void await ask(
                `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
WHERE pid <> pg_backend_pid() AND state = 'idle in transaction'`,
              ),
            slow: {
              begin: () => ask(SLOW.begin),
              wait: () => Promise.resolve(),
              end: () => ask(SLOW.end),
            },
          },
        });
      } finally {
        await own.end();
        await server.stop();
      }
    },
  });
}

testClient("pg", ({ pool }) => Promise.resolve(clientOfPg(pool)));
// joined_sqlite_test.ts has it with every command.
if (inMatrix) testClient("Kysely", ({ pool }) => Promise.resolve(clientOfKysely(pool)));

if (inMatrix && nodeIsAvailable) {
  testClient("Drizzle", async ({ pool }) => {
    const versions = { "drizzle-orm": "0.45.4", "pg": "8.23.1" };
    const { drizzle } = await load(versions, "drizzle-orm/node-postgres/index.js");
    const { sql } = await load(versions, "drizzle-orm/index.js");
    const db = drizzle({ client: pool });
    return {
      transaction: (work) =>
        // deno-lint-ignore no-explicit-any -- the transaction of Drizzle
        db.transaction((tx: any) =>
          work(
            ({ strings, values }) => tx.execute(sql(strings, ...values)),
            (text) => tx.execute(sql.raw(text)),
          )
        ),
      close: () => Promise.resolve(),
    };
  });

  testClient("postgres.js", async ({ port }) => {
    const { default: connect } = await load({ "postgres": "3.4.9" }, "postgres/src/index.js");
    const address = `postgres://framework@127.0.0.1:${port}/postgres`;
    const sql = connect(address, { onnotice: () => {}, max: 4 });
    return {
      transaction: (work) =>
        // deno-lint-ignore no-explicit-any -- the transaction of postgres.js
        sql.begin((tx: any) =>
          work(({ text, values }) => tx.unsafe(text, values), (text) => tx.unsafe(text))
        ),
      close: () => sql.end(),
      takesBack: true,
      // In Deno it writes to the closed connection from a timer, where nobody can catch what that throws.
      without: {
        "nothing of a transaction whose connection is ended before the commit":
          "it writes to the closed connection from a timer",
      },
    };
  });

  testClient("Prisma", ({ port }) =>
    clientOfPrisma("postgresql", {
      adapter: "@prisma/adapter-pg",
      open: ({ PrismaPg }) => new PrismaPg(`postgres://framework@127.0.0.1:${port}/postgres`),
    }));
}
