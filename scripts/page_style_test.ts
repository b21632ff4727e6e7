import assert from "node:assert/strict";
import { embedStyle, styleModule } from "./page_style.ts";

Deno.test("style_text.ts is what `deno task page-style` makes of style.css and enhance.js", async () => {
  assert.equal(
    await Deno.readTextFile(styleModule),
    await embedStyle(),
    "auth/pages/style.css or enhance.js has changed: run `deno task page-style`",
  );
});
