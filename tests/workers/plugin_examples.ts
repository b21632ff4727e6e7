import type { TestContext, TestContextOptions } from "@framework/testing";
import assert from "node:assert/strict";

/** Where a context runs its worker: its runtime, or the worker pool. */
export type Engine = "process" | "workerd" | "pool";

/** How one example's worker is tested. */
export interface ExampleWalk {
  /** Options of its context. */
  options?(engine: Engine): TestContextOptions | Promise<TestContextOptions>;
  /** Walks through what it does. */
  run(ctx: TestContext, engine: Engine): Promise<void>;
  /** Folder of its platform file, below that of the example. Default: the example's own. */
  folder?: string;
}

const text = async (ctx: TestContext, path: string, init?: RequestInit): Promise<string> =>
  await (await ctx.fetch(path, init)).text();

/** Asks again until the platform has delivered what nothing here waits for. */
async function until<T>(ask: () => Promise<T>, isDone: (found: T) => boolean): Promise<T> {
  for (let tries = 0;; tries++) {
    const found = await ask();
    if (isDone(found) || tries === 100) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

// deno-lint-ignore no-explicit-any -- the bindings are those of the examples.
const bindings = (ctx: TestContext): Record<string, any> => ctx.env;

/** A picture of one pixel. */
const PNG = Uint8Array.from(
  atob(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPhfDwAChAGA60e6kgAAAABJRU5ErkJggg==",
  ),
  (character) => character.charCodeAt(0),
);

/** What each example does that has a worker of its own, by the name of its folder. */
export const WALKS: Record<string, ExampleWalk> = {
  "basics-integration-auxiliary": {
    async run(ctx) {
      assert.equal(await text(ctx, "/"), "👋");
      await ctx.scheduled({ cron: "30 * * * *", scheduledTime: 1000 });
    },
  },
  "basics-unit-integration-self": {
    async run(ctx) {
      assert.equal(await text(ctx, "/path"), "👋 http://localhost/path");
      await ctx.scheduled({ cron: "30 * * * *", scheduledTime: 1000 });
    },
  },
  "kv-r2-caches": {
    async run(ctx) {
      assert.equal((await ctx.fetch("/kv/a", { method: "PUT", body: "one" })).status, 204);
      assert.equal(await text(ctx, "/kv/a"), "one");
      assert.equal((await ctx.fetch("/kv/b")).status, 204);
      const headers = { "cache-control": "max-age=3600" };
      await ctx.fetch("/r2/a", { method: "PUT", headers, body: "two" });
      const first = await ctx.fetch("/r2/a");
      assert.deepEqual([await first.text(), first.headers.get("cf-cache-status")], ["two", null]);
      await ctx.settled();
      const cached = await until(
        () => ctx.fetch("/r2/a"),
        ({ headers }) => headers.has("cf-cache-status"),
      );
      assert.deepEqual([await cached.text(), cached.headers.get("cf-cache-status")], [
        "two",
        "HIT",
      ]);
    },
  },
  "d1": {
    options: () => ({ environment: "production" }),
    async run(ctx) {
      assert.equal((await ctx.fetch("/bread", { method: "PUT", body: "rye" })).status, 204);
      assert.equal(await text(ctx, "/bread"), "rye");
      assert.match(await text(ctx, "/"), /^http:\/\/localhost\/bread\nrye/);
      assert.equal((await ctx.fetch("/milk")).status, 404);
      assert.equal((await ctx.fetch("/", { method: "PUT", body: "none" })).status, 405);
      assert.equal((await ctx.fetch("/bread", { method: "POST" })).status, 405);
      assert.equal((await ctx.db.selectFrom("posts").selectAll().execute()).length, 1);
    },
  },
  "durable-objects": {
    async run(ctx, engine) {
      assert.equal(await text(ctx, "/a"), "1");
      assert.equal(await text(ctx, "/a"), "2");
      assert.equal(await text(ctx, "/b"), "1");
      assert.equal(await text(ctx, "/sql"), "4096");
      const object = bindings(ctx)["COUNTER"].getByName("/a");
      await object.increment(3);
      assert.equal(await text(ctx, "/a"), "6");
      // Alarms go by the real time in workerd.
      if (engine === "process") {
        await object.scheduleReset(60_000);
        await ctx.clock.advance("1m");
        assert.equal(await text(ctx, "/a"), "1");
      }
      const socket = await ctx.connect("/websocket-order");
      for (const message of ["one", "two", "three"]) socket.send(message);
      const heard = [await socket.receive(), await socket.receive(), await socket.receive()];
      assert.deepEqual(heard, ["one", "two", "three"]);
      socket.close(1000, "done");
    },
  },
  "durable-objects-exports": {
    async run(ctx) {
      assert.deepEqual([await text(ctx, "/a"), await text(ctx, "/a")], ["1", "2"]);
      assert.deepEqual([await text(ctx, "/unbound"), await text(ctx, "/unbound")], ["1", "2"]);
      assert.equal(typeof await bindings(ctx)["COUNTER"].getByName("/a").sqliteOk(), "number");
    },
  },
  "dynamic-import": {
    async run(ctx) {
      assert.equal(await text(ctx, "/"), "Hello, World!");
      const object = bindings(ctx)["GREETER"].getByName("one");
      assert.equal(await (await object.fetch("http://localhost/")).text(), "Hello, DO!");
    },
  },
  "queues": {
    async run(ctx, engine) {
      const sent = await ctx.fetch("/a", { method: "POST", body: "one" });
      assert.equal(sent.status, 202);
      // In workerd the platform delivers it.
      if (engine === "process") await ctx.queue("queue");
      const answer = await until(() => ctx.fetch("/a"), ({ ok }) => ok);
      assert.equal(await answer.text(), "ONE");
      const { outcome } = await ctx.queue("queue", [
        { id: "1", body: { key: "/b", value: "two" } },
        { id: "2", body: { key: "/c", value: "three" } },
      ]);
      assert.deepEqual(outcome, { 1: "ack", 2: "ack" });
      assert.equal(await text(ctx, "/c"), "THREE");
    },
  },
  "pipelines": {
    // No double: the test says what stands for it.
    options: (engine) =>
      engine === "process" ? { env: { PIPELINE: { send: () => Promise.resolve() } } } : {},
    async run(ctx) {
      const answer = await ctx.fetch("/ingest", { method: "POST", body: "one" });
      assert.deepEqual([answer.status, await answer.text()], [202, "Accepted"]);
    },
  },
  "rpc": {
    async run(ctx, engine) {
      const env = bindings(ctx);
      const main = await (await ctx.fetch("/")).json();
      assert.deepEqual([main.source, main.ctxWaitUntil], ["TestDefaultEntrypoint", "function"]);
      const handler = await env["TEST_NAMED_HANDLER"].fetch("http://localhost/");
      assert.equal((await handler.json()).source, "testNamedHandler");
      assert.equal(await env["TEST_NAMED_ENTRYPOINT"].ping(), "pong");
      const counter = await env["TEST_NAMED_ENTRYPOINT"].getCounter();
      await counter.increment(2);
      assert.equal(await counter.value, 2);
      const object = env["TEST_OBJECT"].getByName("one");
      assert.equal(await object.increment(4), 4);
      assert.equal(await object.value, 4);
      const calls = Array.from({ length: 20 }, (_, index) => object.record(`${index}`));
      await Promise.all(calls);
      assert.deepEqual(await object.getLog(), calls.map((_, index) => `${index}`));
      assert.equal(
        (await env["TEST_NAMED_ENTRYPOINT"].recordFromWorkerEntrypoint("two", 10)).length,
        10,
      );
      assert.equal(
        await env["PROXIED_TEST_OBJECT"].getByName("one").readPrivateValue(),
        "private value",
      );
      await ctx.scheduled({ cron: "* * * * 30" });
      const own = ctx.entrypoint("default");
      assert.equal(await own.sum(1, 2, 3), 6);
      assert.equal(await own.superMethod(), "🦸");
      // From another process the emulator calls methods: it reads no properties, and pipelines nothing.
      if (engine !== "workerd") {
        assert.equal(await own.lastControllerCron, "* * * * 30");
        assert.equal(await own.createCounter(5).clone().increment(3), 8);
        await assert.rejects(async () => await own.instanceProperty, { name: "TypeError" });
      }
      await own.backgroundWrite("a", "one");
      await ctx.settled();
      assert.equal(await until(() => own.read("a"), (found) => found === "one"), "one");
    },
  },
  "request-mocking": {
    async run(ctx) {
      ctx.onFetch("https://cloudflare.com/one", () => new Response("first"));
      ctx.onFetch(
        "POST https://cloudflare.com/two",
        async (request) =>
          (await request.text()) === "sent"
            ? new Response("second")
            : new Response("no", { status: 400 }),
      );
      assert.equal(await text(ctx, "https://example.com/one"), "first");
      const post = (body: string) => ctx.fetch("https://example.com/two", { method: "POST", body });
      assert.equal((await post("other")).status, 400);
      assert.equal(await (await post("sent")).text(), "second");
    },
  },
  "reset": {
    async run(ctx) {
      const env = bindings(ctx);
      assert.equal(await text(ctx, "/a"), "1");
      assert.equal(await env["KV_NAMESPACE"].get("a"), null);
      assert.deepEqual((await env["R2_BUCKET"].list()).objects, []);
      await env["DATABASE"].prepare("CREATE TABLE one (a TEXT)").run();
      for (let count = 0; count < 100; count++) {
        assert.ok((await env["RATE_LIMITER"].limit({ key: "ada" })).success);
      }
      assert.ok(!(await env["RATE_LIMITER_ALIAS"].limit({ key: "ada" })).success);
      assert.ok((await env["RATE_LIMITER_ALIAS"].limit({ key: "bob" })).success);
    },
  },
  "web-assembly": {
    async run(ctx) {
      assert.equal(await text(ctx, "/?a=3&b=4"), "7");
    },
  },
  "workers-assets": {
    async run(ctx, engine) {
      assert.equal(await text(ctx, "/message"), "Hello, World!");
      assert.match(await text(ctx, "/random"), /^[\da-f-]{36}$/);
      assert.equal((await ctx.fetch("/nowhere")).status, 404);
      // Static files are the pool's own.
      if (engine === "pool") return;
      assert.match(await text(ctx, "/"), /<h1>/);
      assert.equal((await ctx.fetch("/binding.html")).status, 307);
    },
  },
  "workers-assets-no-dir": {
    async run(ctx) {
      assert.equal(await text(ctx, "/"), "Hello from worker!");
    },
  },
  "workflows": {
    async run(ctx, engine) {
      const { id, details } = await (await ctx.fetch("/moderate")).json();
      assert.ok(["queued", "running", "waiting"].includes(details.status), details.status);
      const { ids } = await (await ctx.fetch("/moderate-batch")).json();
      assert.equal(ids.length, 3);
      assert.equal(ids[1], "321");
      // Its sleeps go by the real time there.
      if (engine !== "process") return;
      await ctx.clock.advance("10s");
      await bindings(ctx)["MODERATOR"].get(id).then((instance: {
        sendEvent(event: object): Promise<void>;
      }) =>
        instance.sendEvent({ type: "moderation-decision", payload: { moderatorAction: "approve" } })
      );
      await ctx.clock.advance("2d");
      const { status, output } = await (await ctx.fetch(`/?id=${id}`)).json();
      assert.equal(status, "complete");
      assert.match(output.status, /^(?:auto_approved|auto_rejected|moderated)$/);
    },
  },
  "context-exports": {
    folder: "src",
    async run(ctx) {
      assert.equal(await text(ctx, "/"), "👋 Hello MainWorker from Main NamedEntryPoint!");
      assert.match(await text(ctx, "/props"), /Additional props!!$/);
      assert.equal(await text(ctx, "/durable-object"), "1");
      assert.match(await text(ctx, "/virtual-explicit"), /from ExplicitVirtualEntryPoint!$/);
      assert.match(await text(ctx, "/virtual-durable-object"), /ConfiguredVirtualDurableObject!$/);
    },
  },
  "ai-vectorize": {
    options: () => ({
      env: {
        AI: { run: () => Promise.resolve({ shape: [1, 2], data: [[0, 0]] }) },
        VECTORIZE: { upsert: (list: { id: string }[]) => ({ ids: list.map(({ id }) => id) }) },
      },
    }),
    async run(ctx) {
      assert.equal(await text(ctx, "/"), "Hello World!");
      assert.deepEqual(await (await ctx.fetch("/ai")).json(), { shape: [1, 2], data: [[0, 0]] });
      assert.deepEqual(await (await ctx.fetch("/vectorize")).json(), { ids: ["123", "456"] });
    },
  },
  "images": {
    options: (engine) =>
      engine === "process" ? { env: { IMAGES: { info: () => ({ format: "image/png" }) } } } : {},
    async run(ctx) {
      const answer = await ctx.fetch("/", { method: "POST", body: PNG });
      assert.equal((await answer.json()).format, "image/png");
    },
  },
  "container-app": {
    async run(ctx) {
      assert.match(await text(ctx, "/"), /^Call \/container to start/);
      await assert.rejects(ctx.fetch("/container/one"));
    },
  },
  "multiple-workers": {
    folder: "api-service",
    options: () => {
      const entries = new Map<string, string>();
      return {
        env: {
          AUTH_SERVICE: {
            fetch(request: Request, init?: RequestInit) {
              const asked = new Request(request, init);
              if (new URL(asked.url).pathname === "/login") return Response.json({ token: "t" });
              return asked.headers.get("authorization") === "Bearer t"
                ? Response.json({ "urn:example:username": "ada" })
                : new Response("Unauthorized", { status: 401 });
            },
          },
          DATABASE_SERVICE: {
            async fetch(request: Request, init?: RequestInit) {
              const asked = new Request(request, init);
              const { pathname } = new URL(asked.url);
              if (asked.method === "GET") return new Response(entries.get(pathname) ?? null);
              entries.set(pathname, await asked.text());
              return new Response(null, { status: 204 });
            },
          },
        },
      };
    },
    async run(ctx) {
      const { token } = await (await ctx.fetch("/login", { method: "POST", body: "x" })).json();
      assert.equal((await ctx.fetch("/key")).status, 401);
      const headers = { authorization: `Bearer ${token}` };
      const put = await ctx.fetch("/key", { method: "PUT", body: "value", headers });
      assert.equal(put.status, 204);
      assert.equal(await text(ctx, "/key", { headers }), "value");
    },
  },
};

/** Engines that cannot run a walk, by the example. */
export const LEFT_OUT: Record<string, Engine> = {
  // Its doubles are functions, which workerd in another process cannot be given.
  "ai-vectorize": "workerd",
  // The emulator reads pictures by a package that Deno does not load.
  "images": "workerd",
};

/** Numbers of tests in the spec files that pass under the platform's plugin, by the example. */
export const SPECS: Record<string, number> = {
  "ai-vectorize": 4,
  "basics-integration-auxiliary": 2,
  "basics-unit-integration-self": 5,
  "container-app": 2,
  "context-exports": 14,
  "d1": 7,
  "durable-objects": 9,
  "durable-objects-exports": 2,
  "dynamic-import": 2,
  "hyperdrive": 1,
  "images": 1,
  "kv-r2-caches": 2,
  "module-resolution": 10,
  "multiple-workers": 2,
  "pages-functions-unit-integration-self": 9,
  "pages-with-config": 1,
  "pipelines": 2,
  "queues": 5,
  "reset": 11,
  "rpc": 31,
  "web-assembly": 2,
  "workers-assets": 3,
  "workers-assets-no-dir": 1,
  "workflows": 11,
};

/** Examples whose spec files pass with `defineTestConfig()` too, and the walk beside them if there is one. */
export const BESIDE: readonly string[] = [
  "ai-vectorize",
  "basics-unit-integration-self",
  "container-app",
  "context-exports",
  "d1",
  "durable-objects",
  "durable-objects-exports",
  "dynamic-import",
  "hyperdrive",
  "images",
  "kv-r2-caches",
  "multiple-workers",
  "pages-functions-unit-integration-self",
  "pages-with-config",
  "pipelines",
  "queues",
  "reset",
  "rpc",
  "web-assembly",
  "workers-assets",
  "workers-assets-no-dir",
  "workflows",
];

/** Examples that no engine ran, which the document names with their reasons. */
export const NAMED: readonly string[] = ["misc", "new-config"];
