import { createTestContext } from "@framework/testing";
import { env, RpcTarget, WorkerEntrypoint } from "cloudflare:workers";
import { expect, it } from "vitest";
import * as worker from "../../src/index";

it("a worker by its path, and the module that a test has imported", async () => {
  for (const given of ["./src/index.ts", worker]) {
    await using ctx = await createTestContext({ worker: given });
    await ctx.fetch("/notes", { method: "POST", body: "one" });
    expect(await (await ctx.fetch("/notes")).json()).toEqual(["one"]);
    expect(await ctx.entrypoint("Prices").of("tea")).toBe("Hello, tea costs 3");
    ctx.onFetch("https://rates.example/latest", () => ({ rate: 2 }));
    expect(await (await ctx.fetch("/rates")).json()).toEqual({ rate: 2 });
  }
});

it("a handler, with the variables of the test also in the platform's own module", async () => {
  const handler = () => new Response(`${env.GREETING} ${new Date().getTime()}`);
  await using ctx = await createTestContext({ handler, env: { GREETING: "Hi" }, clock: 5 });
  expect(await (await ctx.fetch("/")).text()).toBe("Hi 5");
  expect(env.GREETING).toBe("Hello");
});

class Cursor extends RpcTarget {
  #position = 0;
  next(): number {
    return ++this.#position;
  }
}

class Shop extends WorkerEntrypoint {
  override fetch(): Response {
    return new Response(`${this.env.GREETING} ${this.ctx.props.currency}`);
  }
  open(): Cursor {
    return new Cursor();
  }
  async rates(): Promise<unknown> {
    return await (await fetch("https://rates.example/")).json();
  }
}

it("entrypoints that are classes: fetch, props, references, outgoing calls", async () => {
  await using ctx = await createTestContext({ worker: { default: Shop, Shop } });
  ctx.onFetch("https://rates.example/", () => [1]);
  const shop = ctx.entrypoint("Shop", { props: { currency: "EUR" } });
  expect(await (await shop.fetch("http://shop/")).text()).toBe("Hello EUR");
  const cursor = await shop.open();
  expect([await cursor.next(), await cursor.next()]).toEqual([1, 2]);
  expect(await shop.rates()).toEqual([1]);
});

it("a default export that is a class, and work after the answer", async () => {
  class Main extends WorkerEntrypoint {
    override fetch(): Response {
      this.ctx.waitUntil(this.env.CACHE.put("later", "yes"));
      return new Response("now");
    }
  }
  await using ctx = await createTestContext({ worker: { default: Main } });
  expect(await (await ctx.fetch("/")).text()).toBe("now");
  await ctx.settled();
  expect(await ctx.env.CACHE.get("later")).toBe("yes");
});

it("nothing that an earlier context stored", async () => {
  await using ctx = await createTestContext();
  expect(await ctx.env.CACHE.get("later")).toBeNull();
  expect(await (await ctx.fetch("/count")).json()).toBe(1);
});

it("what the platform starts: the outgoing calls of the context, and the real time", async () => {
  await using ctx = await createTestContext({ clock: 5 });
  const { requests } = ctx.onFetch("https://rates.example/*", () => ({ rate: 2 }));
  const [now, rate] = await ctx.env.COUNTER.getByName("one").ask();
  expect([now > 1_000_000, rate]).toEqual([true, 2]);
  expect(requests[0]?.url).toBe("https://rates.example/object");
  await ctx.env.MAILS.send({ to: "ada" });
  for (let tries = 0; tries < 100 && await ctx.env.CACHE.get("mail:ada") === null; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(await ctx.env.CACHE.get("mail:ada")).toBe("mails 1");
});

it("says what the pool has not", async () => {
  await expect(createTestContext({ fresh: "module" })).rejects.toThrow(/fresh cannot be used/);
  await using ctx = await createTestContext({ worker: {} });
  await expect(ctx.queue("mails")).rejects.toMatchObject({ code: "RUNTIME" });
  await expect(ctx.queue("mails", [{ body: 1 }])).rejects.toMatchObject({ code: "NO_HANDLER" });
  expect(() => ctx.entrypoint("None")).toThrow(/exports no entrypoint None/);
  await expect(createTestContext()).rejects.toThrow(/already open/);
});
