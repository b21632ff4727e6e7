import type { TestContext, TestContextOptions } from "@framework/testing";
import assert from "node:assert/strict";

/** One case, which means the same in process and in workerd. */
export type WorkerCase = [
  name: string,
  run: (ctx: TestContext) => Promise<void>,
  options?: TestContextOptions,
];

const START = Date.UTC(2026, 0, 1);

/** Asks again until work after the answer, for which nothing waits in workerd, is done. */
async function until(ask: () => Promise<string>, expected: string): Promise<string> {
  for (let tries = 0;; tries++) {
    const found = await ask();
    if (found === expected || tries === 100) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** What the worker in `plain/` does. */
export const CASES: WorkerCase[] = [
  ["variables, of the project and of the test", async (ctx) => {
    // What a module reads while it is loaded is of the project where contexts share modules.
    const text = await (await ctx.fetch("/")).text();
    assert.match(text, /^(?:Hello|Good morning) Good morning a plain worker$/);
    assert.equal(ctx.env["GREETING"], "Good morning");
  }, { env: { GREETING: "Good morning" } }],
  ["a migrated database, which a module reads while it is loaded", async (ctx) => {
    assert.equal((await ctx.fetch("/notes", { method: "POST", body: "one" })).status, 201);
    assert.deepEqual(await (await ctx.fetch("/notes")).json(), ["one"]);
    assert.deepEqual(await ctx.db.selectFrom("notes").select(["text", "at"]).execute(), [
      { text: "one", at: START },
    ]);
  }, { clock: START }],
  ["a database that is empty again", async (ctx) => {
    assert.deepEqual(await (await ctx.fetch("/notes")).json(), []);
  }],
  ["the clock, by Date", async (ctx) => {
    assert.deepEqual(await (await ctx.fetch("/now")).json(), [START, START, START]);
    await ctx.clock.advance("1d");
    assert.equal((await (await ctx.fetch("/now")).json())[0], START + 86_400_000);
  }, { clock: START }],
  ["entries and files", async (ctx) => {
    assert.equal(await (await ctx.fetch("/cached")).json(), null);
    assert.equal(await (await ctx.fetch("/cached")).json(), "cached");
    assert.equal(await (await ctx.fetch("/file", { method: "PUT", body: "four" })).json(), 4);
  }],
  ["caches, the one by default and one by its name", async (ctx) => {
    for (const path of ["/page", "/page?cache=other"]) {
      assert.equal(await (await ctx.fetch(path)).text(), "made");
      await ctx.settled();
      assert.equal(await until(async () => (await ctx.fetch(path)).text(), "kept"), "kept");
    }
  }],
  ["what the platform says of the visitor, after a wait", async (ctx) => {
    const response = await ctx.fetch("/where", { cf: { country: "DE" } });
    assert.deepEqual(await response.json(), ["DE", "DE"]);
  }],
  ["durable objects", async (ctx) => {
    assert.equal(await (await ctx.fetch("/count")).json(), 1);
    assert.equal(await (await ctx.fetch("/count")).json(), 2);
  }],
  ["outgoing calls, by a fetch that a module keeps", async (ctx) => {
    await assert.rejects(ctx.fetch("/rates"), { code: "UNHANDLED_FETCH" });
    ctx.onFetch("https://rates.example/latest", () => ({ rate: 2 }));
    assert.deepEqual(await (await ctx.fetch("/rates")).json(), { rate: 2 });
  }],
  ["cookies", async (ctx) => {
    assert.equal(await (await ctx.fetch("/cookie")).text(), "none");
    assert.equal(await (await ctx.fetch("/cookie")).text(), "session=ada");
  }],
  ["errors, and the origin in their place", async (ctx) => {
    await assert.rejects(ctx.fetch("/error"), { name: "RangeError", message: "Not today" });
    ctx.onFetch("http://localhost/passes", () => new Response("of the origin"));
    assert.equal(await (await ctx.fetch("/passes")).text(), "of the origin");
  }],
  ["HEAD has no body", async (ctx) => {
    const response = await ctx.fetch("/", { method: "HEAD" });
    assert.deepEqual([response.status, await response.text()], [200, ""]);
  }],
  ["queues: what is acknowledged, delivered again, and used up", async (ctx) => {
    const cache = ctx.env["CACHE"] as { get(key: string): Promise<string | null> };
    const first = await ctx.queue("mails", [
      { id: "a", body: { to: "ada" } },
      { id: "b", body: { to: "later" } },
    ]);
    assert.deepEqual(first.outcome, { a: "ack", b: "retry" });
    assert.deepEqual(first.retried, [{ id: "b", body: { to: "later" }, attempts: 1 }]);
    assert.equal(await cache.get("mail:ada"), "mails 1");
    assert.deepEqual((await ctx.queue("mails")).outcome, {}, "its delay has not passed");
    await ctx.clock.advance("30s");
    const second = await ctx.queue("mails");
    assert.deepEqual(second.dead, [{ id: "b", body: { to: "later" }, attempts: 2 }]);
    await assert.rejects(ctx.queue("mails", [{ body: { to: "throw" } }]), { name: "RangeError" });
    await assert.rejects(ctx.queue("mails"), { name: "RangeError" }, "it is delivered again");
    assert.deepEqual((await ctx.queue("mails")).outcome, {});
  }],
  ["schedules", async (ctx) => {
    const cache = ctx.env["CACHE"] as { get(key: string): Promise<string | null> };
    assert.deepEqual(await ctx.scheduled(), { noRetry: true });
    assert.equal(await cache.get("ran"), `0 * * * * ${START} ${START}`);
    await ctx.scheduled({ cron: "1 * * * *", scheduledTime: 5000 });
    assert.equal(await cache.get("ran"), `1 * * * * 5000 ${START}`);
    await assert.rejects(ctx.scheduled({ cron: "throw" }), { name: "RangeError" });
  }, { clock: START }],
  ["mails that arrive", async (ctx) => {
    const cache = ctx.env["CACHE"] as {
      get(key: string): Promise<string | null>;
      delete(key: string): Promise<void>;
    };
    const raw =
      "Message-ID: <1@example.com>\r\nSubject: Hello\r\n there\r\nFrom: bob@example.com\r\n\r\nText";
    const from = "bob@example.com";
    assert.deepEqual(await ctx.email({ from, to: "support@example.com", raw }), {
      rejected: null,
      forwarded: [{ to: "ada@example.com", headers: [] }],
      replies: [],
    });
    assert.equal(await cache.get("subject"), `Hello there ${raw.length}`);
    const refused = await ctx.email({ from, to: "nobody@example.com", raw });
    assert.equal(refused.rejected, "No such mailbox");
    const bare = "Subject: In a hurry\r\n\r\nText";
    for (const raw of [bare, new TextEncoder().encode(bare)]) {
      await cache.delete("subject");
      await ctx.email({ from, to: "support@example.com", raw });
      assert.match(`${await cache.get("subject")}`, /^In a hurry \d+$/, "it got a Message-ID");
    }
  }],
  ["entrypoints", async (ctx) => {
    const prices = ctx.entrypoint("Prices");
    assert.equal(await prices.of("bread"), "Hello, bread costs 5");
    await assert.rejects(prices.refuse(), { name: "RangeError", message: "No price" });
    assert.equal(await prices.for(), "{}");
    for (const customer of ["ada", "bob"]) {
      const own = ctx.entrypoint("Prices", { props: { customer } });
      assert.equal(await own.for(), `{"customer":"${customer}"}`);
    }
  }],
];
