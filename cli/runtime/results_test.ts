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

// Tracks: R077, A-18
Deno.test("redirect() refuses what reads as a path and leads a browser to another site", () => {
  const refused = [
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    " //evil.example",
    "https:evil.example",
    "http:evil.example",
    "https:\\\\evil.example",
    "javascript:alert(1)",
    "data:text/html,x",
    "mailto:ada@example.com",
    "https://",
  ];
  for (const location of refused) {
    assert.throws(() => redirect(location), { code: "BAD_REQUEST", status: 400 }, location);
  }
  const kept = [
    "/",
    "/posts?page=2#last",
    "?page=2",
    "#last",
    "edit",
    "../",
    "",
    "/a//b",
    "/x?next=//evil.example",
    "https://pay.example/checkout?id=1",
    "HTTP://pay.example",
  ];
  for (const location of kept) assert.equal(redirect(location).headers.get("location"), location);
});

Deno.test("data() keeps value, status and headers", () => {
  const result = data({ a: 1 }, { status: 422, headers: { "x-a": "b" } });
  assert.deepEqual([result.value, result.status], [{ a: 1 }, 422]);
  assert.equal(result.headers.get("x-a"), "b");
  assert.equal(data(1).status, 200);
});
