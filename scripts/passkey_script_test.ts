import assert from "node:assert/strict";
import { embedScript, scriptModule } from "./passkey_script.ts";

// esbuild.stop() does not wait for the end of its process.
const WITHOUT_OPS = { sanitizeOps: false, sanitizeResources: false };

Deno.test(
  "script_text.ts is what `deno task passkey-script` makes of passkey/browser",
  WITHOUT_OPS,
  async () => {
    assert.equal(
      await Deno.readTextFile(scriptModule),
      await embedScript(),
      "passkey/browser has changed: run `deno task passkey-script`",
    );
  },
);
