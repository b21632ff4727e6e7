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
};
