import assert from "node:assert/strict";
import { join } from "node:path";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { run } from "../../scripts/run_command.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { inMatrix } from "../support/matrix.ts";
import { framework, frameworkWith, type Transcript } from "../support/command_line.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { createFixtureApp, type FixtureApp } from "./fixture_app.ts";
import { runFrameworkWith } from "./framework.ts";

const bin = await findPostgres();

const files = {
  "framework.config.ts": `export default { database: { dialect: "postgres" } };`,
  "wrangler.jsonc": JSON.stringify({
    name: "fixture",
    compatibility_date: "2026-07-30",
    compatibility_flags: ["nodejs_compat"],
  }),
  "app/page.tsx": `export default () => <p>Home</p>;`,
  "migrations/0001_notes.sql":
    `CREATE TABLE notes (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text TEXT NOT NULL);
CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.text := NEW.text || ';'; RETURN NEW; END $$;
CREATE TRIGGER stamp BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION stamp();
INSERT INTO notes (text) VALUES ('first');
SET search_path TO pg_catalog;`,
  "migrations/down/0001_notes.sql": "DROP TABLE notes; DROP FUNCTION stamp();",
  "migrations/0002_more.sql": "ALTER TABLE notes ADD COLUMN more JSONB;",
  "migrations/down/0002_more.sql": "ALTER TABLE notes DROP COLUMN more;",
};

const TYPES = `// Written by \`framework migrate\` from the tables of the local database. Commit it.
import type { ColumnType, Generated } from "kysely";

/** Tables and views of the migrations. */
export interface Tables {
  happy: {
    id: ColumnType<number | null, never, never>;
  };
  kinds: {
    id: number;
    mood: Generated<"good" | "so-so">;
    moods: Array<"good" | "so-so"> | null;
    big: ColumnType<string, string | number | bigint, string | number | bigint>;
    at: ColumnType<Date, Date | string | undefined, Date | string>;
    "Odd name": ColumnType<string | null, string | number | null | undefined, string | number | null>;
    double: ColumnType<number | null, never, never>;
    blob: Uint8Array | null;
  };
  notes: {
    id: ColumnType<string, never, never>;
    text: string;
    more: unknown;
  };
}
`;

/** Has Kysely check a use of the types, below the repository, where it is found. */
async function checkTypes(tables: string): Promise<void> {
  const folder = join(repositoryRoot, "tests", "output", `types_${crypto.randomUUID()}`);
  await Deno.mkdir(folder, { recursive: true });
  try {
    await Deno.writeTextFile(join(folder, "tables.ts"), tables);
    await Deno.writeTextFile(
      join(folder, "use.ts"),
      `import type { Kysely } from "kysely";
import type { Tables } from "./tables.ts";
export async function use(db: Kysely<Tables>): Promise<{ big: string; mood: "good" | "so-so"; at: Date }> {
  await db.insertInto("kinds").values({ id: 1, big: 5n }).execute();
  await db.insertInto("notes").values({ text: "x" }).execute();
  // @ts-expect-error -- the database alone gives it
  await db.insertInto("notes").values({ text: "x", id: "1" }).execute();
  // @ts-expect-error -- no such column
  await db.selectFrom("kinds").select("none").execute();
  return await db.selectFrom("kinds").select(["big", "at", "mood"]).executeTakeFirstOrThrow();
}
`,
    );
    await run(Deno.execPath(), ["check", "-q", join(folder, "use.ts")], { cwd: repositoryRoot });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function environmentOf({ port }: PostgresServer): Record<string, string> {
  return { DATABASE_URL: `postgres://framework@127.0.0.1:${port}/postgres` };
}

async function withProject(
  work: (
    app: FixtureApp,
    server: PostgresServer,
    run: (...args: string[]) => Promise<Transcript>,
  ) => Promise<void>,
): Promise<void> {
  const server = await startPostgres(bin!);
  try {
    await using app = await createFixtureApp(files);
    const env = environmentOf(server);
    await work(app, server, (...args) => frameworkWith({ cwd: app.root, env }, ...args));
  } finally {
    await server.stop();
  }
}

Deno.test({
  name: `framework migrate works on PostgreSQL${bin === null ? `: ${postgresHint}` : ""}`,
  ignore: bin === null,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: () =>
    withProject(async (app, server, run) => {
      const { admin } = server;
      const ledger = async () =>
        (await admin.query("SELECT name FROM framework_migrations ORDER BY id")).rows
          .map(({ name }: { name: string }) => name);

      const before = await run("migrate", "status", "--json");
      assert.deepEqual(
        JSON.parse(before.stdout).migrations.map(({ state }: { state: string }) => state),
        ["pending", "pending"],
        before.stderr,
      );
      const { rows: [none] } = await admin.query("SELECT to_regclass('framework_migrations') AS t");
      assert.equal(none.t, null, "status makes no table");

      // Of several at once each file is applied by one: what decides is the server.
      const own = { root: app.root, env: environmentOf(server) };
      const runs = inMatrix
        ? await Promise.all(
          Array.from({ length: 4 }, () => runFrameworkWith(own, "migrate", "up")),
        )
        : await Promise.all([run("migrate", "up"), run("migrate", "up")]);
      for (const { code, stderr } of runs) assert.equal(code, 0, stderr);
      const told = runs.flatMap(({ stderr }) => stderr.match(/Applied \S+/g) ?? []).sort();
      assert.deepEqual(told, ["Applied 0001_notes.sql", "Applied 0002_more.sql"]);
      assert.deepEqual(await ledger(), ["0001_notes.sql", "0002_more.sql"]);
      assert.deepEqual((await admin.query("SELECT text FROM notes")).rows, [{ text: "first;" }]);

      // What fails leaves nothing, and says where.
      await app.write(
        "migrations/0003_wrong.sql",
        "CREATE TABLE half (id INT);\n\nALTER TABLE notes\n  ADD COLUMN x NONSENSE;\n",
      );
      const failed = await run("migrate", "up");
      assert.equal(failed.code, 1);
      assert.match(
        failed.stderr,
        /0003_wrong\.sql:4: type "nonsense" does not exist \(statement 2 of 2\)[^]*3 \| ALTER TABLE/,
      );
      const { rows: [half] } = await admin.query("SELECT to_regclass('half') AS t");
      assert.equal(half.t, null);
      assert.deepEqual((await ledger()).length, 2);
      await app.write("migrations/0003_wrong.sql", "CREATE TABLE half (id INT); COMMIT; SELECT 1;");
      assert.match((await run("migrate", "up")).stderr, /0003_wrong\.sql:1: COMMIT is not allowed/);
      await app.remove("migrations/0003_wrong.sql");

      // A file that was changed is noticed.
      await app.write("migrations/0002_more.sql", "ALTER TABLE notes ADD COLUMN other JSONB;");
      assert.match((await run("migrate", "up")).stderr, /0002_more\.sql was changed after/);
      await app.write("migrations/0002_more.sql", files["migrations/0002_more.sql"]);

      // The types of the tables are written beside the files.
      await app.write(
        "migrations/0003_kinds.sql",
        `CREATE TYPE mood AS ENUM ('good', 'so-so');
CREATE TABLE kinds (id INT PRIMARY KEY, mood mood NOT NULL DEFAULT 'good', moods mood[], big BIGINT NOT NULL,
  at TIMESTAMPTZ NOT NULL DEFAULT now(), "Odd name" NUMERIC, double INT GENERATED ALWAYS AS (id * 2) STORED, blob BYTEA);
CREATE VIEW happy AS SELECT id FROM kinds WHERE mood = 'good';`,
      );
      await app.write(
        "migrations/down/0003_kinds.sql",
        "DROP VIEW happy; DROP TABLE kinds; DROP TYPE mood;",
      );
      assert.equal((await run("migrate", "up")).code, 0);
      const types = await Deno.readTextFile(join(app.root, "migrations", "tables.ts"));
      assert.equal(types, TYPES);
      // The text is the same as long as it passes above; what checks it may be another Kysely.
      if (inMatrix) await checkTypes(types);
      assert.equal((await run("types")).code, 0);
      const generated = await Deno.readTextFile(join(app.root, ".framework", "types", "app.ts"));
      assert.match(generated, /DB: SqlDatabase;[^]*"Odd name": ColumnType<string \| null/);
      assert.equal((await run("migrate", "down", "--yes")).code, 0);
      await app.remove("migrations/0003_kinds.sql");

      const doctor = await run("doctor");
      assert.match(
        doctor.stdout + doctor.stderr,
        /DB is PostgreSQL, database postgres[^]*2 applied/,
      );

      // Seeds of both kinds.
      await app.write(
        "seeds/development.sql",
        "INSERT INTO notes (text) VALUES ($$ a;b $$);\nINSERT INTO notes (text) VALUES ('c');",
      );
      await app.write(
        "seeds/demo.ts",
        `export default async function seed(db, env) {
  await db.transaction().execute((trx) => trx.insertInto("notes").values({ text: "demo" }).execute());
  await env?.DB?.prepare("INSERT INTO notes (text) VALUES (?1)").bind("raw").run();
}`,
      );
      for (const environment of [[], ["demo"]]) {
        const seeded = await run("seed", ...environment);
        assert.equal(seeded.code, 0, seeded.stderr);
      }
      await app.write(
        "seeds/wrong.sql",
        "INSERT INTO notes (text) VALUES ('no');\nINSERT INTO none VALUES (1);",
      );
      assert.match((await run("seed", "wrong")).stderr, /seeds\/wrong\.sql:2: relation "none"/);
      const { rows: seeded } = await admin.query("SELECT text FROM notes ORDER BY id OFFSET 1");
      assert.deepEqual(seeded.map(({ text }: { text: string }) => text), [
        " a;b ;",
        "c;",
        "demo;",
        "raw;",
      ]);

      const down = await run("migrate", "down", "--yes");
      assert.equal(down.code, 0, down.stderr);
      assert.deepEqual(await ledger(), ["0001_notes.sql"]);
      const { rowCount } = await admin.query(
        "SELECT FROM information_schema.columns WHERE table_name = 'notes' AND column_name = 'more'",
      );
      assert.equal(rowCount, 0);
      const dry = await run("migrate", "up", "--dry-run");
      assert.match(dry.stdout, /0002_more\.sql\nALTER TABLE notes ADD COLUMN more/);
      assert.equal((await run("migrate", "reset", "--yes")).code, 0);
      assert.deepEqual(await ledger(), []);
      // The tables of accounts are PostgreSQL's.
      assert.equal((await run("generate", "auth")).code, 0);
      assert.match((await run("generate", "auth", "--upgrade")).stderr, /are up to date/);
      const accounts = await run("migrate", "up");
      assert.equal(accounts.code, 0, accounts.stderr);
      assert.match((await run("doctor")).stdout, /auth schema.*version \d+/);
      assert.equal((await run("migrate", "down", "--yes")).code, 0);
      assert.equal((await run("migrate", "up")).code, 0);
      assert.equal((await run("migrate", "reset", "--force")).code, 0);
      const { rows: [notes] } = await admin.query("SELECT to_regclass('notes') AS t");
      assert.equal(notes.t, null);
    }),
});

Deno.test("what works on SQLite alone says what to do with PostgreSQL", async () => {
  await using app = await createFixtureApp(files);
  for (
    const [args, message] of [
      [["build"], /database of a Worker is D1, [^]*framework build --target node/],
      [
        ["dev", "--port", "0"],
        /framework dev runs [^]*framework build --target node[^]*DATABASE_URL/,
      ],
    ] as [string[], RegExp][]
  ) {
    const run = await framework(app.root, ...args);
    assert.equal(run.code, 2);
    assert.match(run.stderr, message);
  }
  await app.write(
    "wrangler.jsonc",
    JSON.stringify({
      ...JSON.parse(files["wrangler.jsonc"]),
      d1_databases: [{ binding: "OTHER", database_name: "other", database_id: "x" }],
    }),
  );
  const both = await framework(app.root, "build", "--target", "node");
  assert.equal(both.code, 2);
  assert.match(both.stderr, /declares D1 databases \(OTHER\), but the project's is PostgreSQL/);
});

Deno.test("framework migrate says what PostgreSQL needs, and shows no password", async () => {
  await using app = await createFixtureApp(files);
  const secret = "canary-7f3a";
  for (
    const [url, args, message] of [
      ["", [], /DATABASE_URL is not set[^]*\.dev\.vars/],
      [`mysql://user:${secret}@localhost/app`, [], /DATABASE_URL is no address of a PostgreSQL/],
      [`postgres://user:${secret}@127.0.0.1:1/app`, [], /does not answer: .*ECONNREFUSED/],
      [`postgres://user:${secret}@127.0.0.1:1/app`, ["--remote"], /one database, that of/],
      [`postgres://user:${secret}@db.example/app`, ["--local"], /names another machine/],
    ] as [string, string[], RegExp][]
  ) {
    const env = { DATABASE_URL: url };
    const run = await frameworkWith({ cwd: app.root, env }, "migrate", "status", ...args);
    assert.notEqual(run.code, 0);
    assert.match(run.stderr, message);
    assert.ok(!(run.stderr + run.stdout).includes(secret));
  }
});
