import { createTestContext } from "@framework/testing";
import { describe, expect, it } from "vitest";
import { CASES } from "../../better_auth_cases.ts";
import { betterAuth } from "../../better_auth_sign_in.ts";

describe("Better Auth", () => {
  for (const [name, run, options] of CASES) {
    it(name, async () => {
      await using ctx = await createTestContext(options);
      await run(ctx);
      await ctx.settled();
    });
  }

  it("withAuth() signs in by the endpoints of Better Auth", async () => {
    await using ctx = await createTestContext({ auth: betterAuth });
    ctx.onFetch("https://mailer.example/send", () => ({ sent: true }));
    const ada = await ctx.withAuth({ userId: "ada", name: "Ada" });
    const bob = await ctx.withAuth({ userId: "bob" });
    expect((await (await ada.fetch("/me")).json()).name).toBe("Ada");
    expect((await (await bob.fetch("/me")).json()).email).toBe("bob@example.com");
    expect((await ctx.fetch("/me")).status).toBe(401);
  });
});
