// Sign-up in the transaction of an application, by the clients that people use, on PostgreSQL.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join as joinPath } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import {
  createAuth,
  createUser,
  type Join,
  type JoinedQuery,
  joinTransaction,
  passwords,
  startSession,
  StorageUnavailableError,
  UserExistsError,
} from "@framework/auth";
import { postgres, postgresSchema } from "@framework/auth/postgres";
import { sqlite } from "@framework/auth/sqlite";
import { authSchema, type SqlDatabase } from "@framework/auth/storage";
import { CompiledQuery, Kysely, PostgresDialect, sql } from "kysely";
import type pg from "pg";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { run } from "../../scripts/run_command.ts";
import { EMPTY_POSTGRES } from "../support/empty_postgres.ts";
import { inMatrix } from "../support/matrix.ts";
import { findNodes, nodeIsAvailable } from "../support/node.ts";
import { installNpmPackages } from "../support/npm_packages.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";

/** A client of the application, as docs/databases.md shows it. */
interface Client {
  /** Runs work in a transaction of the client: what it is given runs a statement there. */
  transaction<T>(
    work: (query: JoinedQuery, run: (text: string) => Promise<unknown>) => Promise<T>,
  ): Promise<T>;
  close(): Promise<void>;
  /** True when it takes a transaction back after any statement that the server refused, whoever caught the error. */
  takesBack?: boolean;
  /** Name of a case that the client itself does not survive. */
  without?: string;
}

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

interface Place extends PostgresServer {
  client: Client;
  events: string[];
  visit(work: () => Promise<unknown>): Promise<void>;
  /** Ids of the users and of the owners of profiles. */
  rows(): Promise<{ users: string[]; profiles: string[] }>;
}

const cases: Record<string, (place: Place) => Promise<void>> = {
  async "a user with the application's rows, of whom is told after the commit"(place) {
    const { client, events, visit, rows } = place;
    await visit(async () => {
      const user = await joinTransaction((join) =>
        client.transaction(async (query, run) => {
          const user = await createUser({
            id: "ada",
            email: "Ada@Example.com",
            emailVerified: new Date(1_700_000_000_000),
            roles: ["editor"],
          }, { within: join(query) });
          await run("INSERT INTO profiles VALUES ('ada')");
          assert.deepEqual(await rows(), { users: [], profiles: [] });
          assert.deepEqual(events, []);
          return user;
        })
      );
      await startSession(user.id);
    });
    assert.deepEqual(await rows(), { users: ["ada"], profiles: ["ada"] });
    assert.deepEqual(events, ["sign-up", "sign-in"]);
    const { rows: [stored] } = await place.admin.query(
      "SELECT email_identity, email_verified, created_at = updated_at AS same, name, user_roles.role FROM users JOIN user_roles ON user_id = id",
    );
    assert.deepEqual(stored, {
      email_identity: "ada@example.com",
      email_verified: "1700000000000",
      same: true,
      name: null,
      role: "editor",
    });
  },

  async "nothing of a transaction that is taken back"({ client, events, visit, rows }) {
    await visit(() =>
      assert.rejects(
        joinTransaction((join) =>
          client.transaction(async (query) => {
            await createUser({ id: "ada" }, { within: join(query) });
            throw new Error("no profile");
          })
        ),
        /no profile/,
      )
    );
    assert.deepEqual(await rows(), { users: [], profiles: [] });
    assert.deepEqual(events, []);
  },

  async "a transaction that goes on after a user who is there"({ client, events, visit, rows }) {
    await visit(async () => {
      await createUser({ id: "ada", email: "ada@example.com" });
      await joinTransaction((join) =>
        client.transaction(async (query, run) => {
          const within = join(query);
          const taken = createUser({ email: "ADA@example.com" }, { within });
          await assert.rejects(taken, UserExistsError);
          await createUser({ id: "bob" }, { within });
          await run("INSERT INTO profiles VALUES ('bob')");
        })
      );
    });
    assert.deepEqual(await rows(), { users: ["ada", "bob"], profiles: ["bob"] });
    assert.deepEqual(events, ["sign-up", "sign-up"]);
  },

  async "a user whom a constraint of the application refuses, and what comes after"(place) {
    const { admin, client, events, visit, rows } = place;
    await admin.query("ALTER TABLE users ADD CONSTRAINT no_eve CHECK (name <> 'Eve')");
    try {
      await visit(async () => {
        const joined = joinTransaction((join) =>
          client.transaction(async (query, run) => {
            const within = join(query);
            // PostgreSQL takes no statement after it but for the savepoint.
            await assert.rejects(
              createUser({ id: "eve", name: "Eve" }, { within }),
              (error: Error) => /no_eve/.test(`${error} ${error.cause}`),
            );
            await createUser({ id: "bob" }, { within });
            await run("INSERT INTO profiles VALUES ('bob')");
          })
        );
        if (client.takesBack) await assert.rejects(joined, /no_eve/);
        else await joined;
      });
    } finally {
      await admin.query("ALTER TABLE users DROP CONSTRAINT no_eve");
    }
    const made = client.takesBack ? [] : ["bob"];
    assert.deepEqual(await rows(), { users: made, profiles: made });
    assert.deepEqual(events, made.map(() => "sign-up"));
  },

  async "nothing of a transaction whose connection is ended before the commit"(place) {
    const { admin, client, events, visit, rows } = place;
    await visit(async () => {
      await assert.rejects(joinTransaction((join) =>
        client.transaction(async (query, run) => {
          const within = join(query);
          await createUser({ id: "ada" }, { within });
          await admin.query(
            `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
WHERE pid <> pg_backend_pid() AND state = 'idle in transaction'`,
          );
          // Once, and at once: another try would be on another connection, outside of the transaction.
          await assert.rejects(createUser({ id: "bob" }, { within }), StorageUnavailableError);
          await run("SELECT 1");
        })
      ));
      await createUser({ id: "ada" });
    });
    assert.deepEqual(await rows(), { users: ["ada"], profiles: [] });
    assert.deepEqual(events, ["sign-up"]);
  },

  async "one of two who sign up at once for a mailbox"({ client, events, visit, rows }) {
    const email = "ada@example.com";
    await visit(async () => {
      let begun = () => {};
      const first = new Promise<void>((resolve) => begun = resolve);
      const signUp = (id: string, then: () => Promise<void>) =>
        joinTransaction((join: Join) =>
          client.transaction(async (query) => {
            if (id === "second") await first;
            await createUser({ id, email }, { within: join(query) });
            await then();
          })
        );
      const second = signUp("second", () => Promise.resolve());
      const results = await Promise.allSettled([
        signUp("first", () => Promise.resolve(begun())),
        second,
      ]);
      assert.equal(results[0]!.status, "fulfilled");
      assert.ok((results[1] as PromiseRejectedResult).reason instanceof UserExistsError);
    });
    assert.deepEqual((await rows()).users, ["first"]);
    assert.deepEqual(events, ["sign-up"]);
  },
};

/** The trigger of docs/databases.md that stores a row with every user, by the database. */
async function documentedTrigger(dialect: "SQLite" | "PostgreSQL"): Promise<string> {
  const page = await Deno.readTextFile(new URL("../../docs/databases.md", import.meta.url));
  return new RegExp(`\n\`\`\`sql\n(-- ${dialect}\n[^]*?)\`\`\``).exec(page)![1]!;
}

/** Signs up at `/auth/signup`, and returns the status. */
async function signUp(database: SqlDatabase, email: string): Promise<number> {
  const auth = createAuth({
    database,
    baseUrl: "https://app.example",
    cookies: { sessionToken: { hostOnly: true } },
    logger: { info() {}, warn() {}, error() {} },
    providers: [passwords({ sendMail() {}, verification: "later" })],
  });
  const request = new Request("https://app.example/auth/signup", {
    method: "POST",
    headers: { origin: "https://app.example" },
    body: new URLSearchParams({ email, password: "four words in a row", name: "Ada" }),
  });
  const response = await auth.handle(request, {}, { clientAddress: "203.0.113.1" })
    .catch(() => new Response(null, { status: 500 }));
  await response!.body?.cancel();
  return response!.status;
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
      const { admin, pool } = server;
      try {
        await admin.query(postgresSchema.up);
        const client = await open(server);
        const quiet = { info() {}, warn() {}, error() {} };
        for (const [what, check] of Object.entries(cases)) {
          if (client.without === what) continue;
          await admin.query(`${EMPTY_POSTGRES}; CREATE TABLE profiles (user_id TEXT UNIQUE)`);
          const events: string[] = [];
          const auth = createAuth({
            database: postgres(pool),
            baseUrl: "https://app.example",
            cookies: { sessionToken: { hostOnly: true } },
            logger: quiet,
            events: { "*": ({ type }) => void events.push(type) },
          });
          await test.step(what, () =>
            check({
              ...server,
              admin,
              client,
              events,
              async visit(work) {
                const request = new Request("https://app.example/");
                await auth.run(request, {}, undefined, async () => {
                  await work();
                  return new Response();
                });
              },
              async rows() {
                const ids = async (sql: string) =>
                  (await admin.query(sql)).rows.map(({ id }: { id: string }) => id);
                return {
                  users: await ids("SELECT id FROM users ORDER BY 1"),
                  profiles: await ids("SELECT user_id AS id FROM profiles ORDER BY 1"),
                };
              },
            }).then(() => {}));
        }
        await client.close();
      } finally {
        await server.stop();
      }
    },
  });
}

testClient("pg", ({ pool }) => Promise.resolve(clientOfPg(pool)));
testClient("Kysely", ({ pool }) => Promise.resolve(clientOfKysely(pool)));

/** A module of packages that the repository does not have. */
// deno-lint-ignore no-explicit-any -- whose types are not there either
async function load(versions: Record<string, string>, path: string): Promise<any> {
  return await import(pathToFileURL(joinPath(await installNpmPackages(versions), path)).href);
}

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
      without: "nothing of a transaction whose connection is ended before the commit",
    };
  });

  testClient("Prisma", async ({ port }) => {
    const versions = {
      "@prisma/adapter-pg": "7.10.0",
      "@prisma/client": "7.10.0",
      "pg": "8.23.1",
      "prisma": "7.10.0",
    };
    const modules = await installNpmPackages(versions);
    const folder = await Deno.makeTempDir({ prefix: "framework-prisma-" });
    await Deno.symlink(modules, joinPath(folder, "node_modules"));
    await Deno.writeTextFile(
      joinPath(folder, "schema.prisma"),
      `datasource db {
  provider = "postgresql"
}
generator client {
  provider = "prisma-client-js"
  output = "./client"
}
model Profile {
  userId String @id @map("user_id")
  @@map("profiles")
}
`,
    );
    const { newest } = await findNodes();
    const generate = [joinPath("node_modules", "prisma", "build", "index.js"), "generate"];
    // It asks for the program that migrates before it generates, and does not start it.
    const env = { PRISMA_SCHEMA_ENGINE_BINARY: newest };
    await run(newest, [...generate, "--schema", "schema.prisma"], { cwd: folder, env });
    const require = createRequire(joinPath(folder, "client", "index.js"));
    const { PrismaClient } = require("./index.js");
    const { PrismaPg } = require("@prisma/adapter-pg");
    const address = `postgres://framework@127.0.0.1:${port}/postgres`;
    const prisma = new PrismaClient({ adapter: new PrismaPg(address) });
    return {
      transaction: (work) =>
        // deno-lint-ignore no-explicit-any -- the transaction of Prisma
        prisma.$transaction((tx: any) =>
          work(
            ({ text, values }) => tx.$queryRawUnsafe(text, ...values),
            (text) => tx.$executeRawUnsafe(text),
          )
        ),
      async close() {
        await prisma.$disconnect();
        await Deno.remove(folder, { recursive: true });
      },
    };
  });
}
