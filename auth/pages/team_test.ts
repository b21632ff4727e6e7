import assert from "node:assert/strict";
import { GALLERY } from "../tests/page_gallery.ts";
import { pageResponse } from "./frame.ts";
import { readPageTheme } from "./theme.ts";

Deno.test("names of roles are translated by the texts of the application", async () => {
  const theme = readPageTheme({
    language: "de",
    texts: { de: { Owner: "Inhaber", Editor: "Redaktion <b>" } },
  });
  const look = theme.look(new Request("https://app.example/"));
  const shown = {
    "team": [
      ">Inhaber · ",
      ">Redaktion &lt;b&gt;, Inhaber<",
      ">Redaktion &lt;b&gt; · Until",
      ">Inhaber</option>",
    ],
    "invitation": ["Your role there: <bdi>Redaktion &lt;b&gt;</bdi>."],
  };
  for (const [name, texts] of Object.entries(shown)) {
    const page = await pageResponse(look, GALLERY[name]!(look)).text();
    for (const text of texts) assert.ok(page.includes(text), `${name}: ${text}`);
    assert.doesNotMatch(page, />(?:Owner|Editor)\b/, name);
  }
});
