/** Queues and jobs under `framework dev`, whose emulator takes errors otherwise than the platform does. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createProxy } from "../../cli/dev/proxy.ts";
import { createRunner } from "../../cli/emulator/runner.ts";
import { frontHeader } from "../../cli/emulator/shell.ts";
import type { ServeRequest } from "../../cli/platform/worker_request.ts";
import { openWebSocket } from "../support/web_socket.ts";
import { createFixtureApp } from "./fixture_app.ts";
import { until } from "./framework.ts";

/** A worker that does with each message what its body says, at the first attempt, and tells what it got. */
const code = `import { DurableObject } from "cloudflare:workers";
const got = [];
export class Clock extends DurableObject {
  async fetch(request) {
    if (request.headers.get("upgrade") === "websocket") {
      const [client, server] = Object.values(new WebSocketPair());
      this.ctx.acceptWebSocket(server);
      return new Response(null, { status: 101, webSocket: client });
    }
    await this.ctx.storage.setAlarm(Date.now() + 50);
    return new Response();
  }
  async alarm() {
    got.push("alarm");
    if (got.filter((each) => each === "alarm").length === 1) throw new Error("no hands");
  }
  async webSocketMessage(socket, message) {
    throw new Error("cannot hear " + message);
  }
}
async function later(text) {
  await Promise.resolve();
  throw new Error(text);
}
export default {
  async fetch(request, env, ctx) {
    if (request.method === "DELETE") ctx.waitUntil(later("not deleted"));
    const clock = env.CLOCK.get(env.CLOCK.idFromName("one"));
    if (request.method === "PUT") return await clock.fetch("http://clock/", { method: "PUT" });
    if (request.headers.get("upgrade") === "websocket") return await clock.fetch(request);
    if (request.method === "POST") {
      await env.JOBS.sendBatch((await request.json()).map((body) => ({ body })));
    }
    return Response.json(got);
  },
  queue({ messages }, _env, ctx) {
    for (const message of messages) {
      got.push(message.body + " " + message.attempts);
      if (message.attempts > 1) continue;
      if (message.body === "ack") message.ack();
      if (message.body === "retry") message.retry({ delaySeconds: 86400 });
      if (message.body === "throw") throw new Error("cannot do it", { cause: new TypeError("no disk") });
      if (message.body === "odd") {
        const error = Object.assign(new Error("not valid"), { errors: { email: "missing" } });
        error.cause = error;
        throw error;
      }
      if (message.body === "plain") throw { reason: "full" };
      if (message.body === "later") ctx.waitUntil(later("failed later"));
    }
    if (messages.some(({ body }) => body === "all")) {
      arguments[0].ackAll();
      throw new Error("after all");
    }
  },
  async scheduled({ cron, scheduledTime }, _env, ctx) {
    if (cron === "1 * * * *") throw new AggregateError([new Error("one"), "two"], "both failed");
    if (cron === "2 * * * *") ctx.waitUntil(later("not delivered"));
    got.push(cron + " " + scheduledTime);
  },
};`;

Deno.test({
  name: "queues and jobs under framework dev fail as they do on the platform, and say so",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(t) {
    await using app = await createFixtureApp({});
    const request: ServeRequest = {
      root: app.root,
      name: "app",
      compatibilityDate: "2026-07-30",
      compatibilityFlags: [],
      vars: {},
      d1Databases: {},
      kvNamespaces: {},
      r2Buckets: {},
      queueProducers: { JOBS: "jobs" },
      queueConsumers: { jobs: { maxBatchSize: 10, maxBatchTimeout: 1, maxRetries: 1 } },
      durableObjects: { CLOCK: { className: "Clock", useSQLite: true } },
      assets: null,
      assetsRevision: 0,
    };
    const lines: string[] = [];
    const runner = createRunner((line) => lines.push(line));
    const worker = { code, map: null, packages: null, modules: [], objects: "" };
    const served = await runner.serve(request, worker);
    assert.ok(served.ok, JSON.stringify(served));
    const proxy = createProxy(served, { secure: false });
    const front = createServer((request, response) => {
      const addition = (error: string | null) =>
        Promise.resolve({ message: `explained: ${error}`, markup: "" });
      void proxy.pass(request, response, addition).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
    const origin = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
    const got = async (): Promise<string[]> => await (await fetch(origin)).json();
    const send = async (...bodies: string[]): Promise<void> => {
      await (await fetch(origin, { method: "POST", body: JSON.stringify(bodies) })).body?.cancel();
    };
    const run = (query: string): Promise<Response> =>
      fetch(`${origin}/cdn-cgi/handler/scheduled?${query}`);
    try {
      await t.step("an error repeats what was neither acknowledged nor put off", async () => {
        await send("ack", "retry", "throw", "rest");
        await until(got, (list) => list.includes("rest 2"));
        await send("end");
        await until(got, (list) => list.includes("end 1"));
        assert.deepEqual((await got()).toSorted(), [
          "ack 1",
          "end 1",
          "rest 2",
          "retry 1",
          "throw 1",
          "throw 2",
        ]);
        // workerd writes lines of its own, such as of a connection that its user has left.
        const [line = "", ...more] = lines.filter((each) => each.startsWith("The queue "));
        assert.match(line, /^The queue "jobs" failed\. [^]* Error: cannot do it\n\s+at .*queue /);
        assert.match(line, /\nCaused by: TypeError: no disk\n/);
        assert.deepEqual(more, []);
      });
      await t.step("what fails behind a handler fails its batch", async () => {
        lines.length = 0;
        await send("later");
        await until(got, (list) => list.includes("later 2"));
        assert.match(lines.join("\n"), /^The queue "jobs" failed\. .* Error: failed later\n/m);
      });
      await t.step("whatever is thrown is told, and what was acknowledged stays so", async () => {
        lines.length = 0;
        await send("ack", "odd");
        await until(got, (list) => list.includes("odd 2"));
        await send("plain");
        await until(got, (list) => list.includes("plain 2"));
        assert.equal((await got()).filter((each) => each.startsWith("ack 2")).length, 0);
        assert.match(lines.join("\n"), /Error: not valid\n[^]*Caused by: Again: not valid/);
        assert.match(lines.join("\n"), /Thrown: \{"reason":"full"\}/);
      });
      await t.step("an error behind ackAll() repeats nothing", async () => {
        await send("all", "others");
        await until(got, (list) => list.includes("others 1"));
        await send("end of all");
        await until(got, (list) => list.includes("end of all 1"));
        assert.deepEqual((await got()).filter((each) => /^(?:all|others) 2$/.test(each)), []);
      });
      await t.step("errors of an object's alarm and sockets are in the log", async () => {
        lines.length = 0;
        await (await fetch(origin, { method: "PUT" })).body?.cancel();
        await until(got, (list) => list.filter((each) => each === "alarm").length === 2);
        assert.match(
          lines.join("\n"),
          /^alarm\(\) of the object Clock failed\. Error: no hands\n\s+at /m,
        );
        const socket = openWebSocket(served.url.replace("http", "ws"), {
          [frontHeader]: served.secret,
        });
        await new Promise((resolve) => socket.onopen = resolve);
        socket.send("me");
        await until(
          () => Promise.resolve(lines.join("\n")),
          (text) =>
            /^webSocketMessage\(\) of the object Clock failed\. Error: cannot hear me/m.test(text),
        );
        socket.close();
      });
      await t.step("what fails behind an answer is in the log", async () => {
        lines.length = 0;
        const response = await fetch(`${origin}/it?n=1`, { method: "DELETE" });
        await response.body?.cancel();
        await until(
          () => Promise.resolve(lines.join("\n")),
          (text) => /^waitUntil\(\) of DELETE \/it failed\. Error: not deleted\n\s+at /m.test(text),
        );
      });
      await t.step("the answer to a trigger and the log say why jobs failed", async () => {
        lines.length = 0;
        for (
          const [cron, expected] of [
            ["1+*+*+*+*", 'The jobs of "1 * * * *" failed. AggregateError: both failed'],
            ["2+*+*+*+*", 'The jobs of "2 * * * *" failed. Error: not delivered'],
          ] as const
        ) {
          const response = await run(`cron=${cron}`);
          const { code, message } = await response.json();
          assert.deepEqual([response.status, code], [500, "INTERNAL_ERROR"]);
          assert.ok(message.startsWith(`explained: ${expected}\n`), message);
          assert.equal(response.headers.get("x-framework-error"), null);
          assert.ok(lines.some((line) => line.startsWith(`${expected}\n`)), lines.join("\n"));
        }
        assert.match(lines.join("\n"), /\nError: one\n[^]*\nThrown: two/);
      });
      await t.step("a trigger may name the time", async () => {
        assert.equal(await (await run("cron=3+*+*+*+*&time=5000")).text(), "ok");
        assert.ok((await got()).includes("3 * * * * 5000"));
      });
      // Tracks: A-13, R157
      await t.step("nobody else runs jobs or loads a version", async () => {
        for (const path of ["/jobs?cron=4+*+*+*+*", "/"]) {
          const response: Response = await fetch(new URL(path, served.control), {
            headers: { authorization: "0", "framework-front": "0".repeat(32) },
          });
          await response.body?.cancel();
          assert.equal(response.status, 403);
        }
        assert.ok(!(await got()).some((line) => line.startsWith("4 ")));
      });
    } finally {
      front.close();
      front.closeAllConnections();
      proxy.close();
      await runner.dispose();
    }
  },
});
