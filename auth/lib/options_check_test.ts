import assert from "node:assert/strict";
import { checkKeys, describe, didYouMean } from "./options.ts";

Deno.test("didYouMean() names the nearest known word, or nothing", () => {
  const known = ["basePath", "session", "cookies", "trustedOrigins"];
  assert.equal(didYouMean("basepath", known), 'Did you mean "basePath"? ');
  assert.equal(didYouMean("sesion", known), 'Did you mean "session"? ');
  assert.equal(didYouMean("trustedOrigin", known), 'Did you mean "trustedOrigins"? ');
  assert.equal(didYouMean("zebra", known), "");
  assert.equal(didYouMean("x".repeat(100_000), known), "");
});

Deno.test("checkKeys() throws for a key that is not known, with its path", () => {
  checkKeys({ a: 1 }, ["a", "b"], "");
  assert.throws(
    () => checkKeys({ c: 1 }, ["a", "b"], "x.y"),
    /Unknown option "x\.y\.c".*Known here: a, b/,
  );
  assert.throws(() => checkKeys(JSON.parse('{"__proto__":1}'), ["a"], ""), /__proto__/);
});

Deno.test("describe() is short and shows no contents of objects", () => {
  assert.equal(describe(undefined), "nothing");
  assert.equal(describe("x"), '"x"');
  assert.equal(describe("x".repeat(81)), "a text of 81 characters");
  assert.equal(describe({ secret: 1 }), "an object");
  assert.equal(describe([1, 2]), "a list of 2");
  assert.equal(describe(() => 1), "a function");
  assert.equal(describe(null), "null");
});
