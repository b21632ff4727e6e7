import { createTestContext } from "@framework/testing";
import { expect, it } from "vitest";

it("imports images, texts and CSS modules as the built application does", async () => {
  const ctx = await createTestContext();
  try {
    const html = await (await ctx.fetch("/look")).text();
    expect(html).toMatch(
      /<p class="look_\w{6}_frame look_\w{6}_wide"><img src="\/app\/_components\/stamp\.svg" alt=""\/>Posted\.<\/p>/,
    );
  } finally {
    await ctx.cleanup();
  }
});
