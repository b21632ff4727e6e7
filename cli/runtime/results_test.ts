import assert from "node:assert/strict";
import { data, notFound, redirect } from "./results.ts";

Deno.test("notFound() throws an error whose message is Not found", () => {
  assert.throws(() => notFound(), { message: "Not found", status: 404, code: "NOT_FOUND" });
});

Deno.test("redirect() sends the browser on with GET, and refuses a status that is no redirect", () => {
  assert.equal(redirect("/x").status, 303);
  assert.equal(redirect("/x", 308).status, 308);
  assert.throws(() => redirect("/x", 200), RangeError);
});

Deno.test("data() keeps value, status and headers", () => {
  const result = data({ a: 1 }, { status: 422, headers: { "x-a": "b" } });
  assert.deepEqual([result.value, result.status], [{ a: 1 }, 422]);
  assert.equal(result.headers.get("x-a"), "b");
  assert.equal(data(1).status, 200);
});
