import assert from "node:assert/strict";
import { createMockContext } from "./context.ts";
import { createMockLoaderArgs } from "./loader_args.ts";

const auth = { getUser: () => Promise.resolve({ id: "ada" }) };

Deno.test("createMockLoaderArgs() takes all that createMockContext() takes, and a context that it made", async () => {
  const options = { auth, cookies: { theme: "dark" }, input: { title: "a" }, isPrefetch: true };
  const given = createMockContext({ ...options, params: { id: "7" } });
  for (const context of [options, given]) {
    const args = createMockLoaderArgs({ context });
    assert.equal(args.context.cookies.get("theme"), "dark");
    assert.deepEqual(args.context.input, { title: "a" });
    assert.equal(args.context.isPrefetch, true);
    assert.equal((await args.context.auth.getUser())?.id, "ada");
  }
  const args = createMockLoaderArgs({ context: given });
  assert.equal(args.context, given);
  assert.deepEqual(args.params, { id: "7" });
  assert.deepEqual(createMockLoaderArgs({ context: given, params: { id: "8" } }).params, {
    id: "8",
  });
});
