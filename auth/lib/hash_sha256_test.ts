import assert from "node:assert/strict";
import crypto from "node:crypto";
import { hashText } from "./hash.ts";
import { asWorker } from "../tests/as_worker.ts";

Deno.test("both ways to hash a text give what node:crypto gives, for any length", async () => {
  for (const length of [0, 1, 21, 22, 43, 55, 56, 63, 64, 65, 119, 120, 300, 1000]) {
    for (const letter of ["x", "é", "\u{1F511}", "\uD800"]) {
      const text = letter.repeat(length);
      const expected = crypto.createHash("sha256").update(text).digest("base64url");
      assert.equal(await hashText(text), expected);
      assert.equal(await asWorker(async () => await hashText(text)), expected);
    }
  }
});
