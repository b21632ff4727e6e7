import assert from "node:assert/strict";
import { join } from "node:path";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { frameworkWith, type Transcript } from "../support/command_line.ts";
import { inMatrix } from "../support/matrix.ts";
import { type PlatformApi, startPlatformApi } from "../support/platform_api.ts";
import { createFixtureApp, type FixtureApp } from "./fixture_app.ts";
import { standInWrangler } from "./stand_in_wrangler.ts";

const files = {
  "migrations/0001_notes.sql": "CREATE TABLE notes (text TEXT);",
  "migrations/0002_trigger.sql": `CREATE TABLE log (text TEXT);
CREATE TRIGGER copy AFTER INSERT ON notes BEGIN
  INSERT INTO log VALUES (new.text || ';');
END;`,
  "migrations/down/0001_notes.sql": "DROP TABLE notes;",
  "migrations/down/0002_trigger.sql": "DROP TRIGGER copy; DROP TABLE log;",
};

async function createAppWithStandIn(): Promise<FixtureApp> {
  const app = await createFixtureApp(files);
  await putStandIn(app);
  return app;
}

async function putStandIn(app: FixtureApp): Promise<void> {
  await app.remove("node_modules/wrangler");
  for (const [path, text] of Object.entries(standInWrangler)) await app.write(path, text);
}

/**
 * Is wrangler itself for the first question and for every file, and else its stand-in: the other questions are asked in
 * the same way.
 */
const partlyWrangler = {
  "node_modules/wrangler/wrangler.mjs": `import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
if (existsSync("asked") && !process.argv.includes("--file")) await import("./stand_in.mjs");
else {
  writeFileSync("asked", "");
  const wrangler = ${JSON.stringify(join(repositoryRoot, "node_modules/wrangler/bin/wrangler.js"))};
  const args = ["run", "-A", wrangler, ...process.argv.slice(2)];
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
  process.exitCode = status;
}
`,
  "node_modules/wrangler/stand_in.mjs": standInWrangler["node_modules/wrangler/wrangler.mjs"]!,
};

function migrate(app: FixtureApp, api: PlatformApi, ...args: string[]): Promise<Transcript> {
  return frameworkWith({ cwd: app.root, env: api.env }, "migrate", ...args);
}

function names(api: PlatformApi): unknown[] {
  return api.database.prepare("SELECT name FROM d1_migrations ORDER BY id").all()
    .map((row) => row["name"]);
}

Deno.test("migrate --remote applies, shows and takes back", async () => {
  await using api = startPlatformApi();
  await using app = await createAppWithStandIn();

  const preview = await migrate(app, api, "up", "--remote", "--dry-run");
  assert.equal(preview.code, 0, preview.stderr);
  assert.match(preview.stdout, /^-- migrations\/0001_notes\.sql\nCREATE TABLE notes/);
  assert.deepEqual(api.database.prepare("SELECT name FROM sqlite_master").all(), []);

  const up = await migrate(app, api, "up", "--remote", "--json");
  assert.equal(up.code, 0, up.stderr);
  assert.deepEqual(JSON.parse(up.stdout), {
    database: "remote",
    dryRun: false,
    applied: [{ name: "0001_notes.sql" }, { name: "0002_trigger.sql" }],
  });
  assert.deepEqual(names(api), ["0001_notes.sql", "0002_trigger.sql"]);
  api.database.exec("INSERT INTO notes VALUES ('kept')");
  assert.equal(api.database.prepare("SELECT text FROM log").get()?.["text"], "kept;");

  const status = await migrate(app, api, "status", "--remote");
  assert.match(status.stdout, /^0001_notes\.sql +applied .*\n0002_trigger\.sql +applied /);

  const down = await migrate(app, api, "down", "--remote", "--yes");
  assert.equal(down.stderr, "✓ Reverted 0002_trigger.sql\n");
  assert.deepEqual(names(api), ["0001_notes.sql"]);

  const local = await migrate(app, api, "status", "--json");
  assert.match(local.stdout, /"state":"pending"/, "the local database is another one");
});

// Tracks: R159
Deno.test("migrate reset --remote wants the database's name", async () => {
  await using api = startPlatformApi();
  await using app = await createAppWithStandIn();
  assert.equal((await migrate(app, api, "up", "--remote")).code, 0);
  const unnamed = await migrate(app, api, "reset", "--remote", "--yes");
  assert.equal(unnamed.code, 1);
  assert.match(unnamed.stderr, /every migration .* all its data\.\nhint: Add --confirm fixture /);
  const wrong = await migrate(app, api, "reset", "--remote", "--confirm", "other");
  assert.match(wrong.stderr, /--confirm is "other", but the database is "fixture"/);
  assert.equal(names(api).length, 2);
  const reset = await migrate(app, api, "reset", "--remote", "--confirm", "fixture");
  assert.equal(reset.stderr, "✓ Reverted 0002_trigger.sql\n✓ Reverted 0001_notes.sql\n");
  assert.deepEqual(names(api), []);
});

// Tracks: AB-14
Deno.test("migrate reset --force asks the platform nothing and changes nothing there, whatever stands beside it", async () => {
  await using api = startPlatformApi();
  await using app = await createAppWithStandIn();
  for (const place of ["--local", "--remote"]) {
    assert.equal((await migrate(app, api, "up", place)).code, 0);
  }
  const asked = api.requests.length;
  assert.ok(asked > 0);
  for (const rest of [[], ["--confirm", "fixture"], ["--yes"], ["--dry-run"]]) {
    assert.equal((await migrate(app, api, "reset", "--remote", "--force", ...rest)).code, 1);
  }
  const local = await migrate(app, api, "reset", "--local", "--force");
  assert.match(local.stderr, /^✓ Emptied the local database\n/);
  assert.equal(api.requests.length, asked);
  assert.deepEqual(names(api), ["0001_notes.sql", "0002_trigger.sql"]);
});

// Tracks: F39, F44
Deno.test("migrate up --remote names the file and wrangler's reason, and leaves nothing of it", async () => {
  await using api = startPlatformApi();
  // Each file is another start of wrangler, and what does not differ between two of them is asked of its stand-in.
  await using app = await createFixtureApp({
    "migrations/0001_all.sql": Object.entries(files)
      .filter(([path]) => /^migrations\/\d/.test(path)).map(([, text]) => text).join("\n"),
    "migrations/0003_bad.sql": "CREATE TABLE c (x);\nINSERT INTO nowhere VALUES (1);",
  });
  if (!inMatrix) {
    await putStandIn(app);
    for (const [path, text] of Object.entries(partlyWrangler)) await app.write(path, text);
  }
  const failed = await migrate(app, api, "up", "--remote", "--json");
  assert.equal(failed.code, 1);
  assert.match(failed.stderr, /0003_bad\.sql: no such table: nowhere/);
  assert.match(JSON.parse(failed.stdout).error.message, /^0003_bad\.sql: no such table: nowhere/);
  assert.deepEqual(names(api), ["0001_all.sql"]);
  assert.throws(() => api.database.exec("SELECT * FROM c"), /no such table: c/);

  // wrangler tries a while.
  if (inMatrix) {
    const env = { ...api.env, CLOUDFLARE_API_BASE_URL: "http://127.0.0.1:9/client/v4" };
    const gone = await frameworkWith({ cwd: app.root, env }, "migrate", "up", "--remote");
    assert.equal(gone.code, 1);
    assert.equal(gone.stderr, "error: fetch failed\n");
  }

  await putStandIn(app);
  const status = await migrate(app, api, "status", "--remote");
  assert.match(status.stdout, /^0001_all\.sql +applied .*\n0003_bad\.sql +pending/);
});
