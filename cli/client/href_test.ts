import assert from "node:assert/strict";
import { createRouter } from "../runtime/router.ts";
import { href } from "./href.ts";

Deno.test("href() fills the segments, each of which the router gives back as it was", () => {
  const values = ["a b", "a/b", "ä?#%&=", "%2e%2e", "...", "a.b", "🙂"];
  const match = createRouter([{ pattern: "/über uns/:id" }, { pattern: "/files/:path*" }]);
  for (const id of values) {
    const { pathname, search, hash } = new URL(href("/über uns/[id]", { id }), "http://localhost");
    assert.deepEqual([search, hash], ["", ""]);
    assert.deepEqual(match(pathname)?.params, { id });
  }
  const path = href("/files/[...path]", { path: values });
  assert.deepEqual(match(new URL(path, "http://localhost").pathname)?.params, { path: values });
});

Deno.test("href() leaves optional segments out, and adds query and fragment", () => {
  assert.equal(href("/"), "/");
  assert.equal(href("/docs/[[...path]]"), "/docs");
  assert.equal(href("/docs/[[...path]]", { path: [] }, { hash: "a b" }), "/docs#a%20b");
  assert.equal(href("/docs/[[...path]]", { path: ["a", 2] }), "/docs/a/2");
  assert.equal(href("/a", { query: {}, hash: "" }), "/a");
  assert.equal(
    href("/a", { query: { q: "a&b", page: 2, tag: ["x", "y"], all: true, none: undefined } }),
    "/a?q=a%26b&page=2&tag=x&tag=y&all=true",
  );
});

Deno.test("href() refuses values that no segment can have", () => {
  // Attack: a name of "..", which browsers resolve, leads a link out of its folder.
  for (const id of ["", ".", "..", undefined, null]) {
    assert.throws(() => href("/t/[id]", { id: id as string }), /"\/t\/\[id\]".*value of "id" is/);
  }
  assert.throws(() => href("/t/[id]", {} as { id: string }), TypeError);
  assert.throws(() => href("/t/[id]", Object.create({ id: "a" })), TypeError);
  assert.throws(() => href("/f/[...path]", { path: [] }), /is an empty list/);
  assert.throws(() => href("/f/[...path]", { path: ["a", ".."] }), TypeError);
});
