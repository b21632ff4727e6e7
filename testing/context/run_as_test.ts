import { getUser, hasRole, requireAuth, requireRole } from "@framework/auth";
import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { fileURLToPath } from "node:url";
import { runAs } from "./run_as.ts";
import { createTestContext } from "./test_context.ts";

const cwd = fileURLToPath(new URL("./fixtures/project/", import.meta.url));

// A test may begin within the request that the one before it has left.
const outside = AsyncLocalStorage.snapshot();

Deno.test("runAs() makes a user known to what it calls", () =>
  outside(async () => {
    const ada = { id: "ada", name: "Ada", email: "ada@example.com", roles: ["editor"] };
    const seen = await runAs(ada, async () => {
      await Promise.resolve();
      return [getUser()?.id, getUser()?.email, hasRole("editor"), hasRole("admin")];
    });
    assert.deepEqual(seen, ["ada", "ada@example.com", true, false]);
    assert.throws(() => getUser(), { code: "OUTSIDE_REQUEST" });
  }));

Deno.test("runAs() rejects with what the function throws", async () => {
  await assert.rejects(runAs(null, () => requireAuth({ throwError: true })), {
    code: "UNAUTHENTICATED",
  });
  await assert.rejects(runAs({ id: "ada" }, () => requireRole("admin")), { code: "FORBIDDEN" });
  await assert.rejects(runAs({ id: "ada" }, () => Promise.reject(new RangeError("x"))), RangeError);
});

Deno.test("runAs() keeps parallel users apart", async () => {
  const ids = Array.from({ length: 20 }, (_, index) => `user-${index}`);
  const seen = await Promise.all(ids.map((id) =>
    runAs({ id }, async () => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      return getUser()?.id;
    })
  ));
  assert.deepEqual(seen, ids);
});

Deno.test("ctx.runAs() uses the context's database", async () => {
  await using ctx = await createTestContext({ cwd });
  const name = await ctx.runAs({ id: "ada", name: "Ada" }, () => getUser()?.name);
  assert.equal(name, "Ada");
  const users = await ctx.db.selectFrom("users").select("id").execute();
  assert.deepEqual(users, [{ id: "ada" }]);
});
