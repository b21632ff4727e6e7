import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { D1Database } from "../platform/wrangler_file.ts";
import { CliError } from "../terminal/exit.ts";
import { emptyDatabase } from "./apply.ts";
import {
  localDatabaseId,
  localDatabasePath,
  openLocalDatabase,
  readLocalDatabase,
} from "./local_database.ts";

function database(fields: Partial<D1Database> = {}): D1Database {
  return {
    binding: "DB",
    databaseName: undefined,
    databaseId: undefined,
    previewDatabaseId: undefined,
    migrationsDir: undefined,
    migrationsTable: "d1_migrations",
    ...fields,
  };
}

function platform(...d1Databases: D1Database[]) {
  return { file: "wrangler.jsonc", d1Databases };
}

async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "framework-local-"));
  try {
    await test(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

Deno.test("localDatabaseId() prefers preview id, then id, then binding, as wrangler does", () => {
  const both = database({ previewDatabaseId: "p", databaseId: "d" });
  assert.equal(localDatabaseId(platform(both), "DB"), "p");
  assert.equal(localDatabaseId(platform(database({ databaseId: "d" })), "DB"), "d");
  assert.equal(localDatabaseId(platform(database()), "DB"), "DB");
});

Deno.test("localDatabasePath() is exit 2 for an unknown binding and says what adds it", () => {
  assert.throws(
    () => localDatabasePath(platform(), "DB", "/p"),
    (error) =>
      error instanceof CliError && error.exitCode === 2 &&
      /framework doctor --fix.*"d1_databases": \[\{ "binding": "DB"/.test(error.hint ?? ""),
  );
  assert.throws(
    () => localDatabasePath(platform(database({ binding: "MAIN" })), "DB", "/p"),
    (error) => error instanceof CliError && /\(found: MAIN\)\.$/.test(error.message),
  );
});

Deno.test("readLocalDatabase() makes no file", () =>
  withFolder(async (folder) => {
    const path = join(folder, "state", "x.sqlite");
    assert.equal(await readLocalDatabase(path), undefined);
    await assert.rejects(stat(dirname(path)), { code: "ENOENT" });
  }));

Deno.test("readLocalDatabase() cannot write", () =>
  withFolder(async (folder) => {
    const path = join(folder, "x.sqlite");
    const writer = await openLocalDatabase(path);
    writer.exec("CREATE TABLE a (x)");
    writer.close();
    const reader = await readLocalDatabase(path);
    assert.throws(() => reader?.exec("INSERT INTO a VALUES (1)"), /readonly/);
    reader?.close();
  }));

Deno.test("openLocalDatabase() explains why a file could not be opened", () =>
  withFolder(async (folder) => {
    await mkdir(join(folder, "x.sqlite"));
    await assert.rejects(
      openLocalDatabase(join(folder, "x.sqlite")),
      (error) => error instanceof CliError && /x\.sqlite could not be opened: /.test(error.message),
    );
  }));

// miniflare leaves a message port and a timer behind.
const leaky = { sanitizeOps: false, sanitizeResources: false };

type Query = (sql: string) => Promise<unknown[]>;

async function withMiniflare(
  root: string,
  id: string,
  test: (query: Query) => Promise<void>,
): Promise<void> {
  const { Miniflare } = await import("miniflare");
  const miniflare = new Miniflare({
    modules: true,
    script: "export default { fetch: () => new Response() }",
    compatibilityDate: "2026-07-01",
    d1Databases: { DB: id },
    d1Persist: join(root, ".wrangler/state/v3/d1"),
  });
  try {
    const binding = await miniflare.getD1Database("DB");
    await test(async (sql) => (await binding.prepare(sql).all()).results);
  } finally {
    await miniflare.dispose();
  }
}

Deno.test(
  "localDatabasePath() is the file that miniflare opens",
  leaky,
  () =>
    withFolder(async (root) => {
      const id = "7b5cf1a4-0000-4000-8000-00000000d1d1";
      const path = localDatabasePath(platform(database({ databaseId: id })), "DB", root);
      const before = await openLocalDatabase(path);
      before.exec("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('from the command')");
      before.close();
      await withMiniflare(root, id, async (query) => {
        assert.deepEqual(await query("SELECT text FROM notes"), [{ text: "from the command" }]);
        await query("INSERT INTO notes VALUES ('from the worker')");
      });
      const after = await readLocalDatabase(path);
      const rows = after?.prepare("SELECT text FROM notes ORDER BY rowid").all();
      after?.close();
      assert.deepEqual(rows?.map((row) => row["text"]), ["from the command", "from the worker"]);
    }),
);

Deno.test(
  "openLocalDatabase() and a running miniflare see what the other writes",
  leaky,
  () =>
    withFolder(async (root) => {
      const path = localDatabasePath(platform(database()), "DB", root);
      await withMiniflare(root, "DB", async (query) => {
        await query("CREATE TABLE notes (text TEXT)");
        const writer = await openLocalDatabase(path);
        writer.exec("INSERT INTO notes VALUES ('from the command')");
        assert.deepEqual(await query("SELECT text FROM notes"), [{ text: "from the command" }]);
        await query("INSERT INTO notes VALUES ('from the worker')");
        const rows = writer.prepare("SELECT text FROM notes ORDER BY rowid").all();
        writer.close();
        assert.deepEqual(rows.map((row) => row["text"]), ["from the command", "from the worker"]);
      });
    }),
);

// Tracks: AB-14
Deno.test(
  "emptyDatabase() empties what a running miniflare has open, which goes on with it",
  leaky,
  () =>
    withFolder(async (root) => {
      const path = localDatabasePath(platform(database()), "DB", root);
      await withMiniflare(root, "DB", async (query) => {
        await query("CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT)");
        await query("CREATE VIRTUAL TABLE words USING fts5(text)");
        await query("INSERT INTO notes (text) VALUES ('before')");
        const writer = await openLocalDatabase(path);
        const dropped = emptyDatabase(writer, false).map(({ name }) => name);
        writer.close();
        assert.deepEqual(dropped, ["words", "notes"]);
        await assert.rejects(query("SELECT * FROM notes"), /no such table/);
        await query("CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT)");
        await query("INSERT INTO notes (text) VALUES ('after')");
        assert.deepEqual(await query("SELECT * FROM notes"), [{ id: 1, text: "after" }]);
      });
    }),
);
