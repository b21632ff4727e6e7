import assert from "node:assert/strict";
import type { ServeRequest } from "./worker_request.ts";
import { workerOptions } from "./worker_options.ts";

const request: ServeRequest = {
  root: "/p",
  name: "app",
  compatibilityDate: "2026-07-30",
  compatibilityFlags: ["nodejs_compat"],
  vars: { A: "1" },
  d1Databases: { DB: "database-id" },
  kvNamespaces: {},
  r2Buckets: {},
  queueProducers: { Q: "mails" },
  queueConsumers: { mails: { maxBatchSize: 5 } },
  durableObjects: { ROOM: { className: "Room", useSQLite: true } },
  assets: null,
  assetsRevision: 0,
};

const main = { name: "worker.js", code: "export default {};" };

function worker(changes: Partial<ServeRequest>): Record<string, unknown> {
  const { workers } = workerOptions({ ...request, ...changes }, main);
  return (workers as Record<string, unknown>[])[0]!;
}

Deno.test("workerOptions() keeps local data where wrangler keeps them, on a loopback port", () => {
  const options = workerOptions(request, main);
  assert.equal(options["defaultPersistRoot"], "/p/.wrangler/state/v3");
  assert.equal(options["host"], "127.0.0.1");
});

Deno.test("workerOptions() passes bindings by id", () => {
  const options = worker({});
  assert.deepEqual(options["d1Databases"], { DB: { id: "database-id" } });
  assert.deepEqual(options["queueProducers"], { Q: { queueName: "mails" } });
  assert.deepEqual(options["queueConsumers"], { mails: { maxBatchSize: 5 } });
  assert.deepEqual(options["durableObjects"], { ROOM: { className: "Room", useSQLite: true } });
  assert.deepEqual(options["bindings"], { A: "1" });
  assert.equal("assets" in options, false);
});

Deno.test("workerOptions() translates which paths the worker answers before the files", () => {
  const assets = {
    directory: "/p/public",
    binding: "ASSETS",
    htmlHandling: "none",
    notFoundHandling: undefined,
    runWorkerFirst: ["/api/*", "!/api/docs/*"],
  };
  assert.deepEqual(worker({ assets })["assets"], {
    directory: "/p/public",
    binding: "ASSETS",
    routerConfig: {
      has_user_worker: true,
      invoke_user_worker_ahead_of_assets: false,
      static_routing: { user_worker: ["/api/*"], asset_worker: ["/api/docs/*"] },
    },
    assetConfig: { html_handling: "none", has_static_routing: true },
  });
});
