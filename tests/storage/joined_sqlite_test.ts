// Sign-up in the transaction of an application on SQLite, by the clients that people use: on a connection of its own.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { sqlite } from "@framework/auth/sqlite";
import { authSchema } from "@framework/auth/storage";
import { CompiledQuery, Kysely, sql, SqliteDialect } from "kysely";
import { inMatrix } from "../support/matrix.ts";
import { nodeIsAvailable } from "../support/node.ts";
import { type Client, testJoined } from "./joined_cases.ts";
import { clientOfPrisma, DRIZZLE, load } from "./joined_clients.ts";
import { kyselyFile } from "./schema_tools.ts";

/** Cases that are about several connections with a transaction each, of which SQLite lets one write. */
const WITHOUT = {
  "one of two who sign up at once for a mailbox": "one waits for the other's end",
  "nothing of a transaction whose connection is ended before the commit": "nobody else can end it",
};

function testClient(name: string, open: (file: string) => Promise<Client>): void {
  // Tracks: AU-05
  Deno.test({
    name: `joinTransaction() stores on SQLite by ${name}`,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn(test) {
      const folder = await Deno.makeTempDir({ prefix: "framework-joined-" });
      const file = join(folder, "app.db");
      using admin = new DatabaseSync(file);
      using library = new DatabaseSync(file);
      try {
        const database = sqlite(library);
        admin.exec(`${authSchema.up}; CREATE TABLE profiles (user_id TEXT UNIQUE)`);
        await testJoined(test, {
          client: { ...await open(file), without: WITHOUT },
          ground: {
            database,
            strict: sqlite(library, { busyTimeout: 100 }),
            ask: (text) => Promise.resolve(admin.prepare(text).all()),
            empty: () => Promise.resolve(admin.exec("DELETE FROM profiles; DELETE FROM users")),
            noEve: {
              make: `CREATE TRIGGER no_eve BEFORE INSERT ON users WHEN NEW.name = 'Eve'
BEGIN SELECT RAISE(ABORT, 'no_eve'); END`,
              remove: "DROP TRIGGER no_eve",
            },
            endTransactions: () => Promise.reject(new Error("SQLite has no such thing")),
            slow: {
              begin: () => Promise.resolve(),
              // A statement of SQLite keeps its process from doing anything else: what is slow is the client.
              wait: () => pause(1000),
              end: () => Promise.resolve(),
            },
          },
        });
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}

testClient("Kysely", (file) => {
  const db = new Kysely({ dialect: new SqliteDialect({ database: kyselyFile(file) }) });
  return Promise.resolve({
    transaction: (work) =>
      db.transaction().execute((tx) =>
        work(
          ({ text, values }) => tx.executeQuery(CompiledQuery.raw(text, values)),
          (text) => sql.raw(text).execute(tx),
        )
      ),
    close: () => db.destroy(),
  });
});

if (inMatrix && nodeIsAvailable) {
  testClient("Drizzle", async (file) => {
    const { drizzle } = await load(DRIZZLE, "drizzle-orm/libsql/index.js");
    const { sql } = await load(DRIZZLE, "drizzle-orm/index.js");
    const db = drizzle(`file:${file}`);
    return {
      transaction: (work) =>
        // deno-lint-ignore no-explicit-any -- the transaction of Drizzle
        db.transaction((tx: any) =>
          work(
            ({ strings, values }) => tx.all(sql(strings, ...values)),
            (text) => tx.run(sql.raw(text)),
          )
        ),
      close: () => Promise.resolve(db.$client.close()),
    };
  });

  testClient("Prisma", (file) =>
    clientOfPrisma("sqlite", {
      adapter: "@prisma/adapter-libsql",
      open: ({ PrismaLibSql }) => new PrismaLibSql({ url: `file:${file}` }),
    }));
}
