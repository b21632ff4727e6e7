import assert from "node:assert/strict";
import { ConfigurationError } from "../errors.ts";
import { checkPassword, type PasswordPolicy } from "./policy.ts";

async function codeOf(password: string, policy?: PasswordPolicy): Promise<string | null> {
  return (await checkPassword(password, policy))?.code ?? null;
}

// Tracks: R013
Deno.test("checkPassword() wants 15 characters, counted as people count them, and no kinds of characters", async () => {
  assert.equal(await codeOf("a".repeat(14)), "TOO_SHORT");
  assert.equal(await codeOf("a".repeat(15)), null);
  assert.equal(await codeOf("😀".repeat(14)), "TOO_SHORT");
  assert.equal(await codeOf("😀".repeat(15)), null);
  // Composed and decomposed letters are one character, as hashPassword() takes them.
  assert.equal(await codeOf("e\u0301".repeat(14)), "TOO_SHORT");
  assert.equal(await codeOf("e\u0301".repeat(15)), null);
  assert.equal(await codeOf(" ".repeat(15)), null);
  for (const length of [64, 128, 1000, 1024]) assert.equal(await codeOf("x".repeat(length)), null);
});

// Tracks: R008, R013
Deno.test("checkPassword() refuses what hashPassword() would refuse", async () => {
  for (const password of ["x".repeat(1025), "😀".repeat(257), `${"x".repeat(20)}\ud800`, 5]) {
    assert.equal(await codeOf(password as string), "NOT_HASHABLE");
  }
});

// Tracks: R013
Deno.test("checkPassword() takes a shorter minimum next to a second factor, and no other", async () => {
  assert.equal(await codeOf("a".repeat(8), { minLength: 8 }), null);
  assert.equal(await codeOf("a".repeat(7), { minLength: 8 }), "TOO_SHORT");
  for (const minLength of [7, 0, -1, 65, 8.5, NaN, "8" as never]) {
    await assert.rejects(checkPassword("a".repeat(99), { minLength }), ConfigurationError);
  }
});

// Tracks: R013
Deno.test("checkPassword() asks the blocklist, and takes only false for a no", async () => {
  const blocklist = new Set(["correct horse battery staple"]);
  assert.equal(await codeOf("Correct Horse Battery Staple", { blocklist }), "BLOCKED");
  assert.equal(await codeOf("correct horse battery stapler", { blocklist }), null);
  const asked: string[] = [];
  async function ask(password: string): Promise<boolean> {
    asked.push(password);
    return await Promise.resolve(password.startsWith("e"));
  }
  assert.equal(await codeOf("e".repeat(20), { blocklist: ask }), "BLOCKED");
  assert.equal(await codeOf("a".repeat(20), { blocklist: ask }), null);
  assert.equal(await codeOf("short", { blocklist: ask }), "TOO_SHORT");
  assert.deepEqual(asked, ["e".repeat(20), "a".repeat(20)]);
  assert.equal(await codeOf("a".repeat(20), { blocklist: () => undefined as never }), "BLOCKED");
});
