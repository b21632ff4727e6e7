import assert from "node:assert/strict";
import { openPage } from "../tests/page_double.ts";
import { registerPasskey, signInWithPasskey } from "./passkey.ts";

Deno.test("passkeys of a browser without them are results, and the server is not asked", async () => {
  await using page = openPage();
  const results = [
    await signInWithPasskey({}, page.options),
    await signInWithPasskey({ conditional: true }, page.options),
    await registerPasskey({}, page.options),
  ];
  for (const result of results) {
    assert.equal(!result.ok && result.error.code, "PASSKEY_UNSUPPORTED");
  }
  assert.deepEqual([page.requests, page.visited], [[], []]);
});
