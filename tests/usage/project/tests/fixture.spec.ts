import type { TestContext } from "@framework/testing";
import { contextFixtures } from "@framework/testing/vitest";
import { describe, expect, test as base } from "vitest";

const test = base.extend<{ ctx: TestContext }>(contextFixtures({
  seed: async (db) => {
    await db.insertInto("items").values({ id: "1", title: "First" }).execute();
  },
}));

describe("a context as a fixture", () => {
  test("is made for the test that names it", async ({ ctx }) => {
    const ada = await ctx.withAuth({ userId: "ada" });
    await ada.fetch("/api/items", {
      method: "POST",
      body: JSON.stringify({ id: "2", title: "Second" }),
    });
    expect(await (await ctx.fetch("/api/items")).json()).toHaveLength(2);
  });

  test("is new for the next", async ({ ctx }) => {
    expect(await (await ctx.fetch("/api/items")).json()).toEqual([{ id: "1", title: "First" }]);
  });

  test("is not made for others", () => {
    expect(1 + 1).toBe(2);
  });
});
