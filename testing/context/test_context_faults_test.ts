import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { createTestContext } from "./test_context.ts";
import type { TestContext } from "./types.ts";

const cwd = fileURLToPath(new URL("./fixtures/project/", import.meta.url));

const post = (ctx: TestContext, name: string) =>
  ctx.fetch("/api/items", { method: "POST", body: JSON.stringify({ name }) });

const names = async ({ db }: TestContext) =>
  (await db.selectFrom("items").select("name").execute()).map(({ name }) => name);

Deno.test("faults() has the storage be down for the application, and not for the test", async () => {
  await using ctx = await createTestContext({ cwd });
  const ada = await ctx.withAuth({ userId: "ada" });
  const faults = ctx.faults({ storage: "down" });
  assert.equal((await post(ctx, "one")).status, 500);
  const refused = await ada.fetch("/api/me", { headers: { accept: "application/json" } });
  assert.equal(refused.status, 503);
  assert.equal((await refused.json()).code, "STORAGE_UNAVAILABLE");
  assert.ok(faults.count > 1);

  assert.deepEqual(await names(ctx), []);
  await (ctx.env["CACHE"] as { put(key: string, value: string): Promise<void> }).put("a", "b");
  const bob = await ctx.withAuth({ userId: "bob" });

  const count = faults.count;
  faults.heal();
  assert.equal((await bob.fetch("/api/me")).status, 200);
  assert.equal((await post(ctx, "one")).status, 201);
  assert.equal(faults.count, count);
});

Deno.test("faults() loses the answer of each exchange in turn, after which its work is done", async () => {
  let lost = 0;
  for (;; lost++) {
    await using ctx = await createTestContext({ cwd });
    using faults = ctx.faults({ storage: "answer lost", after: lost, times: 1 });
    const { status } = await post(ctx, "one");
    assert.deepEqual(await names(ctx), ["one"]);
    if (faults.count === 0) break;
    // The first exchange is the library's look at its tables, which it takes again at the next request.
    assert.equal(status, lost === 0 ? 201 : 500);
    assert.equal((await post(ctx, "two")).status, 201, "once");
  }
  assert.equal(lost, 2);
});

Deno.test("faults() of one binding leaves the others as they are", async () => {
  await using ctx = await createTestContext({ cwd });
  const put = () => ctx.fetch("/api/bucket", { method: "PUT", body: "text" });
  for (const binding of ["BUCKET", "MAILS"]) {
    using faults = ctx.faults({ storage: { [binding]: "down" } });
    assert.equal((await put()).status, 500);
    assert.equal(faults.count, 1, binding);
    assert.equal((await post(ctx, binding)).status, 201);
  }
  assert.equal((await put()).status, 201);

  const say = () => ctx.fetch("/api/room", { method: "POST", body: "hello" });
  const faults = ctx.faults({ storage: { ROOM: "answer lost" }, times: 1 });
  assert.equal((await say()).status, 500);
  assert.deepEqual(await (await say()).json(), { said: ["hello", "hello"] });
  assert.equal(faults.count, 1);
});

Deno.test("faults() gives code that tries again its second try", async () => {
  await using ctx = await createTestContext({ cwd });
  const faults = ctx.faults({ storage: { CACHE: "down" }, times: 1 });
  assert.equal((await ctx.fetch("/api/cache", { method: "PUT", body: "hello" })).status, 204);
  assert.equal(faults.count, 1);
  ctx.faults({ storage: { CACHE: "down" } });
  assert.equal((await ctx.fetch("/api/cache", { method: "PUT", body: "hello" })).status, 500);
});

Deno.test("faults() reads stale data where the platform may", async () => {
  await using ctx = await createTestContext({ cwd });
  const cache = ctx.env["CACHE"] as { put(key: string, value: string): Promise<void> };
  await cache.put("greeting", "old");
  const faults = ctx.faults({ storage: "stale" });
  await cache.put("greeting", "new");
  assert.equal((await post(ctx, "one")).status, 201);
  const read = async (session: string) =>
    await (await ctx.fetch(`/api/cache?session=${session}`)).json();

  assert.deepEqual(await read("first-primary"), { cached: "old", before: 1, after: 2 });
  // From a replica until the session has written.
  assert.deepEqual(await read("first-unconstrained"), { cached: "old", before: 0, after: 3 });
  faults.heal();
  assert.deepEqual(await read("first-unconstrained"), { cached: "new", before: 3, after: 4 });
});

Deno.test("faults() has the network be down, before or after the other server did its work", async () => {
  await using ctx = await createTestContext({ cwd });
  const route = ctx.onFetch("https://rates.example/refresh", () => ({}));
  const refresh = async () => await (await ctx.fetch("/api/rates", { method: "POST" })).json();
  {
    using _ = ctx.faults({ network: "down" });
    assert.deepEqual(await refresh(), { refreshed: false });
    assert.equal(route.requests.length, 0);
  }
  {
    using _ = ctx.faults({ network: "answer lost" });
    assert.deepEqual(await refresh(), { refreshed: false });
    assert.equal(route.requests.length, 1);
  }
  assert.deepEqual(await refresh(), { refreshed: true });
});

Deno.test("faults() has the network be slow, until the application's own time limit", async () => {
  const handler = async () => {
    const answer = await fetch("https://rates.example/", { signal: AbortSignal.timeout(20) })
      .catch(({ name }: Error) => new Response(name));
    return new Response(await answer.text());
  };
  await using ctx = await createTestContext({ cwd, handler });
  const route = ctx.onFetch("https://rates.example/", () => new Response("1.25"));
  const ask = async () => await (await ctx.fetch("/")).text();
  {
    using faults = ctx.faults({ network: "slow", delay: 3_600_000 });
    assert.equal(await ask(), "TimeoutError");
    assert.equal(faults.count, 1);
    assert.equal(route.requests.length, 0);
  }
  {
    using faults = ctx.faults({ network: "slow", delay: 1 });
    assert.equal(await ask(), "1.25");
    assert.equal(faults.count, 1);
  }
});

Deno.test("faults() has the storage be slow, after which it answers", async () => {
  await using ctx = await createTestContext({ cwd });
  using faults = ctx.faults({ storage: "slow", delay: 30 });
  const begun = performance.now();
  assert.equal((await post(ctx, "one")).status, 201);
  // A timer may be a millisecond early.
  assert.ok(performance.now() - begun >= 25 && faults.count > 0);
  assert.deepEqual(await names(ctx), ["one"]);
});

Deno.test("faults() loses what D1, KV, R2 and a queue answer, each after its work was done", async () => {
  interface Env {
    DB: { prepare(sql: string): { run(): Promise<unknown> } };
    CACHE: { put(key: string, value: string): Promise<void>; get(key: string): Promise<unknown> };
    BUCKET: {
      put(key: string, value: string): Promise<unknown>;
      head(key: string): Promise<unknown>;
    };
    MAILS: { send(body: unknown): Promise<unknown>; take(): unknown[] };
  }
  const writes: Record<string, (env: Env) => Promise<unknown>> = {
    DB: (env) => env.DB.prepare("INSERT INTO items (name) VALUES ('one')").run(),
    CACHE: (env) => env.CACHE.put("one", "1"),
    BUCKET: (env) => env.BUCKET.put("one", "1"),
    MAILS: (env) => env.MAILS.send("one"),
  };
  const handler = async (request: Request, env: Env) => {
    await writes[new URL(request.url).pathname.slice(1)]!(env);
    return new Response();
  };
  await using ctx = await createTestContext<Env & Record<string, unknown>>({ cwd, handler });
  for (const binding of Object.keys(writes)) {
    using faults = ctx.faults({ storage: { [binding]: "answer lost" } });
    // The handler lets the error through, so that a visitor gets the platform's answer.
    assert.equal((await ctx.fetch(`/${binding}`)).status, 500, binding);
    assert.equal(faults.count, 1, binding);
  }
  const { env } = ctx;
  assert.deepEqual(await names(ctx), ["one"]);
  assert.equal(await env.CACHE.get("one"), "1");
  assert.notEqual(await env.BUCKET.head("one"), null);
  assert.equal(env.MAILS.take().length, 1);
});

Deno.test("faults() has the clock of the application be ahead or behind", async () => {
  await using ctx = await createTestContext({ cwd });
  const isSignedIn = async (userId: string) => {
    const user = await ctx.withAuth({ userId });
    return await (await user.fetch("/auth/session")).json() !== null;
  };
  const day = 86_400_000;
  {
    using _ = ctx.faults({ clockSkew: 31 * day });
    assert.equal(await isSignedIn("ada"), false);
  }
  {
    using _ = ctx.faults({ clockSkew: -60_000 });
    assert.equal(await isSignedIn("bob"), true);
  }
  assert.equal(await isSignedIn("eve"), true);
});

Deno.test("faults() concerns the work after the response, whose error ends no test", async () => {
  await using ctx = await createTestContext({ cwd });
  const faults = ctx.faults({ storage: "down" });
  assert.equal((await ctx.fetch("/api/background", { method: "POST" })).status, 202);
  await ctx.settled();
  assert.equal(faults.count, 2);
  assert.deepEqual(await names(ctx), []);
  // An error of the application's own still does.
  await ctx.fetch("/api/background?fail", { method: "POST" });
  await assert.rejects(ctx.settled(), /The background failed/);
});

Deno.test("faults() names what it does not know", async () => {
  await using ctx = await createTestContext({ cwd });
  const wrong = (options: unknown, message: RegExp) =>
    assert.throws(() => ctx.faults(options as { storage: "down" }), { code: "OPTIONS", message });
  wrong({ storag: "down" }, /the option "storag".*some of storage, network/);
  wrong({ storage: "broken" }, /storage "broken".*"slow", "down", "answer lost", "stale"/);
  wrong({ storage: { NOPE: "down" } }, /the name "NOPE".*DB, CACHE, BUCKET, MAILS, COUNTER/);
  wrong({ storage: { DB: "gone" } }, /storage\.DB "gone"/);
  wrong({ network: "stale" }, /network "stale".*"answer lost"/);
  wrong({ clockSkew: "5m" }, /clockSkew "5m".*milliseconds/);
  wrong({ times: -1 }, /times -1/);
  wrong({ storage: { BUCKET: "stale" } }, /storage\.BUCKET "stale".*never reads older data/);
});

Deno.test("faults() says where a context has nothing that stores", async () => {
  const empty = fileURLToPath(new URL("./fixtures/", import.meta.url));
  await using ctx = await createTestContext({ cwd: empty, handler: () => new Response() });
  for (const storage of ["down" as const, { USERS: "down" as const }]) {
    assert.throws(() => ctx.faults({ storage }), {
      code: "OPTIONS",
      message: /createFaultDoubles/,
    });
  }
});
