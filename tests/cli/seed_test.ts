import { verifyPassword } from "@framework/auth";
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { writeLiterals } from "../../cli/migrate/remote_database.ts";
import { localDatabasePath } from "../../cli/migrate/local_database.ts";
import { readPlatformFile } from "../../cli/platform/wrangler_file.ts";
import { framework, frameworkWith } from "../support/command_line.ts";
import { inMatrix } from "../support/matrix.ts";
import { startPlatformApi } from "../support/platform_api.ts";
import { createFixtureApp, type FixtureApp } from "./fixture_app.ts";
import { standInWrangler } from "./stand_in_wrangler.ts";

// The bundler's own process ends a moment after what it was started for.
Deno.test.sanitizer({ ops: false, resources: false });

const files = {
  "app/page.tsx": "export default () => <p>home</p>;",
  "migrations/0001_notes.sql":
    "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT, place TEXT);",
  "seeds/_notes.ts": `import { type Kysely, sql } from "kysely";
export async function write(db: Kysely<any>, texts: string[]): Promise<void> {
  for (const [id, text] of texts.entries()) {
    await sql\`INSERT INTO notes (id, text) VALUES (\${id}, \${text}) ON CONFLICT DO NOTHING\`.execute(db);
  }
}
`,
  "seeds/development.ts": `import type { Kysely } from "kysely";
import { write } from "./_notes.ts";
export default async function seed(db: Kysely<any>, env: Record<string, unknown>) {
  await write(db, ["it's", "a ? b"]);
  await db.updateTable("notes").set({ place: String(env["PLACE"]) }).where("id", "=", 0).execute();
}
`,
  "seeds/production.ts": `import { write } from "./_notes.ts";
export default (db) => write(db, ["it's live ?"]);
`,
  "seeds/demo.sql": "INSERT INTO notes VALUES (7, ';', 'demo') ON CONFLICT DO NOTHING;\n",
  "seeds/broken.sql": "INSERT INTO notes (id) VALUES (8);\nINSERT INTO nowhere VALUES (1);\n",
  "seeds/failing.ts": 'export default () => { throw new Error("no data"); };\n',
  "seeds/wrong.ts": "export default 3;\n",
  ".dev.vars": "PLACE=here\n",
};

function rows({ root }: FixtureApp): unknown[] {
  const platform = readPlatformFile(`${root}/wrangler.jsonc`);
  using database = new DatabaseSync(localDatabasePath(platform, "DB", root));
  return database.prepare("SELECT id, text, place FROM notes ORDER BY id").all()
    .map((row) => Object.values(row));
}

Deno.test("framework seed writes the data of an environment, again without a change, and says what stops it", async () => {
  await using app = await createFixtureApp(files);
  const seed = (...args: string[]) => framework(app.root, "seed", ...args);
  const early = await seed();
  assert.equal(early.code, 1);
  assert.match(early.stderr, /lacks 0001_notes\.sql\.\nhint: Run `framework migrate up` first\./);
  assert.equal((await framework(app.root, "migrate", "up")).code, 0);

  for (const _ of ["first", "again"]) {
    const { code, stderr } = await seed();
    assert.deepEqual([code, stderr], [0, "✓ Wrote seeds/development.ts to the local database\n"]);
    assert.deepEqual(rows(app), [[0, "it's", "here"], [1, "a ? b", null]]);
  }
  assert.equal((await seed("demo")).code, 0);
  assert.deepEqual(rows(app).at(-1), [7, ";", "demo"]);

  const broken = await seed("broken");
  assert.equal(broken.code, 1);
  assert.match(broken.stderr, /seeds\/broken\.sql:2: no such table: nowhere\nhint: Nothing was/);
  assert.equal(rows(app).length, 3);
  assert.match((await seed("failing")).stderr, /seeds\/failing\.ts failed: no data\nhint: /);
  assert.match((await seed("wrong")).stderr, /seeds\/wrong\.ts has no default export that is a/);
  assert.match(
    (await seed("staging")).stderr,
    /no file seeds\/staging\.ts .*\nhint: .*generate seed staging`, or choose one of: broken, demo,/,
  );
  assert.match((await seed("../x")).stderr, /"\.\.\/x" cannot be the name of an environment/);

  const production = await seed("production");
  assert.equal(production.code, 1);
  assert.match(production.stderr, /belongs to the platform's database\.\nhint: Add --remote, or/);
  assert.equal((await seed("production", "--local")).code, 0);
});

Deno.test("framework seed --remote asks, and writes to the platform's database of an environment that it knows", async () => {
  await using api = startPlatformApi();
  await using app = await createFixtureApp(files);
  await app.remove("node_modules/wrangler");
  for (const [path, text] of Object.entries(standInWrangler)) await app.write(path, text);
  const seed = (...args: string[]) =>
    frameworkWith({ cwd: app.root, env: api.env }, "seed", "--remote", ...args);
  api.database.exec("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT, place TEXT)");

  const unasked = await seed();
  assert.equal(unasked.code, 1);
  assert.match(unasked.stderr, /writes to the platform's database, and .*\nhint: Add --yes/);
  assert.match((await seed("development", "--yes")).stderr, /has no environment "development"/);
  assert.match((await seed("--local")).stderr, /--local and --remote exclude each other/);
  assert.deepEqual(api.database.prepare("SELECT * FROM notes").all(), []);

  for (const _ of inMatrix ? ["first", "again"] : ["first"]) {
    const { code, stderr } = await seed("--yes");
    assert.deepEqual([code, stderr], [0, "✓ Wrote seeds/production.ts to fixture\n"]);
    const written = api.database.prepare("SELECT text FROM notes").all();
    assert.deepEqual(written.map(({ text }) => text), ["it's live ?"]);
  }
});

Deno.test("writeLiterals() writes values where parameters are, and nowhere else", () => {
  assert.equal(
    writeLiterals(`SELECT '?', "?" /* ? */ WHERE a = ? AND b = ? -- ?\nAND c = ?`, [
      "'",
      null,
      1.5,
    ]),
    `SELECT '?', "?" /* ? */ WHERE a = '''' AND b = NULL -- ?\nAND c = 1.5`,
  );
  assert.equal(writeLiterals("?2 ?1 ?2", [true, "b"]), "'b' 1 'b'");
  assert.equal(writeLiterals("?", [new Uint8Array([0, 255])]), "x'00ff'");
  assert.throws(() => writeLiterals("? ?", [1]), /parameter 2 has no value/);
  assert.throws(() => writeLiterals("?", ["a\0b"]), /NUL/);
  assert.throws(() => writeLiterals("?", [NaN]), /cannot be sent/);
});

Deno.test("framework seed writes the users, the team and the members of the guide", async () => {
  const guide = await readFile(
    new URL("../../docs/migrations_and_seeds.md", import.meta.url),
    "utf8",
  );
  const [block] = /\/\/ seeds\/development\.ts\nimport \{ hashPassword[^]*?(?=\n```)/.exec(guide)!;
  await using app = await createFixtureApp({ "seeds/development.ts": block });
  for (const args of [["generate", "auth"], ["migrate", "up"], ["seed"], ["seed"]]) {
    const { code, stderr } = await framework(app.root, ...args);
    assert.equal(code, 0, `${args}: ${stderr}`);
  }
  const platform = readPlatformFile(`${app.root}/wrangler.jsonc`);
  using database = new DatabaseSync(localDatabasePath(platform, "DB", app.root));
  const users = database.prepare(
    "SELECT users.id, role, hash, tenant_members.roles FROM users JOIN password_hashes ON user_id = users.id " +
      "JOIN tenant_members USING (user_id) JOIN tenants ON tenants.id = tenant_id AND slug = 'acme' " +
      "WHERE email_verified IS NOT NULL ORDER BY users.id",
  ).all();
  assert.deepEqual(users.map(({ id, role, roles }) => [id, role, roles]), [
    ["ada", "admin", '["owner"]'],
    ["grace", "member", '["member"]'],
  ]);
  assert.ok(await verifyPassword("a few words are easiest", String(users[0]!["hash"])));
});
