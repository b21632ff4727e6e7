// docs/incidents.md: its script and its statements, as operators run them.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createAuth, createUser, startSession } from "@framework/auth";
import { postgres } from "@framework/auth/postgres";
import { sqlite } from "@framework/auth/sqlite";
import pg from "pg";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { capture } from "../../scripts/run_command.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { startPostgres } from "../support/postgres.ts";
import { codeBlocks, readDocument } from "./markdown.ts";

const bin = await findPostgres();

const file = "docs/incidents.md";
const blocks = codeBlocks(file, await readDocument(file));
const blockOf = (path: string) =>
  blocks.find(({ text }) => /^(?:\/\/|--) (\S+)\n/.exec(text)?.[1] === path)!.text;

/** Tables whose rows of a user let somebody in. */
const OPENING = [
  "sessions",
  "known_browsers",
  "password_hashes",
  "passkeys",
  "api_keys",
  "accounts",
];

/** Makes two users who have a row in each of these tables. */
async function fill(
  auth: ReturnType<typeof createAuth>,
  run: (sql: string) => unknown,
): Promise<void> {
  await auth.run(new Request("http://localhost/", { method: "POST" }), {}, undefined, async () => {
    for (const id of ["ada", "eve"]) {
      await createUser({ id, email: `${id}@example.com`, emailVerified: new Date() });
      await startSession(id);
    }
    return new Response();
  });
  for (const id of ["ada", "eve"]) {
    for (
      const sql of [
        `INSERT INTO known_browsers (id_hash, user_id, created_at, expires_at) VALUES ('${id}', '${id}', 1, 9)`,
        `INSERT INTO password_hashes (user_id, hash, changed_at) VALUES ('${id}', 'x', 1)`,
        `INSERT INTO passkeys (id, user_id, user_handle, public_key, counter, transports, device_type, backed_up, created_at)
         VALUES ('${id}', '${id}', '${id}', 'x', 0, '[]', 'singleDevice', 0, 1)`,
        `INSERT INTO api_keys (id, user_id, name, hash, permissions, created_at) VALUES ('${id}', '${id}', 'x', '${id}', '[]', 1)`,
        `INSERT INTO accounts (provider, provider_account_id, user_id, type, created_at, updated_at)
         VALUES ('x', '${id}', '${id}', 'oidc', 1, 1)`,
      ]
    ) await run(sql);
  }
}

const countOf = (table: string, id: string) =>
  `SELECT COUNT(*) AS count FROM ${table} WHERE user_id = '${id}'`;

Deno.test("the statements for D1 block a user, and leave nothing that lets them in", async () => {
  using database = new DatabaseSync(":memory:");
  const auth = createAuth({ database: sqlite(database) });
  await auth.migrate();
  await fill(auth, (sql) => database.exec(sql));
  database.exec(blockOf("take_back.sql").replaceAll("<id>", "ada"));
  for (const table of OPENING) {
    assert.equal(database.prepare(countOf(table, "ada")).get()!["count"], 0, table);
    assert.equal(database.prepare(countOf(table, "eve")).get()!["count"], 1, table);
  }
  const blocked = database.prepare("SELECT id FROM users WHERE disabled_at IS NOT NULL").all();
  assert.deepEqual(blocked.map(({ id }) => id), ["ada"]);
});

Deno.test({
  name: `the script for PostgreSQL blocks a user, ends everything and writes the address${
    bin === null ? `: ${postgresHint}` : ""
  }`,
  ignore: bin === null,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const server = await startPostgres(bin!);
    const url = `postgres://framework@127.0.0.1:${server.port}/postgres`;
    const pool = new pg.Pool({ connectionString: url, max: 2 });
    const folder = await Deno.makeTempDir({ prefix: "framework-incident-" });
    try {
      const auth = createAuth({ database: postgres(pool) });
      await auth.migrate();
      await fill(auth, (sql) => pool.query(sql));
      await Deno.writeTextFile(join(folder, "take_back.ts"), blockOf("take_back.ts"));
      const run = (...args: string[]) =>
        capture(Deno.execPath(), [
          "run",
          "-A",
          "--no-check",
          `--config=${join(repositoryRoot, "deno.json")}`,
          "take_back.ts",
          ...args,
        ], { cwd: folder, env: { DATABASE_URL: url } });
      const { code, stdout, stderr } = await run("ada", "owner@example.com");
      assert.equal(code, 0, stderr);
      assert.match(stdout, /nothing of before signs in/);
      for (const table of OPENING) {
        for (const [id, count] of [["ada", "0"], ["eve", "1"]] as const) {
          assert.equal((await pool.query(countOf(table, id))).rows[0].count, count, table);
        }
      }
      const { rows } = await pool.query(
        "SELECT email, email_verified FROM users WHERE disabled_at IS NOT NULL",
      );
      assert.deepEqual(rows, [{ email: "owner@example.com", email_verified: null }]);
      const nobody = await run("nobody");
      assert.equal(nobody.code, 1);
      assert.match(nobody.stderr, /There is no such user/);
    } finally {
      await pool.end();
      await server.stop();
      await Deno.remove(folder, { recursive: true });
    }
  },
});
