import type { TestContext } from "@framework/testing";
import assert from "node:assert/strict";

type Walk = (ctx: TestContext) => Promise<void>;

const text = async (ctx: TestContext, path = "/") => await (await ctx.fetch(path)).text();

async function greets(ctx: TestContext): Promise<void> {
  assert.equal(await text(ctx), "Hello World!");
}

async function countsObjects(ctx: TestContext): Promise<void> {
  assert.equal(await text(ctx), "Hello, world!");
}

async function sends(ctx: TestContext): Promise<void> {
  assert.equal(await text(ctx), "Sent message to the queue");
  const { outcome } = await ctx.queue("my-queue", [{ id: "1", body: { url: "/" } }]);
  assert.deepEqual(outcome, { 1: "ack" });
}

async function runsOnSchedule(ctx: TestContext): Promise<void> {
  await assert.rejects(ctx.scheduled({ cron: "* * * * *" }), { code: "UNHANDLED_FETCH" });
  const { requests } = ctx.onFetch("https://api.cloudflare.com/client/v4/ips", () => ({}));
  await ctx.scheduled({ cron: "* * * * *" });
  assert.equal(requests.length, 1);
  assert.match(await text(ctx), /--test-scheduled/);
}

async function answersBesideFiles(ctx: TestContext): Promise<void> {
  assert.equal(await text(ctx, "/message"), "Hello, World!");
  assert.match(await text(ctx, "/random"), /^[\da-f-]{36}$/);
  assert.equal((await ctx.fetch("/nowhere")).status, 404);
}

async function describesTasks(ctx: TestContext): Promise<void> {
  const task = {
    name: "Milk",
    slug: "milk",
    description: "Two litres",
    completed: false,
    ["due_date"]: "2026-01-01",
  };
  const created = await ctx.fetch("/api/tasks", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(task),
  });
  assert.equal(created.status, 201, await created.clone().text());
  assert.equal((await created.json()).task.name, "Milk");
  const wrong = await ctx.fetch("/api/tasks", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  assert.equal(wrong.status, 400);
  const { paths } = await (await ctx.fetch("/openapi.json")).json();
  assert.ok("/api/tasks" in paths);
}

async function greetsBesideFiles(ctx: TestContext): Promise<void> {
  assert.match(await text(ctx), /<h1 id="heading">/);
  assert.equal(await text(ctx, "/message"), "Hello, world!");
}

async function greetsByHono(ctx: TestContext): Promise<void> {
  assert.match(await text(ctx), /<!DOCTYPE html>/i);
  assert.equal(await text(ctx, "/message"), "Hello Hono!");
}

async function routes(ctx: TestContext): Promise<void> {
  assert.match(await text(ctx), /Try making requests to/);
  assert.equal(await text(ctx, "/api/todos/7"), "Todo #7");
  const created = await ctx.fetch("/api/todos", { method: "POST", body: '{"a":1}' });
  assert.equal(await created.text(), 'Creating Todo: {"a":1}');
  const redirect = await ctx.fetch("/redirect?redirectUrl=https://example.com/");
  assert.equal(redirect.headers.get("location"), "https://example.com/");
  const { requests } = ctx.onFetch("https://example.com/", () => new Response("proxied"));
  const proxied = await ctx.fetch("/proxy?modify&proxyUrl=https://example.com/");
  assert.equal(proxied.headers.get("x-my-header"), "My Header Value");
  assert.deepEqual([await proxied.text(), requests.length], ["proxied", 1]);
}

async function answersApi(ctx: TestContext): Promise<void> {
  assert.deepEqual(await (await ctx.fetch("/api/")).json(), { name: "Cloudflare" });
}

/** Waits in real time, which is that of the platform's own workflows. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200 && !await isSo(); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function begin(ctx: TestContext): Promise<{ id: string; status(): Promise<string> }> {
  const { id } = await (await ctx.fetch("/")).json();
  const status = async () =>
    (await (await ctx.fetch(`/?instanceId=${id}`)).json()).status.status as string;
  return { id, status };
}

async function waitsForApproval(ctx: TestContext): Promise<void> {
  const { requests } = ctx.onFetch("https://api.cloudflare.com/client/v4/ips", () => ({}));
  const { id, status } = await begin(ctx);
  await until(async () => await status() !== "queued");
  assert.match(await status(), /^(?:running|waiting)$/);
  assert.equal(requests.length, 0);
  const workflow = ctx.env["MY_WORKFLOW"] as {
    get(id: string): Promise<{ sendEvent(event: object): Promise<void> }>;
  };
  await (await workflow.get(id)).sendEvent({ type: "approval", payload: {} });
  await until(() => Promise.resolve(requests.length > 0));
  assert.equal(requests.length, 1);
}

/** Its constructor does not call super(), so that no instance of it runs: on the platform neither. */
async function ends(ctx: TestContext): Promise<void> {
  const { status } = await begin(ctx);
  await until(async () => await status() === "errored");
  assert.equal(await status(), "errored");
}

/** What each starter of create-cloudflare does, by its folder. */
export const STARTERS: Record<string, Walk> = {
  "hello-world/ts": greets,
  "hello-world/js": greets,
  "hello-world-durable-object/ts": countsObjects,
  "hello-world-durable-object/js": countsObjects,
  "hello-world-with-assets/ts": answersBesideFiles,
  "hello-world-with-assets/js": answersBesideFiles,
  "queues/ts": sends,
  "queues/js": sends,
  "scheduled/ts": runsOnSchedule,
  "scheduled/js": runsOnSchedule,
  "openapi/ts": describesTasks,
  "hello-world-durable-object-with-assets/ts": greetsBesideFiles,
  "hello-world-durable-object-with-assets/js": greetsBesideFiles,
  "hello-world-workflows/ts": waitsForApproval,
  "hello-world-workflows/js": ends,
  "common/ts": routes,
  "common/js": routes,
  "hono/workers/templates": greetsByHono,
  "react/workers/ts": answersApi,
  "react/workers/js": answersApi,
  "vue/workers/ts": answersApi,
  "vue/workers/js": answersApi,
};

/** Numbers of tests in the spec files that a starter has, by its folder. */
export const SPECS: Record<string, number> = {
  "hello-world/ts": 2,
  "hello-world/js": 2,
  "hello-world-with-assets/ts": 4,
  "hello-world-with-assets/js": 4,
};

/** Starters that are walked through in the worker pool: those with spec files, and one that the platform itself runs. */
export const IN_POOL: readonly string[] = [...Object.keys(SPECS), "hello-world-workflows/ts"];
