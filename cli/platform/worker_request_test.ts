import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../config/load.ts";
import { readPlatform } from "./wrangler_file.ts";
import { missingBindings, type ServeRequest, workerRequest } from "./worker_request.ts";

async function withProject(
  files: Record<string, string>,
  test: (root: string, request: ServeRequest) => void,
): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "worker-request-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      if (name.includes("/")) await mkdir(join(root, name, ".."), { recursive: true });
      await writeFile(join(root, name), text);
    }
    const config = await loadConfig(root);
    test(root, workerRequest({ config, platform: await readPlatform(config) }, 0));
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function platformFile(more: object): string {
  return JSON.stringify({
    name: "app",
    "compatibility_date": "2026-07-30",
    "compatibility_flags": ["nodejs_compat"],
    ...more,
  });
}

Deno.test("workerRequest() names local data as wrangler does: preview id, else id, else binding", () =>
  withProject({
    "wrangler.jsonc": platformFile({
      "d1_databases": [
        { binding: "A", "database_id": "a", "preview_database_id": "a-preview" },
        { binding: "B", "database_id": "b" },
        { binding: "C" },
      ],
      "kv_namespaces": [{ binding: "K", id: "k" }],
      "r2_buckets": [{ binding: "R", "bucket_name": "files" }],
      queues: {
        producers: [{ binding: "Q", queue: "mails" }],
        consumers: [{ queue: "mails", "max_batch_size": 5, "dead_letter_queue": "dead" }],
      },
      "durable_objects": {
        bindings: [
          { name: "ROOM", "class_name": "Room" },
          { name: "OLD", "class_name": "Old" },
          { name: "OTHER", "class_name": "Other", "script_name": "another-worker" },
        ],
      },
      migrations: [
        { tag: "v1", "new_classes": ["Old"] },
        { tag: "v2", "new_sqlite_classes": ["Room"] },
      ],
    }),
  }, (_root, request) => {
    assert.deepEqual(request.d1Databases, { A: "a-preview", B: "b", C: "C" });
    assert.deepEqual(request.kvNamespaces, { K: "k" });
    assert.deepEqual(request.r2Buckets, { R: "files" });
    assert.deepEqual(request.queueProducers, { Q: "mails" });
    assert.deepEqual(request.queueConsumers, {
      mails: { maxBatchSize: 5, deadLetterQueue: "dead" },
    });
    assert.deepEqual(request.durableObjects, {
      ROOM: { className: "Room", useSQLite: true },
      OLD: { className: "Old", useSQLite: false },
    });
  }));

Deno.test("workerRequest() puts .dev.vars over the variables of the platform's file", () =>
  withProject({
    "wrangler.jsonc": platformFile({ vars: { A: "file", B: { deep: true } } }),
    ".dev.vars": '# secrets\nA="local # value"\nexport C=3\n',
  }, (_root, { vars }) => {
    assert.deepEqual(vars, { A: "local # value", B: { deep: true }, C: "3" });
  }));

Deno.test("workerRequest() serves the public folder when there is one, or the folder that is named", async () => {
  await withProject({ "wrangler.jsonc": platformFile({}) }, (_root, { assets }) => {
    assert.equal(assets, null);
  });
  await withProject(
    { "wrangler.jsonc": platformFile({}), "public/a.css": "" },
    (root, { assets }) => assert.equal(assets?.directory, join(root, "public")),
  );
  await withProject(
    {
      "wrangler.jsonc": platformFile({
        assets: { directory: "./static", binding: "FILES", "run_worker_first": ["/api/*"] },
      }),
      "static/a.css": "",
    },
    (root, { assets }) => {
      assert.equal(assets?.directory, join(root, "static"));
      assert.equal(assets.binding, "FILES");
      assert.deepEqual(assets.runWorkerFirst, ["/api/*"]);
    },
  );
});

Deno.test("missingBindings() names what needs more than this machine has", () => {
  const raw = { name: "app", ai: { binding: "AI" }, "d1_databases": [] };
  const own = { name: "ROOM", className: "Room", scriptName: undefined };
  const missing = (durableObjects: unknown[]): string[] =>
    missingBindings({ raw, durableObjects } as never);
  assert.deepEqual(missing([own]), ["ai"]);
  assert.deepEqual(missing([own, { ...own, scriptName: "another-worker" }]), [
    "durable_objects",
    "ai",
  ]);
});
