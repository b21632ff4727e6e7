import { createTestContext, type TestContext } from "@framework/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

describe("/api/items", () => {
  let ctx: TestContext;

  beforeEach(async () => {
    ctx = await createTestContext({
      seed: async (db) => {
        await db.insertInto("items").values({ id: "1", title: "First" }).execute();
      },
    });
  });

  afterEach(async () => {
    await ctx.cleanup();
  });

  it("lists items", async () => {
    const response = await ctx.fetch("/api/items");
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual([{ id: "1", title: "First" }]);
  });

  it("refuses visitors", async () => {
    const response = await ctx.fetch("/api/items", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify({ id: "2", title: "Second" }),
    });
    expect(response.status).toBe(401);
  });

  it("lets users add items", async () => {
    const authed = await ctx.withAuth({ userId: "ada" });
    const response = await authed.fetch("/api/items", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ id: "2", title: "Second" }),
    });
    expect(response.status).toBe(201);
    expect(await (await ctx.fetch("/api/items")).json()).toHaveLength(2);
  });

  it("renders an item's page", async () => {
    expect(await (await ctx.fetch("/items/1")).text()).toContain("<h2>First</h2>");
    expect((await ctx.fetch("/items/2")).status).toBe(404);
  });
});
