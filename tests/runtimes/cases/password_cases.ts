import {
  generateToken,
  hashPassword,
  InvalidPasswordError,
  needsRehash,
  verifyPassword,
} from "@framework/auth";
import assert from "node:assert/strict";
import type { Case } from "../behaviour.ts";
import { hashAtLowCost } from "../low_cost.ts";

/** Cases about passwords and tokens. */
export const PASSWORD_CASES: Record<string, Case> = {
  // Tracks: R006, R007
  "a password is taken as it is but for NFC": async () => {
    const hash = await hashPassword(`caf\u00e9 \u0000 ${"a".repeat(72)}b`);
    const tries = [
      `caf\u00e9 \u0000 ${"a".repeat(72)}b`,
      `cafe\u0301 \u0000 ${"a".repeat(72)}b`,
      `caf\u00e9 \u0000 ${"a".repeat(72)}c`,
      `caf\u00e9 `,
      `CAF\u00c9 \u0000 ${"a".repeat(72)}b`,
    ];
    assert.equal(await verifyPassword(tries[0]!, hash), true);
    // What is made of a password does not depend on the cost, which is a fifth of a second each time.
    const cheap = await hashAtLowCost(tries[0]!);
    const seen: boolean[] = [];
    for (const password of tries) seen.push(await verifyPassword(password, cheap));
    assert.deepEqual(seen, [true, true, false, false, false]);
    assert.equal(needsRehash(hash), false);
    return hash.split("$").slice(0, 3);
  },
  // Tracks: R009
  "a hash that is hostile or malformed is no hash": async () => {
    const good = await hashPassword("x");
    const hostile = [
      "",
      "$",
      "$scrypt$",
      "$scrypt$ln=31,r=8,p=1$AAAA$AAAA",
      "$scrypt$ln=14,r=1024,p=5$AAAAAAAAAAAAAAAAAAAAAA$AAAA",
      "$scrypt$ln=14,r=8,p=1024$AAAAAAAAAAAAAAAAAAAAAA$AAAA",
      "$argon2id$v=19$m=8388608,t=1000,p=1$AAAA$AAAA",
      good.replace("ln=14", "ln=1e1"),
      good.replace("r=8", "r=-8"),
      good.slice(0, -22),
      `${good}=`,
      good.replaceAll("$", "%"),
      ` ${good}`,
      "x".repeat(100_000),
    ];
    for (const hash of hostile) assert.equal(await verifyPassword("x", hash), false, hash);
    assert.deepEqual([...new Set(hostile.map(needsRehash))], [true]);
  },
  // Tracks: R008, F32
  "a password that is too long or no text is refused": async () => {
    const seen: string[] = [];
    for (const password of ["a".repeat(1025), "\ud800", "\u00e9".repeat(513), 5, null]) {
      await assert.rejects(hashPassword(password as string), (error) => {
        assert.ok(error instanceof InvalidPasswordError);
        seen.push(error.message);
        return true;
      });
      assert.equal(await verifyPassword(password as string, "$scrypt$x"), false);
    }
    return seen;
  },
  // Tracks: R014
  "generateToken() gives hex of the bytes that were asked for, and rejects other lengths":
    async () => {
      assert.match(await generateToken(), /^[0-9a-f]{64}$/);
      assert.match(await generateToken(16), /^[0-9a-f]{32}$/);
      const tokens = Array.from({ length: 10_000 }, () => generateToken());
      assert.equal(new Set(await Promise.all(tokens)).size, 10_000);
      return await Promise.all(
        [0, -1, 1.5, NaN, Infinity, 1e9, 15, "32", null].map((length) =>
          generateToken(length as number).then(
            ({ length }) => length,
            ({ name, message }: Error) => `${name}: ${message}`,
          )
        ),
      );
    },
};
