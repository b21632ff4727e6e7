// Better Auth on D1 inside a Hono worker: its own flows, in process and in workerd. npm installs it.
import { createTestContext } from "@framework/testing";
import assert from "node:assert/strict";
import { inMatrix } from "../support/matrix.ts";
import { CASES } from "./better_auth_cases.ts";
import { betterAuth } from "./better_auth_sign_in.ts";
import { copyWorker } from "./copied_worker.ts";

Deno.test("the lines for signing in at Better Auth know no user whom it refuses", async () => {
  const refused = { fetch: () => Promise.resolve(Response.json({ code: "NO" }, { status: 403 })) };
  await assert.rejects(async () =>
    await betterAuth.signIn(
      { userId: "ada" },
      refused as unknown as Parameters<typeof betterAuth.signIn>[1],
    )
  );
});

if (inMatrix) {
  const { cwd, remove } = await copyWorker("better_auth", {
    "better-auth": "1.7.25",
    "hono": "4.13.19",
  });
  Deno.test.afterAll(remove);

  Deno.test("withAuth() signs in by the endpoints of Better Auth", async () => {
    await using ctx = await createTestContext({ cwd, auth: betterAuth });
    ctx.onFetch("https://mailer.example/send", () => ({ sent: true }));
    const ada = await ctx.withAuth({ userId: "ada", name: "Ada" });
    const bob = await ctx.withAuth({ userId: "bob" });
    assert.equal((await (await ada.fetch("/me")).json()).name, "Ada");
    assert.equal((await (await bob.fetch("/me")).json()).email, "bob@example.com");
    assert.equal((await ctx.fetch("/me")).status, 401);
    const again = await ctx.withAuth({ userId: "ada" });
    assert.equal((await (await again.fetch("/me")).json()).name, "Ada");
  });

  // In process first: what the emulator leaves behind would count for the tests after it.
  for (const runtime of ["process", "workerd"] as const) {
    for (const [name, run, options] of CASES) {
      Deno.test({
        name: `${runtime}: ${name}`,
        ...(runtime === "workerd" && { sanitizeOps: false, sanitizeResources: false }),
        fn: async () => {
          await using ctx = await createTestContext({ cwd, runtime, ...options });
          await run(ctx);
          await ctx.settled();
        },
      });
    }
  }
}
