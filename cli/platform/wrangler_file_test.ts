// deno-lint-ignore-file camelcase -- the names are those of the platform's file.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { type Platform, readPlatform, readPlatformFile } from "./wrangler_file.ts";

const MINIMAL = {
  name: "app",
  compatibility_date: "2026-07-01",
  compatibility_flags: ["nodejs_compat"],
};

async function read(text: string, name = "wrangler.jsonc"): Promise<Platform> {
  const root = await mkdtemp(join(tmpdir(), "framework-platform-"));
  try {
    await writeFile(join(root, name), text);
    return await readPlatform({ root, platformFile: join(root, "wrangler.jsonc") });
  } finally {
    await rm(root, { recursive: true });
  }
}

function readWith(fields: Record<string, unknown>): Promise<Platform> {
  return read(JSON.stringify({ ...MINIMAL, ...fields }, null, 2));
}

Deno.test("readPlatform() reads what the commands use and keeps the rest as written", async () => {
  const platform = await read(`{
    // the worker
    "name": "my-app",
    "compatibility_date": "2026-07-01",
    "compatibility_flags": ["nodejs_compat", "other"],
    "d1_databases": [
      { "binding": "DB", "database_name": "app", "database_id": "1", "migrations_dir": "sql" },
      { "binding": "LOGS", "preview_database_id": "2", "migrations_table": "done" },
    ],
    "kv_namespaces": [{ "binding": "KV", "id": "k" }],
    "r2_buckets": [{ "binding": "FILES", "bucket_name": "files" }],
    "queues": { "producers": [{ "binding": "Q", "queue": "jobs" }], "consumers": [{ "queue": "jobs" }] },
    "durable_objects": { "bindings": [{ "name": "ROOM", "class_name": "Room" }] },
    "vars": { "MODE": "test", "LIMITS": { "a": 1 } },
    "assets": { "directory": "public", "binding": "ASSETS" },
    "observability": { "enabled": true },
  }`);
  const { file, raw, ...rest } = platform;
  assert.match(file, /wrangler\.jsonc$/);
  assert.deepEqual(raw["observability"], { enabled: true });
  assert.deepEqual(rest, {
    name: "my-app",
    compatibilityDate: "2026-07-01",
    compatibilityFlags: ["nodejs_compat", "other"],
    d1Databases: [{
      binding: "DB",
      databaseName: "app",
      databaseId: "1",
      previewDatabaseId: undefined,
      migrationsDir: "sql",
      migrationsTable: "d1_migrations",
    }, {
      binding: "LOGS",
      databaseName: undefined,
      databaseId: undefined,
      previewDatabaseId: "2",
      migrationsDir: undefined,
      migrationsTable: "done",
    }],
    kvNamespaces: [{ binding: "KV", id: "k", previewId: undefined }],
    r2Buckets: [{ binding: "FILES", bucketName: "files", previewBucketName: undefined }],
    queues: { producers: [{ binding: "Q", queue: "jobs" }], consumers: [{ queue: "jobs" }] },
    durableObjects: [{ name: "ROOM", className: "Room", scriptName: undefined }],
    vars: { MODE: "test", LIMITS: { a: 1 } },
    assets: { directory: "public", binding: "ASSETS" },
  });
});

Deno.test("readPlatform() fills in what is missing", async () => {
  const platform = await readWith({});
  assert.deepEqual(platform.d1Databases, []);
  assert.deepEqual(platform.queues, { producers: [], consumers: [] });
  assert.deepEqual(platform.vars, {});
  assert.equal(platform.assets, undefined);
});

Deno.test("readPlatform() is exit 2 without nodejs_compat and shows the line to add", async () => {
  await assert.rejects(
    readWith({ compatibility_flags: ["other"] }),
    (error) =>
      error instanceof CliError && error.exitCode === ExitCode.config &&
      error.message === 'wrangler.jsonc:4: compatibility_flags: "nodejs_compat" is missing.' &&
      error.hint ===
        'Add the line "compatibility_flags": ["other","nodejs_compat"], to wrangler.jsonc.',
  );
});

Deno.test.each([
  [{ name: undefined }, "wrangler.jsonc:1: name is missing."],
  [
    { name: "My App" },
    "wrangler.jsonc:2: name: expected at most 63 lower-case letters, digits and dashes.",
  ],
  [
    { compatibility_date: "today" },
    "wrangler.jsonc:3: compatibility_date: expected a date such as 2026-07-01.",
  ],
  [
    { compatibility_flags: "nodejs_compat" },
    "wrangler.jsonc:4: compatibility_flags: expected a list of strings, found a string.",
  ],
  [{ d1_databases: {} }, "wrangler.jsonc:7: d1_databases: expected a list, found an object."],
  [{ d1_databases: [1] }, "wrangler.jsonc:8: d1_databases[0]: expected an object, found a number."],
  [{ d1_databases: [{}] }, "wrangler.jsonc:8: d1_databases[0].binding is missing."],
  [
    { d1_databases: [{ binding: "DB", database_id: 5 }] },
    "wrangler.jsonc:10: d1_databases[0].database_id: expected a string, found a number.",
  ],
  [{ vars: [] }, "wrangler.jsonc:7: vars: expected an object, found a list."],
  [
    { queues: { producers: [{ binding: "Q" }] } },
    "wrangler.jsonc:9: queues.producers[0].queue is missing.",
  ],
])("readPlatform() with %o is exit 2", async (fields, message) => {
  await assert.rejects(
    readWith(fields),
    (error) =>
      error instanceof CliError && error.exitCode === ExitCode.config &&
      error.message === message && error.hint !== undefined,
  );
});

Deno.test("readPlatform() shows where the syntax is wrong", async () => {
  await assert.rejects(read('{\n  "name": oops\n}'), {
    message: 'wrangler.jsonc:2:11: Expected a value, found "oops".',
    hint: "Correct line 2 of wrangler.jsonc.",
  });
  await assert.rejects(read("[]"), {
    message: "wrangler.jsonc:1: expected an object at the top level.",
  });
});

Deno.test("readPlatform() says what to do when the file is missing or is TOML", async () => {
  await assert.rejects(read("", "other.txt"), {
    message: "wrangler.jsonc, the platform's file, cannot be read.",
    exitCode: 2,
  });
  await assert.rejects(read("", "wrangler.toml"), {
    message: "wrangler.toml is not supported.",
    hint: "Convert it to wrangler.jsonc, which wrangler reads too.",
  });
});

// Tracks: F46
Deno.test("readPlatform() prints no value of the file", async () => {
  const canary = "canary-91c2";
  for (
    const fields of [{ name: canary.toUpperCase() }, { vars: canary }, { d1_databases: canary }]
  ) {
    await assert.rejects(
      readWith(fields),
      (error) => error instanceof CliError && !/canary/i.test(`${error.message}${error.hint}`),
    );
  }
});

Deno.test("readPlatformFile() takes workers of other tools when it is asked to", async () => {
  const folder = await mkdtemp(join(tmpdir(), "platform-"));
  try {
    const file = join(folder, "wrangler.jsonc");
    await writeFile(file, `{ "main": "src/index.ts", "compatibility_date": "2026-07-01" }`);
    assert.throws(() => readPlatformFile(file), { message: /nodejs_compat/ });
    const { name, compatibilityFlags } = readPlatformFile(file, { anyWorker: true });
    assert.deepEqual([name, compatibilityFlags], ["worker", []]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
