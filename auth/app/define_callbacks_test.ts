import assert from "node:assert/strict";
import { ConfigurationError } from "../errors.ts";
import type { AuthCallbacks } from "../types/callbacks.ts";
import { defineAuthCallbacks, readCallbacks } from "./define.ts";

Deno.test("readCallbacks() keeps each callback a method of what was given", async () => {
  const given = {
    suffix: "/home",
    redirect({ baseUrl }: { baseUrl: string }) {
      return baseUrl + this.suffix;
    },
  };
  const { suffix: _, ...callbacks } = given;
  assert.deepEqual(readCallbacks(undefined), {});
  assert.deepEqual(readCallbacks({ signIn: undefined }), {});
  const read = readCallbacks(Object.assign(Object.create({ suffix: "/home" }), callbacks));
  assert.equal(await read.redirect?.({ url: "/", baseUrl: "https://a" }), "https://a/home");
});

// Tracks: R153
Deno.test("defineAuthCallbacks() throws a ConfigurationError for what is no callback", () => {
  const wrong: [unknown, RegExp][] = [
    [5, /"callbacks": found 5/],
    [[], /"callbacks"/],
    [{ signin: () => true }, /Unknown option "callbacks\.signin".*Did you mean "signIn"/],
    [{ signIn: true }, /"callbacks\.signIn": found true; write a function/],
    [JSON.parse('{"__proto__": {}}'), /callbacks\.__proto__/],
  ];
  for (const [given, message] of wrong) {
    assert.throws(() => defineAuthCallbacks(given as AuthCallbacks), (error) => {
      assert.ok(error instanceof ConfigurationError);
      assert.match(error.message, message);
      return true;
    });
  }
  const later = () => 5 as AuthCallbacks;
  assert.equal(defineAuthCallbacks(later), later);
});
