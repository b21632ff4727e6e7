import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../config/load.ts";
import { CliError } from "../terminal/exit.ts";
import { readServerSettings, type ServerSettings } from "./server_settings.ts";
import { readPlatform } from "./wrangler_file.ts";

async function read(platform: object, answersHealth = false): Promise<ServerSettings> {
  const root = await mkdtemp(join(tmpdir(), "settings-"));
  try {
    await writeFile(
      join(root, "wrangler.json"),
      JSON.stringify({
        name: "app",
        compatibility_date: "2026-07-30",
        compatibility_flags: ["nodejs_compat"],
        ...platform,
      }),
    );
    const config = await loadConfig(root);
    return readServerSettings({ config, platform: await readPlatform(config), answersHealth });
  } finally {
    await rm(root, { recursive: true });
  }
}

Deno.test("a server takes bindings, queues and schedules from the platform file, with the platform's defaults", async () => {
  const settings = await read({
    d1_databases: [{ binding: "DB", migrations_table: "done" }],
    kv_namespaces: [{ binding: "CACHE", id: "cache-id" }],
    r2_buckets: [{ binding: "FILES" }],
    queues: {
      producers: [{ binding: "MAILS", queue: "mails" }],
      consumers: [
        { queue: "mails", max_retries: 0, dead_letter_queue: "dead" },
        { queue: "dead", max_batch_size: 1 },
      ],
    },
    triggers: { crons: ["0 3 * * *"] },
    vars: { LEVEL: 3 },
    observability: { enabled: true },
    assets: { binding: "ASSETS", run_worker_first: true },
  });
  assert.deepEqual(settings, {
    name: "app",
    database: "DB",
    migrationsTable: "done",
    kvNamespaces: { CACHE: "cache-id" },
    buckets: { FILES: "FILES" },
    producers: { MAILS: "mails" },
    consumers: [
      {
        queue: "mails",
        maxBatchSize: 10,
        maxBatchTimeout: 5,
        maxRetries: 0,
        retryDelay: 0,
        deadLetterQueue: "dead",
      },
      {
        queue: "dead",
        maxBatchSize: 1,
        maxBatchTimeout: 5,
        maxRetries: 3,
        retryDelay: 0,
        deadLetterQueue: null,
      },
    ],
    crons: ["0 3 * * *"],
    vars: { LEVEL: 3 },
    assets: { binding: "ASSETS", applicationFirst: true, html: true },
    health: true,
  });
  assert.equal((await read({}, true)).health, false, "the application answers /healthz itself");
});

Deno.test.each([
  [
    { queues: { producers: [{ binding: "A", queue: "other" }] } },
    /"other", which this application/,
  ],
  [{ kv_namespaces: [{ binding: "CACHE", id: "x" }] }, /declares no database/],
  [{ triggers: { crons: ["0 0 L * *"] } }, /the schedule "0 0 L \* \*" has a day of the month/],
  [{ workflows: [{ binding: "FLOW", name: "flow", class_name: "Flow" }] }, /declares workflows/],
  [{ send_email: [{ name: "MAIL" }] }, /declares send_email/],
  [{ assets: { html_handling: "force-trailing-slash" } }, /assets\.html_handling/],
])("a server refuses %j", async (platform, expected) => {
  await assert.rejects(read(platform), (error: unknown) => {
    assert.ok(error instanceof CliError);
    assert.equal(error.exitCode, 2);
    assert.match(error.message, expected);
    assert.ok(error.hint);
    return true;
  });
});
