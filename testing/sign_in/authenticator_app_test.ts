import assert from "node:assert/strict";
import { createTestAuthenticatorApp } from "./authenticator_app.ts";

Deno.test("createTestAuthenticatorApp() computes the codes of RFC 6238", async () => {
  const app = createTestAuthenticatorApp();
  // The key of the document's vectors, "12345678901234567890", whose codes have two more digits there.
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
  const clock = { time: 0, now: () => clock.time, advance: () => Promise.resolve() };
  const fetch = () => Promise.resolve(Response.json({ secret, setUp: "sealed" }));
  await app.turnOn({ clock, fetch });
  const vectors: [seconds: number, code: string][] = [
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_111_111_111, "050471"],
    [1_234_567_890, "005924"],
    [2_000_000_000, "279037"],
    [20_000_000_000, "353130"],
  ];
  for (const [seconds, code] of vectors) {
    clock.time = seconds * 1000;
    assert.equal(await app.code({ clock }), code);
  }
});
