import assert from "node:assert/strict";
import {
  checkSegments,
  compareSegments,
  formatPattern,
  parsePattern,
  patternShape,
  readFolder,
} from "./pattern.ts";

for (
  const [name, expected] of [
    ["users", { kind: "static", value: "users" }],
    [".well-known", { kind: "static", value: ".well-known" }],
    ["café", { kind: "static", value: "café" }],
    ["[id]", { kind: "param", name: "id" }],
    ["[...path]", { kind: "rest", name: "path" }],
    ["[[...path]]", { kind: "optional", name: "path" }],
    ["(shop)", { kind: "group" }],
    ["_lib", { kind: "private" }],
  ] as const
) {
  Deno.test(`readFolder() reads ${name} as ${expected.kind}`, () => {
    assert.deepEqual(readFolder(name), expected);
  });
}

for (
  const name of [
    "@modal",
    "(.)photo",
    "(..)photo",
    "[id",
    "id]",
    "[[id]]",
    "[...]",
    "[]",
    "[1st]",
    "[__proto__]",
    "[...a]]",
    ":id",
    "a*b",
    "a b",
    "a%2fb",
    "a?b",
    "a#b",
    "{x}",
    "()",
  ]
) {
  Deno.test(`readFolder() refuses ${name}`, () => {
    assert.equal(readFolder(name).kind, "invalid");
  });
}

Deno.test("checkSegments() refuses a parameter that occurs twice and a catch-all that is not last", () => {
  assert.match(checkSegments(parsePattern("/:id/x/:id"))!, /"id" occurs twice/);
  assert.match(checkSegments(parsePattern("/:all*/x"))!, /follow a catch-all/);
  assert.match(checkSegments(parsePattern("/:all*?/x"))!, /follow a catch-all/);
  assert.equal(checkSegments(parsePattern("/:id/x/:all*")), null);
});

const ordered = [
  "/",
  "/a",
  "/a/b",
  "/a/b/:c",
  "/a/:x",
  "/a/:x/b",
  "/a/:rest*",
  "/a/:rest*?",
  "/b",
  "/:x",
  "/:x/b",
  "/:x/:y",
  "/:x/:rest*",
  "/:rest*",
  "/:rest*?",
];

Deno.test("compareSegments() orders static before parameter before catch-all, segment by segment", () => {
  const shuffled = ordered.toSorted((a, b) => a.length * 7 % 5 - b.length * 7 % 5);
  assert.notDeepEqual(shuffled, ordered);
  const sorted = shuffled.map(parsePattern).sort(compareSegments).map(formatPattern);
  assert.deepEqual(sorted, ordered);
});

Deno.test("compareSegments() is a total order on patterns of different shape", () => {
  const patterns = ordered.map(parsePattern);
  for (const [i, a] of patterns.entries()) {
    for (const [j, b] of patterns.entries()) {
      assert.equal(Math.sign(compareSegments(a, b)), Math.sign(i - j));
    }
  }
});

Deno.test("patternShape() is equal for patterns that only their names tell apart", () => {
  assert.equal(patternShape(parsePattern("/a/:id")), patternShape(parsePattern("/a/:slug")));
  assert.equal(patternShape(parsePattern("/a/:x*")), patternShape(parsePattern("/a/:x*?")));
  assert.notEqual(patternShape(parsePattern("/a/:x")), patternShape(parsePattern("/a/:x*")));
  assert.notEqual(patternShape(parsePattern("/a")), patternShape(parsePattern("/b")));
});

Deno.test("formatPattern() and parsePattern() are each other's reverse", () => {
  for (const pattern of ordered) assert.equal(formatPattern(parsePattern(pattern)), pattern);
});
