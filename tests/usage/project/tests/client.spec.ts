import { createTestContext } from "@framework/testing";
import { expect, it } from "vitest";

it("renders a client component as the island that a browser would take over", async () => {
  const ctx = await createTestContext();
  try {
    const html = await (await ctx.fetch("/like")).text();
    expect(html).toContain(
      '<framework-island src="/_framework/app-components-like.js" name="Like"',
    );
    expect(html).toContain("0 since 1970</button>");
    expect(await (await ctx.fetch("/")).text()).not.toContain("<script");
  } finally {
    await ctx.cleanup();
  }
});
