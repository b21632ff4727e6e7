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
  assert.equal(displayPath("/a", "/ab/c.sql"), "/ab/c.sql");
  assert.equal(displayPath("/", "/b/c.sql"), "b/c.sql");
});

Deno.test("displayPath() resolves what the path leaves to resolve", () => {
  assert.equal(displayPath("/a", "/a/b/../c.sql"), "c.sql");
  assert.equal(displayPath("/a", "/a/../b"), "/a/../b");
  assert.equal(displayPath("/a", "/a/./b//c/"), "b/c");
  assert.equal(displayPath("/a", "/a/.hidden/c"), ".hidden/c");
});
