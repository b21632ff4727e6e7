import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { CliError } from "../terminal/exit.ts";
import { checkBackground } from "./background_check.ts";
import type { ObjectExports } from "../app/entry.ts";
import { readPlatformFile } from "../platform/wrangler_file.ts";
import { scanApp } from "../app/scan.ts";

async function check(
  files: Record<string, string>,
  platform: Record<string, unknown> = {},
  config: Parameters<typeof checkBackground>[2] = {
    database: "DB",
    file: undefined,
    lacksDatabase: false,
  },
): Promise<ObjectExports[]> {
  const root = await mkdtemp(join(tmpdir(), "background-"));
  try {
    const base = {
      "name": "app",
      "compatibility_date": "2026-07-30",
      "compatibility_flags": ["nodejs_compat"],
    };
    const all = { "wrangler.jsonc": JSON.stringify({ ...base, ...platform }), ...files };
    await mkdir(join(root, "app"));
    for (const [path, text] of Object.entries(all)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    const found = checkBackground(
      await scanApp(join(root, "app")),
      readPlatformFile(join(root, "wrangler.jsonc")),
      config,
    );
    return found.map(({ file, classes }) => ({ file: file.slice(root.length + 1), classes }));
  } finally {
    await rm(root, { recursive: true });
  }
}

const mails = { "app/queues/mails.ts": "export function queue() {}" };
const nightly = { "app/cron/nightly.ts": 'export const schedule = "0 3 * * *";' };
const room = { "app/objects/room.ts": "export class Room {}\nexport const limit = 3;" };
const consumers = (...queues: string[]): Record<string, unknown> => ({
  "queues": { "consumers": queues.map((queue) => ({ queue })) },
});
const bindings = (...classes: string[]): Record<string, unknown> => ({
  "durable_objects": {
    "bindings": classes.map((each) => ({ name: each.toUpperCase(), "class_name": each })),
  },
});
const created = { "migrations": [{ tag: "v1", "new_sqlite_classes": ["Room"] }] };

Deno.test("checkBackground() accepts what the platform's file knows, and names the classes to export", async () => {
  const platform = { ...consumers("mails"), ...bindings("Room"), ...created };
  const triggers = { "triggers": { "crons": ["0 3 * * *"] } };
  assert.deepEqual(await check({ ...mails, ...nightly, ...room }, { ...platform, ...triggers }), [
    { file: "app/objects/room.ts", classes: ["Room"] },
  ]);
  assert.deepEqual(await check({}), []);
});

Deno.test("checkBackground() leaves objects of another worker alone", async () => {
  const foreign = { name: "OTHER", "class_name": "Other", "script_name": "another" };
  assert.deepEqual(await check({}, { "durable_objects": { "bindings": [foreign] } }), []);
});

for (
  const [what, files, platform, message, hint] of [
    [
      "a queue without consumer",
      mails,
      {},
      /^app\/queues\/mails\.ts would receive no messages, because wrangler\.jsonc declares no consumer of "mails"/,
      'Add to wrangler.jsonc: "queues": { "consumers": [{ "queue": "mails" }] }',
    ],
    [
      "a queue beside producers",
      mails,
      { "queues": { "producers": [] } },
      /would receive no messages/,
      'Add to queues of wrangler.jsonc: "consumers": [{ "queue": "mails" }]',
    ],
    [
      "a queue beside other consumers",
      mails,
      consumers("jobs"),
      /would receive no messages/,
      'Add to queues.consumers of wrangler.jsonc: { "queue": "mails" }',
    ],
    [
      "a consumer without file",
      {},
      consumers("jobs"),
      /consumer of "jobs"/,
      "Create app/queues/jobs.ts",
    ],
    [
      "a job without trigger",
      nightly,
      {},
      /^app\/cron\/nightly\.ts would never run, because .* at "0 3 \* \* \*"/,
      'Add to wrangler.jsonc: "triggers": { "crons": ["0 3 * * *"] }',
    ],
    [
      "a job beside other triggers",
      nightly,
      { "triggers": { "crons": ["1 1 * * *"] } },
      /would never run/,
      'Add to triggers.crons of wrangler.jsonc: "0 3 * * *"',
    ],
    [
      "a trigger without job",
      {},
      { "triggers": { "crons": ["1 1 * * *"] } },
      /triggers the worker at "1 1 \* \* \*", but nothing runs then/,
      "Create a file in app/cron",
    ],
    [
      "a job whose schedule is computed",
      { "app/cron/x.ts": "export const schedule = nightly();" },
      {},
      /^app\/cron\/x\.ts exports no schedule that can be read/,
      "Write it as a literal",
    ],
    [
      "a job whose schedule cannot be",
      { "app/cron/x.ts": 'export const schedule = "99 3 * * *";' },
      { "triggers": { "crons": ["99 3 * * *"] } },
      /^app\/cron\/x\.ts: schedule "99 3 \* \* \*" names "99" as its minute, which does not exist\.$/,
      "Write minute, hour",
    ],
    [
      "a durable object without binding",
      { "app/objects/chat.ts": "export class ChatRoom {}" },
      {},
      /^app\/objects\/chat\.ts would never be used, because wrangler\.jsonc does not bind ChatRoom/,
      'Add to wrangler.jsonc: "durable_objects": { "bindings": [{ "name": "CHAT_ROOM", "class_name": "ChatRoom" }] }, ' +
      '"migrations": [{ "tag": "v1", "new_sqlite_classes": ["ChatRoom"] }]',
    ],
    [
      "a durable object that no migration creates",
      { ...room, "app/objects/chat.ts": "export class Chat {}" },
      { ...bindings("Room", "Chat"), ...created },
      /binds Chat, but none of its migrations creates the class/,
      'Add to wrangler.jsonc: in migrations { "tag": "v2", "new_sqlite_classes": ["Chat"] }',
    ],
    [
      "a binding without class",
      {},
      { ...bindings("Room"), ...created },
      /binds the durable object Room, but no file exports it/,
      "Create a file in app/objects",
    ],
    [
      "a file without class",
      { "app/objects/x.ts": "export const limit = 3;" },
      {},
      /^app\/objects\/x\.ts exports no class/,
      "prefix the file's name with _",
    ],
    [
      "one class in two files",
      { ...room, "app/objects/lobby.ts": "export class Room {}" },
      { ...bindings("Room"), ...created },
      /^app\/objects\/lobby\.ts and app\/objects\/room\.ts both export the class Room/,
      "Rename one",
    ],
  ] as const
) {
  Deno.test(`checkBackground() refuses ${what}, and says what to write`, async () => {
    await assert.rejects(check(files, platform), (error: unknown) => {
      assert.ok(error instanceof CliError);
      assert.equal(error.exitCode, 2);
      assert.match(error.message, message);
      assert.ok(error.hint!.includes(hint), error.hint);
      return true;
    });
  });
}

// Tracks: AB-18
Deno.test("checkBackground() names all that is missing at once, with lines that fit together", async () => {
  const files = {
    ...mails,
    "app/queues/jobs.ts": "export function queue() {}",
    ...nightly,
    "app/cron/hourly.ts": 'export const schedule = ["0 * * * *", "0 3 * * *"];',
    ...room,
    "app/objects/chat.ts": "export class Chat {}",
  };
  const lacking = {
    ...bindings("Gone"),
    env: { staging: { queues: { consumers: [{ queue: "events-staging" }] } } },
  };
  const config = { database: "MAIN", file: "/app/framework.config.js", lacksDatabase: true };
  await assert.rejects(check(files, lacking, config), (error: unknown) => {
    assert.ok(error instanceof CliError);
    assert.equal(error.exitCode, 2);
    assert.deepEqual(error.message.split("\n"), [
      'framework.config.js: database is "MAIN", but wrangler.jsonc declares no D1 database with this binding.',
      'app/queues/jobs.ts would receive no messages, because wrangler.jsonc declares no consumer of "jobs".',
      'app/queues/mails.ts would receive no messages, because wrangler.jsonc declares no consumer of "mails".',
      'wrangler.jsonc declares a consumer of "events-staging" in env.staging, but nothing handles its messages.',
      'app/cron/hourly.ts would never run, because wrangler.jsonc does not trigger it at "0 * * * *", "0 3 * * *".',
      'app/cron/nightly.ts would never run, because wrangler.jsonc does not trigger it at "0 3 * * *".',
      "app/objects/chat.ts would never be used, because wrangler.jsonc does not bind Chat.",
      "app/objects/room.ts would never be used, because wrangler.jsonc does not bind Room.",
      "wrangler.jsonc binds the durable object Gone, but no file exports it.",
    ]);
    assert.deepEqual(error.hint!.split("\n"), [
      'Add to wrangler.jsonc: "d1_databases": [{ "binding": "MAIN", "database_name": "app" }]',
      'Add to wrangler.jsonc: "queues": { "consumers": [{ "queue": "jobs" }, { "queue": "mails" }] }',
      'Create app/queues/events-staging.ts, or name the queue after the file and the environment, as in "mails-staging".',
      'Add to wrangler.jsonc: "triggers": { "crons": ["0 * * * *", "0 3 * * *"] }',
      'Add to wrangler.jsonc: in durable_objects.bindings { "name": "CHAT", "class_name": "Chat" }, ' +
      '{ "name": "ROOM", "class_name": "Room" }, "migrations": [{ "tag": "v1", "new_sqlite_classes": ["Chat", "Room"] }]',
      "Create a file in app/objects with `export class Gone`.",
    ]);
    return true;
  });
});

// Tracks: AB-18
Deno.test("the lines that checkBackground() says to add are all that it wants", async () => {
  const files = {
    ...mails,
    ...nightly,
    ...room,
    "app/queues/jobs.ts": mails["app/queues/mails.ts"],
  };
  let hint = "";
  await assert.rejects(check(files), (error: unknown) => {
    hint = (error as CliError).hint ?? "";
    return true;
  });
  const lines = hint.split("\n").map((line) => line.replace("Add to wrangler.jsonc: ", ""));
  const platform = JSON.parse(`{${lines.join(", ")}}`);
  assert.deepEqual(await check(files, platform), [
    { file: "app/objects/room.ts", classes: ["Room"] },
  ]);
});
