import { type } from "arktype";
import assert from "node:assert/strict";
import { createRouter } from "../runtime/router.ts";
import { href, type QueryOf } from "./href.ts";
import { nestFields } from "../runtime/form_fields.ts";
import * as v from "valibot";
import { z } from "zod";

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

Deno.test("the query of a link has the names and values that a page's schema takes", () => {
  const byZod = z.object({
    page: z.coerce.number().default(1),
    sort: z.enum(["new", "old"]).optional(),
    tags: z.array(z.string()).default([]),
  });
  const right: QueryOf<typeof byZod>[] = [{}, { page: 2, sort: "new", "tags[]": ["a"] }];
  const byValibot = v.object({ q: v.string(), tags: v.optional(v.array(v.string())) });
  const needed: QueryOf<typeof byValibot> = { q: "a", "tags[]": ["b"] };
  const byArktype = type({ q: "string", "page?": "string.integer.parse" });
  const parsed: QueryOf<typeof byArktype> = { q: "a", page: "2" };
  // @ts-expect-error a word is no number
  right.push({ page: "two" });
  // @ts-expect-error neither "new" nor "old"
  right.push({ sort: "newest" });
  // @ts-expect-error the schema has no such name
  right.push({ sorted: "new" });
  // @ts-expect-error a list is named tags[]
  right.push({ tags: ["a"] });
  // @ts-expect-error the schema needs q
  const missing: QueryOf<typeof byValibot> = {};
  // What a link has is what the schema reads.
  const sent = new URL(href("/list", { query: right[1]! }), "http://localhost").searchParams;
  assert.deepEqual(byZod.parse(nestFields([...sent])), { page: 2, sort: "new", tags: ["a"] });
  assert.deepEqual([needed.q, parsed.page, missing], ["a", "2", {}]);
});
