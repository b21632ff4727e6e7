import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WorkerCode } from "./module_store.ts";
import type { ServeRequest } from "../platform/worker_request.ts";
import { createRunner, type Runner } from "./runner.ts";

/**
 * Stands for the emulator: counts its starts, and takes up what the server says that it takes up. What follows another
 * start fails while the port is taken, and nothing is ready that is dead.
 */
const standIn = `class Miniflare {
  constructor(options) {
    globalThis.started.push(options);
  }
  get ready() {
    return globalThis.isDead ? Promise.reject(new Error("dead")) : Promise.resolve(new URL("http://127.0.0.1:9/"));
  }
  async setOptions(options) {
    if (globalThis.isTaken) throw Object.assign(new Error("taken"), { code: "ERR_ADDRESS_IN_USE" });
    globalThis.started.push(options);
  }
  async unsafeGetDirectURL() {
    return new URL(globalThis.control);
  }
  async dispose() {}
}
module.exports = { Miniflare, Response };
`;

interface Emulated {
  runner: Runner;
  request: ServeRequest;
  /** The options of each start of workerd. */
  started: Record<string, unknown>[];
  /** Paths of the versions that were loaded into a workerd that ran. */
  loaded: string[];
  /** Answer to the next load. */
  answer: { status: number; text: string };
}

async function withRunner(test: (emulated: Emulated) => Promise<void>): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "framework-runner-"));
  const folder = join(root, "node_modules", "miniflare");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "main": "index.cjs" }');
  await writeFile(join(folder, "index.cjs"), standIn);
  const loaded: string[] = [];
  const answer = { status: 204, text: "" };
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => body += part);
    request.on("end", () => {
      loaded.push(body);
      response.writeHead(answer.status, { connection: "close" }).end(answer.text || undefined);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const started: Record<string, unknown>[] = [];
  const { port } = server.address() as AddressInfo;
  Object.assign(globalThis, {
    started,
    control: `http://127.0.0.1:${port}/`,
    isTaken: false,
    isDead: false,
  });
  const request: ServeRequest = {
    root,
    name: "app",
    compatibilityDate: "2026-07-30",
    compatibilityFlags: ["nodejs_compat"],
    vars: {},
    d1Databases: {},
    kvNamespaces: {},
    r2Buckets: {},
    queueProducers: {},
    queueConsumers: {},
    durableObjects: {},
    assets: null,
    assetsRevision: 0,
  };
  const runner = createRunner(() => {});
  try {
    await test({ runner, request, started, loaded, answer });
  } finally {
    await runner.dispose();
    await new Promise((resolve) => server.close(resolve));
    await rm(root, { recursive: true });
  }
}

function worker(code: string, objects = ""): WorkerCode {
  return { code, map: null, packages: null, modules: [], objects };
}

const sanitizers = { sanitizeOps: false, sanitizeResources: false };

Deno.test(
  "createRunner() starts before there is a worker, and loads versions into what runs",
  sanitizers,
  () =>
    withRunner(async ({ runner, request, started, loaded }) => {
      await runner.warm(request);
      assert.equal(started.length, 1);
      const served = await runner.serve(request, worker("one"));
      assert.ok(served.ok);
      assert.equal(served.restarted, false);
      assert.equal(served.url, "http://127.0.0.1:9/");
      assert.match(served.secret, /^[0-9a-f]{32}$/);
      assert.equal((await runner.serve(request, worker("two"))).ok, true);
      assert.equal(started.length, 1);
      assert.equal(new Set(loaded).size, 2);
      await runner.serve(request, worker("two"));
      assert.equal(loaded.length, 2, "the same worker is not loaded again");
    }),
);

Deno.test(
  "createRunner() starts anew for other settings, and for other code of durable objects, and says so",
  sanitizers,
  () =>
    withRunner(async ({ runner, request, started, loaded }) => {
      const objects = { ROOM: { className: "Room", useSQLite: true } };
      const settings = { ...request, durableObjects: objects };
      await runner.warm(settings);
      assert.equal(started.length, 0, "an alarm that is due needs the object's class");
      const restarts = async (...what: Parameters<Runner["serve"]>): Promise<unknown> => {
        const served = await runner.serve(...what);
        return served.ok && served.restarted;
      };
      assert.equal(await restarts(settings, worker("one", "first")), false);
      assert.equal(await restarts(settings, worker("two", "first")), false);
      assert.deepEqual([started.length, loaded.length], [1, 1]);
      assert.equal(await restarts(settings, worker("three", "second")), true);
      const others = { ...settings, assetsRevision: 1 };
      assert.equal(await restarts(others, worker("three", "second")), true);
      assert.equal(await restarts(others, worker("three", "second")), false);
      assert.deepEqual([started.length, loaded.length], [3, 1]);
    }),
);

Deno.test(
  "createRunner() says why a version does not start, and goes on with the next",
  sanitizers,
  () =>
    withRunner(async ({ runner, request, started, answer }) => {
      await runner.serve(request, worker("one"));
      Object.assign(answer, {
        status: 500,
        text: "Error: no\n    at app.js:1:1\n    at Object.fetch (file:///p/shell.js:5:7)",
      });
      assert.deepEqual(await runner.serve(request, worker("two")), {
        ok: false,
        text: "Error: no\n    at app.js:1:1",
        place: null,
      });
      Object.assign(answer, { status: 204, text: "" });
      assert.equal((await runner.serve(request, worker("one"))).ok, true);
      assert.equal(started.length, 1);
    }),
);

Deno.test(
  "createRunner() starts anew once workerd holds too much that nothing runs",
  sanitizers,
  () =>
    withRunner(async ({ runner, request, started, loaded }) => {
      const long = "x".repeat(33 * 1024 * 1024);
      for (const end of ["1", "2", "3", "4"]) await runner.serve(request, worker(long + end));
      assert.deepEqual([started.length, loaded.length], [2, 2]);
    }),
);

Deno.test(
  "createRunner() starts another emulator where the port of the one before is taken",
  sanitizers,
  () =>
    withRunner(async ({ runner, request, started }) => {
      await runner.serve(request, worker("one"));
      Object.assign(globalThis, { isTaken: true });
      const served = await runner.serve({ ...request, assetsRevision: 1 }, worker("one"));
      assert.deepEqual([served.ok, started.length], [true, 2]);
    }),
);

Deno.test(
  "createRunner() starts another emulator where the one before could not start workerd again",
  sanitizers,
  () =>
    withRunner(async ({ runner, request, started }) => {
      assert.equal(
        await runner.recover({ hangs: false }),
        true,
        "before the first start, nothing has died",
      );
      await runner.serve(request, worker("one"));
      Object.assign(globalThis, { isDead: true });
      assert.equal(await runner.recover({ hangs: false }), false);
      assert.equal(await runner.recover({ hangs: false }), true, "the next serve starts it");
      Object.assign(globalThis, { isDead: false });
      await runner.serve(request, worker("one"));
      assert.equal(started.length, 2);
    }),
);
