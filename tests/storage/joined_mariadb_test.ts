// Sign-up in the transaction of an application on MariaDB, by the clients that people use.
import assert from "node:assert/strict";
import { mariadb, mariadbSchema } from "@framework/auth/mariadb";
import { CompiledQuery, Kysely, MysqlDialect, sql } from "kysely";
import { createPool as createCallbackPool } from "mysql2";
import { createPool, type Pool } from "mysql2/promise";
import { findMariadb, mariadbHint } from "../../scripts/mariadb.ts";
import { type MariadbServer, startMariadb } from "../support/mariadb.ts";
import { inMatrix } from "../support/matrix.ts";
import { nodeIsAvailable } from "../support/node.ts";
import { type Client, documentedTrigger, signUp, testJoined } from "./joined_cases.ts";
import { clientOfPrisma, DRIZZLE, load } from "./joined_clients.ts";

const programs = await findMariadb();
const LIMITS = { connectionTimeout: 5000, statementTimeout: 500, requestTimeout: 500 };

function addressOf({ port }: MariadbServer): string {
  return `mysql://root@127.0.0.1:${port}/app`;
}

function testClient(name: string, open: (server: MariadbServer) => Promise<Client>): void {
  // Tracks: AU-05
  Deno.test({
    name: `joinTransaction() stores on MariaDB by ${name}` +
      (programs === null ? ` [unavoidable: ${mariadbHint}]` : ""),
    ignore: programs === null,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn(test) {
      const server = await startMariadb(programs!);
      const { ask, pool } = server;
      const own = createPool(addressOf(server));
      try {
        await ask(mariadbSchema.up);
        await ask("CREATE TABLE profiles (user_id VARCHAR(255) UNIQUE)");
        await testJoined(test, {
          client: await open(server),
          ground: {
            database: mariadb(pool),
            strict: mariadb(own, LIMITS),
            ask,
            empty: async () => void await ask("DELETE FROM profiles; DELETE FROM users"),
            noEve: {
              make: "ALTER TABLE users ADD CONSTRAINT no_eve CHECK (name <> 'Eve')",
              remove: "ALTER TABLE users DROP CONSTRAINT no_eve",
            },
            async endTransactions() {
              const open = await ask(
                "SELECT trx_mysql_thread_id AS id FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id <> CONNECTION_ID()",
              );
              for (const { id } of open) await ask(`KILL ${id}`);
            },
            slow: {
              begin: () =>
                ask("CREATE TRIGGER slow BEFORE INSERT ON users FOR EACH ROW DO SLEEP(1)"),
              wait: () => Promise.resolve(),
              end: () => ask("DROP TRIGGER slow"),
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

// Tracks: AU-05
Deno.test({
  name:
    "a sign-up at /auth/signup stores the documented trigger's row with the user, or neither: " +
    (programs === null ? `MariaDB [unavoidable: ${mariadbHint}]` : "MariaDB"),
  ignore: programs === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const { ask, pool, stop } = await startMariadb(programs!);
    try {
      await ask(mariadbSchema.up);
      await ask("CREATE TABLE profiles (user_id VARCHAR(255))");
      await ask(await documentedTrigger("MariaDB"));
      assert.equal(await signUp(mariadb(pool), "ada@example.com"), 303);
      const count = async (rest: string) => (await ask(`SELECT count(*) AS n FROM ${rest}`))[0]!.n;
      assert.equal(await count("users JOIN profiles ON user_id = id"), 1);
      await ask("DROP TABLE profiles");
      assert.equal(await signUp(mariadb(pool), "bob@example.com"), 500);
      assert.equal(await count("users"), 1);
    } finally {
      await stop();
    }
  },
});

function clientOfPool(pool: Pool): Client {
  return {
    async transaction(work) {
      const connection = await pool.getConnection();
      connection.on("error", () => {});
      try {
        await connection.beginTransaction();
        const result = await work(
          async ({ text, values }) =>
            (await connection.execute(text, values as string[]))[0] as unknown[],
          (text) => connection.query(text),
        );
        await connection.commit();
        return result;
      } catch (error) {
        await connection.rollback().catch(() => {});
        throw error;
      } finally {
        connection.release();
      }
    },
    close: () => Promise.resolve(),
  };
}

function clientOfKysely(address: string): Client {
  const db = new Kysely({ dialect: new MysqlDialect({ pool: createCallbackPool(address) }) });
  return {
    transaction: (work) =>
      db.transaction().execute((tx) =>
        work(
          ({ text, values }) => tx.executeQuery(CompiledQuery.raw(text, values)),
          (text) => sql.raw(text).execute(tx),
        )
      ),
    close: () => db.destroy(),
  };
}

testClient("mysql2", ({ pool }) => Promise.resolve(clientOfPool(pool)));
// joined_sqlite_test.ts has it with every command.
if (inMatrix) {
  testClient("Kysely", (server) => Promise.resolve(clientOfKysely(addressOf(server))));
}

if (inMatrix && nodeIsAvailable) {
  testClient("Drizzle", async ({ pool }) => {
    const { drizzle } = await load(DRIZZLE, "drizzle-orm/mysql2/index.js");
    const { sql } = await load(DRIZZLE, "drizzle-orm/index.js");
    const db = drizzle({ client: pool });
    return {
      transaction: (work) =>
        // deno-lint-ignore no-explicit-any -- the transaction of Drizzle
        db.transaction((tx: any) =>
          work(
            async ({ strings, values }) => (await tx.execute(sql(strings, ...values)))[0],
            (text) => tx.execute(sql.raw(text)),
          )
        ),
      close: () => Promise.resolve(),
    };
  });

  testClient("Prisma", (server) =>
    clientOfPrisma("mysql", {
      adapter: "@prisma/adapter-mariadb",
      open: ({ PrismaMariaDb }) => new PrismaMariaDb(addressOf(server)),
    }));
}
