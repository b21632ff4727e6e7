import { createTestContext } from "@framework/testing";
import { expect, it } from "vitest";

it("forgets to clean up", async () => {
  const ctx = await createTestContext();
  expect((await ctx.fetch("/api/items")).status).toBe(200);
});

it("is not disturbed by that", async () => {
  await using ctx = await createTestContext();
  expect((await ctx.fetch("/api/items")).status).toBe(200);
});
