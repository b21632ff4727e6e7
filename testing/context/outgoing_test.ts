import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { createOutgoing, type FetchPattern } from "./outgoing.ts";
import { createTestContext } from "./test_context.ts";

// Before any context.
const native = globalThis.fetch;
const cwd = fileURLToPath(new URL("./fixtures/project/", import.meta.url));

const FITTING: [FetchPattern, string, boolean][] = [
  ["https://api.example/a", "GET https://api.example/a", true],
  ["https://api.example/a", "GET https://api.example/a?b=1#c", true],
  ["https://api.example/a", "GET https://api.example/ab", false],
  ["https://api.example/a", "GET https://api.example/a/b", false],
  ["https://api.example", "GET https://api.example/", true],
  ["https://api.example/a?b=1", "GET https://api.example/a?b=1", true],
  ["https://api.example/a?b=1", "GET https://api.example/a?b=2", false],
  ["https://api.example/*", "POST https://api.example/a/b?c", true],
  ["https://*.example/a", "GET https://api.example/a", true],
  ["POST https://api.example/a", "POST https://api.example/a", true],
  ["POST https://api.example/a", "GET https://api.example/a", false],
  ["https://api.example/a.b", "GET https://api.example/aXb", false],
  ["*", "DELETE https://anywhere.example/", true],
  [/example\/\d+$/, "GET https://api.example/12", true],
  [/example\/\d+$/, "GET https://api.example/x", false],
  [({ method }) => method === "PUT", "PUT https://api.example/x", true],
];

Deno.test("onFetch() says by a pattern which calls a handler answers", async () => {
  for (const [pattern, call, expected] of FITTING) {
    const [method = "", url = ""] = call.split(" ");
    const outgoing = createOutgoing();
    outgoing.onFetch(pattern, () => "answered");
    const answered = await outgoing.answer(new Request(url, { method })).then(
      () => true,
      () => false,
    );
    assert.equal(answered, expected, `${pattern} ${call}`);
  }
});

Deno.test("onFetch() lets the later handler answer, until it is removed", async () => {
  const outgoing = createOutgoing();
  outgoing.onFetch("https://a.example/*", () => ({ from: "general" }));
  const special = outgoing.onFetch("https://a.example/b", () => new Response("special"));
  const ask = async () =>
    await (await outgoing.answer(
      new Request("https://a.example/b", { method: "POST", body: "x" }),
    )).text();
  assert.equal(await ask(), "special");
  assert.equal(await special.requests[0]!.text(), "x");
  special.remove();
  special.remove();
  assert.equal(await ask(), '{"from":"general"}');
  assert.equal(special.requests.length, 1);
});

Deno.test("onFetch() takes a handler without a result for an empty response", async () => {
  const outgoing = createOutgoing();
  outgoing.onFetch("*", () => {});
  assert.equal((await outgoing.answer(new Request("https://a.example/"))).status, 204);
});

Deno.test("onFetch() answers the calls of the application", async () => {
  await using ctx = await createTestContext({ cwd });
  const rates = ctx.onFetch("https://rates.example/latest", () => ({ rate: 1.25 }));
  const response = await ctx.fetch("/api/rates?currency=EUR");
  assert.deepEqual(await response.json(), { currency: "EUR", rate: 1.25 });
  assert.equal(new URL(rates.requests[0]!.url).search, "?currency=EUR");
});

Deno.test("fetch() rejects when the application calls an address that nothing answers", async () => {
  await using ctx = await createTestContext({ cwd });
  const unhandled = {
    code: "UNHANDLED_FETCH",
    message: /GET https:\/\/rates\.example\/latest\?currency=EUR, .*ctx\.onFetch\("https:\/\/rates/,
  };
  await assert.rejects(ctx.fetch("/api/rates?currency=EUR"), unhandled);
  // Also one that the application gets over.
  await assert.rejects(ctx.fetch("/api/rates", { method: "POST" }), { code: "UNHANDLED_FETCH" });
  ctx.onFetch("https://rates.example/*", () => Promise.reject(new TypeError("network down")));
  const response = await ctx.fetch("/api/rates", { method: "POST" });
  assert.deepEqual(await response.json(), { refreshed: false });
});

/** A handler with the one method that is called; tests/testing/msw_test.ts has those of MSW itself. */
const handlerOf = (path: string, respond: (request: Request) => Response) => ({
  run: async ({ request }: { request: Request; requestId: string }) => {
    if (!new URL(request.url).pathname.endsWith(path)) return null;
    await request.text();
    return { response: respond(request) };
  },
});

Deno.test("onFetch() takes a list of request handlers, of which the first that fits answers", async () => {
  await using ctx = await createTestContext({ cwd });
  ctx.onFetch("https://rates.example/*", () => ({ rate: 1 }));
  const route = ctx.onFetch([
    handlerOf(
      "/refresh",
      () => new Response(null, { headers: { "x-msw-intention": "passthrough" } }),
    ),
    handlerOf("/latest", (request) => Response.json({ rate: request.url.length })),
    handlerOf("/latest", () => Response.error()),
  ]);
  const rate = async () => (await (await ctx.fetch("/api/rates?currency=EUR")).json()).rate;
  assert.equal(await rate(), "https://rates.example/latest?currency=EUR".length);
  assert.equal(route.requests.length, 1);
  // What no handler of the list answers is an older one's.
  assert.equal((await ctx.fetch("/api/rates", { method: "POST" })).status, 200);
  assert.equal(route.requests.length, 1);
  route.remove();
  assert.equal(await rate(), 1);
});

Deno.test("onFetch() answers one context's calls only, also in parallel", async () => {
  const rates = await Promise.all(Array.from({ length: 20 }, async (_, rate) => {
    await using ctx = await createTestContext({ cwd });
    ctx.onFetch("https://rates.example/*", async () => {
      await new Promise((resolve) => setTimeout(resolve, (20 - rate) % 5));
      return { rate };
    });
    return (await (await ctx.fetch("/api/rates?currency=EUR")).json()).rate;
  }));
  assert.deepEqual(rates, rates.map((_, index) => index));
});

// Tracks: PF-z04
Deno.test("createTestContext() leaves the global fetch as it was", async () => {
  assert.equal(globalThis.fetch, native, "after the contexts of the tests before");
  const first = await createTestContext({ cwd });
  assert.notEqual(globalThis.fetch, native);
  const second = await createTestContext({ cwd });
  await first.cleanup();
  await first.cleanup();
  assert.notEqual(globalThis.fetch, native, "the second one needs it");
  await second.cleanup();
  assert.equal(globalThis.fetch, native);
});

Deno.test("a fetch that the test itself put in place answers the application", async () => {
  const before = globalThis.fetch;
  globalThis.fetch = () => Promise.resolve(Response.json({ rate: 7 }));
  try {
    await using ctx = await createTestContext({ cwd });
    assert.equal((await (await ctx.fetch("/api/rates?currency=EUR")).json()).rate, 7);
  } finally {
    globalThis.fetch = before;
  }
});
