import assert from "node:assert/strict";
import { cryptoIsMissing } from "./hash.ts";

Deno.test("cryptoIsMissing() says which flag a worker without node:crypto needs", () => {
  const cause = new Error("No such module");
  const { code, field, message, cause: why } = cryptoIsMissing({ cause });
  assert.deepEqual([code, field, why], ["CONFIGURATION", "compatibility_flags", cause]);
  assert.match(message, /nodejs_compat/);
});
