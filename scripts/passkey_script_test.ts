import assert from "node:assert/strict";
import { embedScript, scriptModule } from "./passkey_script.ts";

Deno.test("script_text.ts is what `deno task passkey-script` makes of passkey/browser", async () => {
  assert.equal(
    await Deno.readTextFile(scriptModule),
    await embedScript(),
    "passkey/browser has changed: run `deno task passkey-script`",
  );
});
