import assert from "node:assert/strict";
import { createSecret, isSecret } from "./secret.ts";

// Tracks: R014, PF-q19
Deno.test("createSecret() gives 32 random bytes as base64url, each of which is random", () => {
  const values = Array.from({ length: 32 }, () => new Set<number>());
  for (let round = 0; round < 256; round++) {
    const secret = createSecret();
    assert.ok(isSecret(secret), secret);
    const bytes = atob(secret.replaceAll("-", "+").replaceAll("_", "/"));
    assert.equal(bytes.length, 32);
    for (const [place, seen] of values.entries()) seen.add(bytes.charCodeAt(place));
  }
  // Of 256 values that are drawn 256 times 162 are seen on average; fewer than 100 in no number of runs.
  for (const [place, seen] of values.entries()) assert.ok(seen.size > 100, `byte ${place}`);
});
