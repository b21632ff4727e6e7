import assert from "node:assert/strict";
import { contains, displayPath } from "./paths.ts";

Deno.test("contains() compares whole names", () => {
  assert.equal(contains("/a/b", "/a/b"), true);
  assert.equal(contains("/a/b", "/a/b/c"), true);
  assert.equal(contains("/a/b", "/a/b/..c"), true);
  assert.equal(contains("/a/b", "/a/bc"), false);
  assert.equal(contains("/a/b", "/a"), false);
  assert.equal(contains("/a/b", "/a/b/../c"), false);
});

Deno.test("displayPath() is short inside of the project only", () => {
  assert.equal(displayPath("/a", "/a/b/c.sql"), "b/c.sql");
  assert.equal(displayPath("/a", "/a"), ".");
  assert.equal(displayPath("/a", "/b/c.sql"), "/b/c.sql");
});
