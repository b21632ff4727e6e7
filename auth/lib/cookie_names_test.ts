import assert from "node:assert/strict";
import { cookieNameRules, isCookieName } from "./cookie.ts";

// Tracks: R061
Deno.test("cookieNameRules() knows the prefixes without regard to case", () => {
  const rules = (name: string) => {
    const { secure, hostOnly, httpOnly } = cookieNameRules(name);
    return [secure, hostOnly, httpOnly];
  };
  assert.deepEqual(rules("s"), [false, false, false]);
  assert.deepEqual(rules("__Secure-s"), [true, false, false]);
  assert.deepEqual(rules("__secure-s"), [true, false, false]);
  assert.deepEqual(rules("__HOST-s"), [true, true, false]);
  assert.deepEqual(rules("__Http-s"), [true, false, true]);
  assert.deepEqual(rules("__Host-Http-s"), [true, true, true]);
  assert.deepEqual(rules("x__Host-s"), [false, false, false]);
});

Deno.test("isCookieName() is true for tokens only", () => {
  for (const name of ["s", "framework.session-token", "__Host-s", "a!#$%&'*+-.^_`|~"]) {
    assert.equal(isCookieName(name), true, name);
  }
  for (const name of ["", "a b", "a=b", "a;b", "a,b", "a\n", "é", '"a"', "a/b", "x".repeat(257)]) {
    assert.equal(isCookieName(name), false, name);
  }
});
