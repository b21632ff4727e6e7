import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { ACCOUNT_STYLE } from "./sections.ts";

// Tracks: R080
Deno.test("the policy of the account page calls its stylesheet by its hash", () => {
  const { text, hash } = ACCOUNT_STYLE;
  assert.equal(hash, `sha256-${createHash("sha256").update(text).digest("base64")}`);
  assert.equal(/<|url\(|@import/.test(text), false);
});
