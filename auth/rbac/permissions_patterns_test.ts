import assert from "node:assert/strict";
import { grantsFor, isPermission } from "./permissions.ts";

// Tracks: R129
Deno.test("isPermission() is true for the four patterns and for nothing else", () => {
  const permissions = ["*", "a:*", "a:b", "a:b:own", "a:own", "blog-posts:read_all", "ü:ß", "A:b"];
  for (const permission of permissions) assert.equal(isPermission(permission), true, permission);
  const others: unknown[] = [
    "",
    "a",
    "a:",
    ":b",
    ":",
    "::",
    "a::own",
    ":*",
    "*:*",
    "*:b",
    "**",
    "*:b:own",
    "a:*:own",
    "a:b:c",
    "a:b:OWN",
    "a:b:own:own",
    "a:b*",
    "a*:b",
    "a:*b",
    "a b:c",
    "a:b ",
    " a:b",
    "a:b\n",
    "a:b\u0000",
    "a:b\u200b",
    undefined,
    null,
    5,
    ["a:b"],
    { toString: () => "a:b" },
  ];
  for (const other of others) {
    assert.equal(isPermission(other), false, JSON.stringify(other));
    assert.equal(grantsFor(other), null);
  }
});

// Tracks: R131
Deno.test("grantsFor() names the permissions that cover one, and the owner's apart", () => {
  assert.deepEqual(grantsFor("*"), { full: ["*"], own: null });
  assert.deepEqual(grantsFor("a:*"), { full: ["*", "a:*"], own: null });
  assert.deepEqual(grantsFor("a:b"), { full: ["*", "a:*", "a:b"], own: null });
  assert.deepEqual(grantsFor("a:b:own"), { full: ["*", "a:*", "a:b"], own: "a:b:own" });
  assert.deepEqual(grantsFor("a:own"), { full: ["*", "a:*", "a:own"], own: null });
});

// Tracks: R155
Deno.test("isPermission() reads a text once, however it is made", () => {
  // A pattern that looked back would need hours for these.
  for (const unit of ["a", "a:", ":own", "*", " "]) {
    assert.equal(isPermission(unit.repeat(1 << 20)), false);
  }
});
