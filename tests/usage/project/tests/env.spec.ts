import {
  createMockContext,
  createMockEnv,
  createMockLoaderArgs,
  createTestContext,
} from "@framework/testing";
import { describe, expect, it } from "vitest";
import { checkout, type ShopEnv } from "../app/_components/checkout.ts";

describe("createMockEnv", () => {
  it("stores in what the platform file names, and mocks the rest", async () => {
    const env = createMockEnv<ShopEnv>();
    env.PAYMENTS.fetch.mockResolvedValue(new Response("paid"));
    expect(await checkout(env, "7")).toBe("Usage paid");
    expect(await env.KV.get("7")).toBe("Usage paid");
    expect(await checkout(env, "7")).toBe("Usage paid");
    expect(env.PAYMENTS.fetch).toHaveBeenCalledTimes(1);
    expect(env.KV.put).toHaveBeenCalledWith("7", "Usage paid");
  });

  it("lets a binding fail", async () => {
    const env = createMockEnv<ShopEnv>();
    env.KV.get.mockRejectedValueOnce(new Error("KV is down"));
    await expect(checkout(env, "7")).rejects.toThrow("KV is down");
    // A mistake of the test, whose error begins in it.
    const mistake = await createTestContext({ origin: "nowhere" }).catch((error) => error);
    expect(mistake.stack.split("\n    at ")[1]).toContain("env.spec.ts");
  });

  it("migrates the databases that the platform file names", async () => {
    const { DB } = createMockEnv();
    const insert = DB.prepare("INSERT INTO items VALUES (?, ?) RETURNING id");
    expect(await insert.bind("1", "First").first("id")).toBe("1");
    expect(DB.prepare).toHaveBeenCalledTimes(1);
    const results = await DB.batch([insert.bind("2", "b"), DB.prepare("SELECT * FROM items")]);
    expect(results[1].results).toHaveLength(2);
    await expect(DB.exec("SELECT * FROM nowhere")).rejects.toThrow("no such table: nowhere");
  });

  it("is the database of context.db too", async () => {
    const env = createMockEnv();
    const { db } = createMockContext({ env });
    await db.insertInto("items").values({ id: "1", title: "First" }).execute();
    expect(await env.DB.prepare("SELECT title FROM items").first("title")).toBe("First");
    const args = createMockLoaderArgs({ context: { env: { DB: env.DB, SITE: "Other" } } });
    expect(await args.context.db.selectFrom("items").selectAll().execute()).toHaveLength(1);
    expect(args.context.env).toMatchObject({ SITE: "Other" });
    await args.context.env.KV.put("a", "1");
    expect(await args.context.env.KV.get("a")).toBe("1");
  });

  it("has working buckets and queues", async () => {
    const env = createMockEnv();
    await env.FILES.put("a.txt", "text");
    expect(await (await env.FILES.get("a.txt")).text()).toBe("text");
    await env.MAILS.send({ to: "ada@example.com" });
    expect(env.MAILS.send).toHaveBeenCalledTimes(1);
    expect(env.MAILS.take()).toMatchObject([{ body: { to: "ada@example.com" }, attempts: 1 }]);
  });

  it("refuses unknown names when strict", () => {
    const env = createMockEnv({ strict: true, env: { EXTRA: 1 } });
    expect(env.EXTRA).toBe(1);
    expect(() => env.PAYMENT).toThrow(/env\.PAYMENT was used.*PAYMENTS/);
    expect(env.PAYMENTS.fetch()).toBeUndefined();
  });
});
