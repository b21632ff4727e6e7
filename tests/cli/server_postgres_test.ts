// A built server on PostgreSQL, and its keys, objects, queue and jobs in that database.
import assert from "node:assert/strict";
import { type Dialect, Kysely, sql } from "kysely";
import pg from "pg";
import { claim } from "../../cli/server/cron.ts";
import { createBucket, sweepFiles } from "../../cli/server/files.ts";
import { createKv, sweepKv } from "../../cli/server/kv.ts";
import { type DatabaseLimits, openPostgresDatabase } from "../../cli/server/postgres_database.ts";
import { createProducer, startConsumer } from "../../cli/server/queue.ts";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { CASES as KV_CASES, outcome } from "../../testing/platform/fixtures/kv_cases.ts";
import { CASES as R2_CASES } from "../../testing/platform/fixtures/r2_cases.ts";
import type { R2BucketDouble } from "../../testing/platform/r2.ts";
import { framework } from "../support/command_line.ts";
import { inMatrix } from "../support/matrix.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { sendRaw } from "../support/raw_http.ts";
import { serve, type ServerRuntime, startProgram } from "./built_server.ts";
import { FILE_CASES } from "./file_cases.ts";
import { createFixtureApp } from "./fixture_app.ts";
import { until } from "./framework.ts";

const bin = await findPostgres();
const options = { ignore: bin === null, sanitizeOps: false, sanitizeResources: false };
const why = bin === null ? `: ${postgresHint}` : "";

let server: PostgresServer;
Deno.test.beforeAll(async () => {
  if (bin !== null) server = await startPostgres(bin);
});
Deno.test.afterAll(async () => {
  await (server as PostgresServer | undefined)?.stop();
});

/** Opens the database of a server; its pool waits for a connection no longer than a test should. */
function openDatabase(limits: DatabaseLimits, folder: string, more: object = {}) {
  return openPostgresDatabase({
    connectionString: `postgres://framework@127.0.0.1:${server.port}/postgres`,
    createPool: (options) => new pg.Pool({ ...options, ...more }),
    limits,
    migrations: `${folder}/none`,
  });
}

Deno.test({
  name:
    `every statement of a server has one limit, and who comes to it learns how to change it${why}`,
  ...options,
  fn: async () => {
    const folder = await Deno.makeTempDir();
    try {
      for (const [statementTimeout, shown] of [[300, "300ms"], [0, "0"]] as const) {
        const limits = { poolSize: 1, statementTimeout };
        const database = await openDatabase(limits, folder, { connectionTimeoutMillis: 200 });
        const { binding } = database;
        const db = new Kysely({
          dialect: (binding as unknown as { createDialect(): Dialect }).createDialect(),
        });
        const limit = async () => {
          const { rows } = await sql<
            { limit: string }
          >`SELECT current_setting('statement_timeout') AS limit`
            .execute(db);
          return rows[0]!.limit;
        };
        try {
          assert.equal(await limit(), shown);
          const { limit: ofBinding } = (await binding
            .prepare("SELECT current_setting('statement_timeout') AS limit").first<
            { limit: string }
          >())!;
          assert.equal(ofBinding, shown);
          assert.equal(await limit(), shown, "after the use of env.DB");
          if (statementTimeout === 0) continue;
          const advice = /a statement has 0\.3 s here; .*DATABASE_STATEMENT_TIMEOUT/;
          await assert.rejects(sql`SELECT pg_sleep(9)`.execute(db), {
            name: "StorageUnavailableError",
            message: advice,
          });
          await assert.rejects(binding.prepare("SELECT pg_sleep(9)").first(), (error: Error) => {
            assert.equal(error.name, "StorageUnavailableError");
            assert.match((error.cause as Error).message, advice);
            return true;
          });
          await db.transaction().execute(async () => {
            await assert.rejects(sql`SELECT 1`.execute(db), {
              name: "StorageUnavailableError",
              message: /the 1 connections are in use, .*DATABASE_POOL_SIZE/,
            });
          });
          assert.equal(await limit(), shown);
          // What is no limit's is the application's own error.
          await assert.rejects(sql`SELECT nope`.execute(db), { code: "42703" });
        } finally {
          await database.close();
        }
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test({
  name: `keys, objects, queue and jobs of a server are in PostgreSQL${why}`,
  ...options,
  fn: async (t) => {
    const folder = await Deno.makeTempDir();
    const open = () => openDatabase({ poolSize: 10, statementTimeout: 5000 }, folder);
    const database = await open();
    const other = await open();
    try {
      const { signal } = new AbortController();
      assert.deepEqual(await database.pending(), ["the tables of the server"]);
      // All at once, as processes that start together.
      await Promise.all(
        [database, other, database].map((each) => each.migrate({ signal, onApplied() {} })),
      );
      assert.deepEqual(await database.pending(), []);
      const { binding } = database;

      // The limit is counted by the same lines for each database, which server_conformance_test.ts asks.
      const kvCases = inMatrix ? KV_CASES : KV_CASES.filter(([name]) => !name.includes("25 MB"));
      for (const [index, [name, work, expected]] of kvCases.entries()) {
        await t.step(`keys: ${name}`, async () => {
          const kv = createKv(binding, `kv${index}`);
          assert.deepEqual(await outcome(() => work(kv)), expected);
        });
      }
      for (const [index, [name, work, expected]] of R2_CASES.entries()) {
        await t.step(`objects: ${name}`, async () => {
          const bucket = createBucket({ database: binding, folder, bucket: `b${index}` });
          const work2 = () => work(bucket as unknown as R2BucketDouble);
          assert.deepEqual(await outcome(work2), expected);
        });
      }
      for (const [index, [name, work, expected]] of FILE_CASES.entries()) {
        await t.step(`objects: ${name}`, async () => {
          const bucket = createBucket({ database: binding, folder, bucket: `c${index}` });
          assert.deepEqual(await work(bucket), expected);
        });
      }

      await t.step("what has expired is deleted, by two at once", async () => {
        const kv = createKv(binding, "expiring");
        for (let index = 0; index < 50; index++) {
          await kv.put(`k${index}`, "x", { expirationTtl: 60 });
        }
        await server.admin.query(
          "UPDATE framework_kv SET expires_at = 1 WHERE namespace = 'expiring'",
        );
        await server.admin.query("UPDATE framework_garbage SET delete_at = 1");
        await Promise.all([database, other].flatMap(({ binding }) => [
          sweepKv(binding),
          sweepFiles({ database: binding, folder }),
        ]));
        assert.deepEqual((await kv.list()).keys, []);
      });

      await t.step("of objects written and deleted at once none is left over", async () => {
        const buckets = [database, other].map(({ binding }) =>
          createBucket({ database: binding, folder, bucket: "raced" })
        );
        const put = await Promise.all(
          Array.from(
            { length: 12 },
            (_, index) =>
              buckets[index % 2]!.put("one", String(index), { onlyIf: { etagDoesNotMatch: "*" } }),
          ),
        );
        assert.equal(put.filter((object) => object !== null).length, 1);
        await Promise.all(
          Array.from({ length: 24 }, (_, index) => {
            const bucket = buckets[index % 2]!;
            return index % 3 === 0
              ? bucket.delete(["two", "one"])
              : bucket.put("one", String(index));
          }),
        );
        const { rows } = await server.admin.query(
          "SELECT (SELECT count(*)::int FROM framework_objects WHERE bucket = 'raced') + " +
            "(SELECT count(*)::int FROM framework_garbage) AS known",
        );
        let files = 0;
        for await (const { isDirectory, name } of Deno.readDir(folder)) {
          if (isDirectory) { for await (const _ of Deno.readDir(`${folder}/${name}`)) files++; }
        }
        const { rows: [others] } = await server.admin.query(
          "SELECT count(*)::int AS count FROM framework_objects WHERE bucket <> 'raced'",
        );
        assert.equal(files, rows[0].known + others.count);
      });

      await t.step("each message is delivered to one of two", async () => {
        const settings = {
          ...{ queue: "jobs", maxBatchSize: 7, maxBatchTimeout: 0, maxRetries: 3, retryDelay: 0 },
          deadLetterQueue: null,
        };
        const seen: unknown[] = [];
        const consumers = [database, other].map(({ binding }) =>
          startConsumer(binding, settings, async ({ messages }) => {
            await new Promise((resolve) => setTimeout(resolve, 5));
            seen.push(...messages.map(({ body }) => body));
          })
        );
        const producer = createProducer(binding, "jobs", () => consumers.map(({ wake }) => wake()));
        for (let turn = 0; turn < 5; turn++) {
          await producer.sendBatch(
            Array.from({ length: 60 }, (_, index) => ({ body: turn * 60 + index })),
          );
        }
        await until(() => seen.length, (count) => count >= 300, 30_000);
        await Promise.all(consumers.map(({ stop }) => stop()));
        assert.deepEqual(
          seen.toSorted((a, b) => Number(a) - Number(b)),
          Array.from({ length: 300 }, (_, index) => index),
        );
      });

      await t.step("each run of a job is one process's", async () => {
        for (let minute = 1; minute <= 20; minute++) {
          const claims = await Promise.all(
            Array.from(
              { length: 6 },
              (_, index) =>
                claim([database, other][index % 2]!.binding, "* * * * *", minute * 60_000),
            ),
          );
          assert.equal(claims.filter(Boolean).length, 1);
        }
      });
    } finally {
      await database.close();
      await other.close();
      await Deno.remove(folder, { recursive: true });
    }
  },
});

const files = {
  "framework.config.ts": `export default { database: { dialect: "postgres" } };`,
  "wrangler.jsonc": JSON.stringify({
    name: "fixture",
    compatibility_date: "2026-07-30",
    compatibility_flags: ["nodejs_compat"],
    kv_namespaces: [{ binding: "KV", id: "kv" }],
    queues: {
      producers: [{ binding: "JOBS", queue: "jobs" }],
      consumers: [{ queue: "jobs", max_batch_timeout: 0 }],
    },
  }),
  "app/page.tsx": `export default () => <p>Home</p>;`,
  "app/notes/route.ts": `export const GET = async (_request, { db, env }) => ({
  notes: await db.selectFrom("notes").select(["text", "tags"]).orderBy("id").execute(),
  count: await env.DB.prepare("SELECT COUNT(*) AS count FROM notes WHERE text <> ?1").bind("x").first(),
  last: await env.KV.get("last"),
});
export const POST = async (_request, { db, env }) => {
  const failed = await db.transaction().execute(async (trx) => {
    await trx.insertInto("notes").values({ text: "taken back", tags: [] }).execute();
    throw new Error("no");
  }).catch((error) => error.message);
  const { id } = await db.transaction().execute((trx) =>
    trx.insertInto("notes").values({ text: "kept", tags: ["a", "b"] }).returning("id").executeTakeFirstOrThrow());
  await env.KV.put("last", String(id));
  await env.JOBS.send({ id });
  return { failed };
};`,
  "app/queues/jobs.ts": `export async function queue(messages, _env, { db }) {
  for (const { body } of messages) {
    await db.insertInto("notes").values({ text: "job " + body.id, tags: [] }).execute();
  }
}`,
  "migrations/0001_notes.sql":
    "CREATE TABLE notes (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text TEXT NOT NULL, tags TEXT[] NOT NULL);",
};

for (
  const runtime of (inMatrix ? ["Node 22", "Node 24", "Deno"] : ["Node 22"]) as ServerRuntime[]
) {
  Deno.test({
    name: `a built server works on PostgreSQL: ${runtime}${why}`,
    ...options,
    fn: async () => {
      // A database for each, in which its migrations have not run.
      const name = runtime.toLowerCase().replace(" ", "");
      await server.admin.query(`CREATE DATABASE ${name}`);
      await using app = await createFixtureApp(files);
      const target = runtime === "Deno" ? "deno" : "node";
      const built = await framework(app.root, "build", "--target", target);
      assert.equal(built.code, 0, built.stderr);
      // The folder is complete.
      await app.remove("node_modules");

      const said = async (url: string | null, ...args: string[]) => {
        const env = { PORT: "0", ALLOWED_HOSTS: "app.example", ...url && { DATABASE_URL: url } };
        const child = await startProgram(runtime, app, { args, env });
        return `${await child.ended} ${child.output()}`;
      };
      const url = `postgres://framework@127.0.0.1:${server.port}/${name}`;
      assert.match(await said(null), /^2 .*DATABASE_URL is not set/);
      assert.match(
        await said("postgres://127.0.0.1:1/x", "migrate"),
        /^1 .*database does not answer: .*ECONNREFUSED/,
      );
      assert.match(await said(url), /^2 .*lacks 2 .*the tables of the server, 0001_notes\.sql/);
      const migrated = await Promise.all([said(url, "migrate"), said(url, "migrate")]);
      assert.deepEqual(
        migrated.map((text) => /Applied 0001_notes\.sql|up to date/.exec(text)?.[0]).sort(),
        ["Applied 0001_notes.sql", "up to date"],
        migrated.join("\n"),
      );

      await using first = await serve(runtime, app, { DATABASE_URL: url });
      await using second = await serve(runtime, app, { DATABASE_URL: url });
      const ask = async ({ port }: { port: number }, method: string) => {
        const { text } = await sendRaw(
          port,
          `${method} /notes HTTP/1.1\r\nHost: app.example\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n\r\n`,
        );
        assert.match(text, /^HTTP\/1\.1 200/, text);
        return JSON.parse(/\{.*\}/.exec(text)![0]);
      };
      assert.deepEqual(await ask(first, "POST"), { failed: "no" });
      const found = await until(
        () => ask(second, "GET"),
        ({ notes }) => notes.length === 2,
        20_000,
      );
      assert.deepEqual(found, {
        notes: [{ text: "kept", tags: ["a", "b"] }, { text: "job 2", tags: [] }],
        count: { count: 2 },
        last: "2",
      });
      assert.equal(
        (await sendRaw(
          first.port,
          "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        )).status,
        200,
      );

      // A database that hangs keeps no probe waiting.
      const resume = await server.pause();
      try {
        const probe = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        assert.equal((await sendRaw(first.port, probe)).status, 503);
        assert.match(first.child.output(), /^\{.*"event":"health-check-failed".*within 2 s.*\}$/m);
      } finally {
        resume();
      }

      // A restart of the database ends no process.
      await server.restart();
      await until(() => ask(first, "GET").catch(() => null), (answer) => answer !== null, 20_000);
      assert.equal(await first.child.stop(), 0);
    },
  });
}
