// auth.migrate() by processes that begin at once, and by one that is killed between any two statements.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import * as esbuild from "esbuild";
import { createAuth, StorageUnavailableError } from "@framework/auth";
import { postgres, postgresSchema } from "@framework/auth/postgres";
import { sqlite } from "@framework/auth/sqlite";
import { authSchema, type SchemaStep } from "@framework/auth/storage";
import pg from "pg";
import { POSTGRES_VERSION_1, SQLITE_VERSION_1 } from "../../auth/tests/schema_version_1.ts";
import { withMigrate } from "../../auth/storage/upgrade.ts";
import { workspaceAlias } from "../../scripts/budgets.ts";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { inMatrix } from "../support/matrix.ts";
import { startPostgres } from "../support/postgres.ts";

const bin = await findPostgres();

/** The program as one file, below the repository, where it finds its driver: it is started some hundred times. */
const program = join(
  repositoryRoot,
  "tests",
  "output",
  `migrate_program_${crypto.randomUUID()}.mjs`,
);
Deno.test.beforeAll(async () => {
  const alias = await workspaceAlias();
  esbuild.buildSync({
    entryPoints: [fileURLToPath(new URL("./migrate_program.ts", import.meta.url))],
    alias,
    absWorkingDir: repositoryRoot,
    bundle: true,
    conditions: ["node"],
    minify: true,
    format: "esm",
    external: ["node:*", "pg"],
    outfile: program,
    logLevel: "silent",
  });
});
Deno.test.afterAll(() => Deno.remove(program));

/** Every statement when the matrix runs too: each takes a process. */
const STRIDE = inMatrix ? 1 : 29;

/** Processes that begin at once. */
const AT_ONCE = inMatrix ? 20 : 2;

/** Runs the program to its end. */
async function migrate(
  place: string,
  killedAt?: number,
): Promise<{ out: string; error: string; signal: string | null }> {
  const args = ["run", "-A", "--no-check", program, place];
  if (killedAt !== undefined) args.push(String(killedAt));
  const { stdout, stderr, signal } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd: repositoryRoot,
    stdout: "piped",
    stderr: "piped",
  }).output();
  const [out, error] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { out: out!, error: error!, signal };
}

/** A database that the test makes anew, and looks into. */
interface Place {
  /** Address that the program is given. */
  address: string;
  /** Makes it anew: empty, or with the tables of version 1 and a user in them. */
  reset(version: null | 1): Promise<void>;
  /** Everything that its tables are made of, and the marker. */
  shape(): Promise<unknown>;
  /** Migrates by a new connection of this process. */
  migrate(): Promise<void>;
  /** Runs statements. */
  run(sql: string): Promise<void>;
  /** Steps of its tables. */
  steps: readonly SchemaStep[];
}

const USER = "INSERT INTO users (id, name) VALUES ('ada', 'Ada')";

/** Kills the program before its first statement, a later one and so on, until one runs through. */
async function killEverywhere(place: Place, version: null | 1): Promise<number> {
  await place.reset(version);
  await migrate(place.address);
  const wanted = await place.shape();
  await place.reset(version);
  const before = await place.shape();
  // Whole too: what each step leaves for the next one.
  const between: unknown[] = [];
  if (version !== null) {
    for (const { up } of place.steps.slice(0, -1)) {
      await place.run(up);
      between.push(await place.shape());
    }
  }
  let seenBefore = 0;
  for (let at = 0;; at += STRIDE) {
    await place.reset(version);
    const { out, error, signal } = await migrate(place.address, at);
    if (signal === null) {
      assert.match(out, /done before/, error);
      assert.deepEqual(await place.shape(), wanted);
      assert.ok(seenBefore > 0);
      return at;
    }
    assert.equal(signal, "SIGKILL", error);
    // All of a step or nothing.
    const shape = await place.shape();
    try {
      assert.deepEqual(shape, before);
      seenBefore++;
    } catch {
      const version = (of: unknown) => (of as { versions: unknown }).versions;
      const whole = between.find((one) => isDeepStrictEqual(version(one), version(shape)));
      assert.deepEqual(shape, whole ?? wanted);
    }
    // Whoever comes next, here a connection of this process: it has nothing of the killed one but what it left.
    await place.migrate();
    assert.deepEqual(await place.shape(), wanted);
  }
}

/** Processes at once: each ends well, and the tables are made once. */
async function manyAtOnce(place: Place, version: null | 1): Promise<void> {
  await place.reset(version);
  const results = await Promise.all(Array.from({ length: AT_ONCE }, () => migrate(place.address)));
  const found = results.map(({ out, error }) => {
    assert.match(out, /done/, error);
    return JSON.parse(out.split("\n")[0]!) as { from: number | null; to: number };
  });
  for (const { to } of found) assert.equal(to, authSchema.version);
  assert.ok(found.some(({ from }) => from === version));
}

/** @param versions Of the tables that are there before; null for none. */
async function cases(
  test: Deno.TestContext,
  place: Place,
  versions: readonly (null | 1)[] = [null, 1],
): Promise<void> {
  for (const version of versions) {
    const what = version === null ? "an empty database" : "tables of version 1";
    await test.step(`${AT_ONCE} processes at once, ${what}`, () => manyAtOnce(place, version));
    await test.step(`kill -9 between any two statements, ${what}`, async () => {
      const statements = await killEverywhere(place, version);
      assert.ok(statements > 5, `only ${statements} statements`);
    });
  }
}

// Tracks: F37, F38
Deno.test("auth.migrate() on SQLite: each step once and as a whole, however many begin and wherever one is killed", async (test) => {
  const folder = await Deno.makeTempDir({ prefix: "framework-migrate-" });
  const address = join(folder, "app.db");
  try {
    await cases(test, {
      address,
      async reset(version) {
        for (const end of ["", "-wal", "-shm"]) await Deno.remove(address + end).catch(() => {});
        using file = new DatabaseSync(address);
        if (version === 1) file.exec(`${SQLITE_VERSION_1};${USER}`);
      },
      shape() {
        using file = new DatabaseSync(address);
        const tables = file.prepare("SELECT name, sql FROM sqlite_master ORDER BY name").all();
        const marked = tables.some(({ name }) => name === "auth_schema");
        const rows = marked ? file.prepare("SELECT * FROM auth_schema").all() : [];
        const users = marked ? file.prepare("SELECT id, name FROM users").all() : [];
        const versions = rows.map(({ version, compatible = null }) => ({ version, compatible }));
        return Promise.resolve(structuredClone({ tables, versions, users }));
      },
      async migrate() {
        using file = new DatabaseSync(address);
        await createAuth({ database: sqlite(file) }).migrate();
      },
      run(sql) {
        using file = new DatabaseSync(address);
        file.exec(sql);
        return Promise.resolve();
      },
      steps: authSchema.steps,
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

// Tracks: F37, F38
Deno.test({
  name:
    "auth.migrate() on PostgreSQL: each step once and as a whole, however many begin and wherever one is killed" +
    (bin === null ? ` [unavoidable: ${postgresHint}]` : ""),
  ignore: bin === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(test) {
    const server = await startPostgres(bin!);
    const { admin, port } = server;
    const shape = async () => {
      const { rows: columns } = await admin.query<Record<string, unknown>>(
        `SELECT table_name, column_name, data_type, column_default FROM information_schema.columns
         WHERE table_schema = 'public' ORDER BY 1, 2`,
      );
      const { rows: indexes } = await admin.query(
        "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1",
      );
      const marked = columns.some((one: Record<string, unknown>) =>
        one.table_name === "auth_schema"
      );
      const hasBoth = columns.some((one: Record<string, unknown>) =>
        one.column_name === "compatible"
      );
      const versions = hasBoth
        ? (await admin.query("SELECT version, compatible FROM auth_schema")).rows
        : [];
      const users = marked ? (await admin.query("SELECT id, name FROM users")).rows : [];
      return { columns, indexes, versions, users };
    };
    try {
      const address = `postgres://framework@127.0.0.1:${port}/postgres`;
      await cases(test, {
        address,
        async reset(version) {
          await admin.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
          if (version === 1) await admin.query(`${POSTGRES_VERSION_1};${USER}`);
        },
        shape,
        async migrate() {
          const client = new pg.Client(address);
          await client.connect();
          try {
            await createAuth({ database: postgres(client) }).migrate();
          } finally {
            await client.end();
          }
        },
        run: async (sql) => void await admin.query(sql),
        steps: postgresSchema.steps,
        // An empty database has one step of them all; postgres_test.ts has several that begin at once on it.
      }, inMatrix ? [null, 1] : [1]);

      await test.step("who waits in vain names the holder", async () => {
        await admin.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
        const address = { host: "127.0.0.1", port, user: "framework", database: "postgres" };
        const holder = new pg.Client({ ...address, ["application_name"]: "deploy 7" });
        await holder.connect();
        await holder.query("BEGIN");
        await holder.query(
          "SELECT pg_advisory_xact_lock(hashtextextended('framework.auth tables', 0))",
        );
        const { rows } = await holder.query("SELECT pg_backend_pid() AS pid");
        const database = withMigrate(postgres(server.pool), 100);
        await assert.rejects(createAuth({ database }).migrate(), (error) => {
          assert.ok(error instanceof StorageUnavailableError, String(error));
          assert.match(
            error.message,
            new RegExp(`process ${rows[0].pid} of PostgreSQL \\(framework, deploy 7,`),
          );
          assert.match(error.message, /has in hand for 0\.1 s/);
          return true;
        });
        await holder.query("ROLLBACK");
        assert.deepEqual(await database.migrate!(), { from: null, to: postgresSchema.version });
        await holder.end();
      });

      await test.step("a role without rights to make tables serves what another has made", async () => {
        await admin.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
        await admin.query("DROP ROLE IF EXISTS serving; CREATE ROLE serving LOGIN");
        await admin.query(
          `GRANT USAGE ON SCHEMA public TO serving;
           ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO serving`,
        );
        const serving = new pg.Pool({
          host: "127.0.0.1",
          port,
          user: "serving",
          database: "postgres",
        });
        try {
          const auth = createAuth({ database: postgres(serving) });
          await assert.rejects(auth.migrate(), /permission denied/);
          await auth.migrate(undefined, { database: postgres(server.pool) });
          const response = await auth.fetch(new Request("http://localhost/auth/session"));
          assert.equal(await response.json(), null);
        } finally {
          await serving.end();
        }
      });
    } finally {
      await server.stop();
    }
  },
});

// Tracks: F38
Deno.test("auth.migrate() on SQLite says that another connection has the file in hand, and goes on when it lets go", async () => {
  const folder = await Deno.makeTempDir({ prefix: "framework-migrate-" });
  const [other, own] = [0, 1].map(() => new DatabaseSync(join(folder, "app.db")));
  try {
    const database = withMigrate(sqlite(own!, { busyTimeout: 0 }), 100);
    other!.exec("BEGIN IMMEDIATE");
    await assert.rejects(database.migrate!(), (error) => {
      assert.ok(error instanceof StorageUnavailableError, String(error));
      assert.match(
        error.message,
        /another connection, of which the database says no more, has in hand/,
      );
      return true;
    });
    other!.exec("COMMIT");
    assert.deepEqual(await database.migrate!(), { from: null, to: authSchema.version });
  } finally {
    for (const file of [other, own]) file!.close();
    await Deno.remove(folder, { recursive: true });
  }
});
