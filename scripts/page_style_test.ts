import assert from "node:assert/strict";
import { embedStyle, styleModule } from "./page_style.ts";

// esbuild.stop() does not wait for the end of its process.
const WITHOUT_OPS = { sanitizeOps: false, sanitizeResources: false };

Deno.test(
  "style_text.ts is what `deno task page-style` makes of style.css and enhance.js",
  WITHOUT_OPS,
  async () => {
    assert.equal(
      await Deno.readTextFile(styleModule),
      await embedStyle(),
      "auth/pages/style.css or enhance.js has changed: run `deno task page-style`",
    );
  },
);
