import { escapeHtml, markup } from "./html.ts";

import assert from "node:assert/strict";

// Tracks: R079, CVE-2021-32702, CVE-2022-31127
Deno.test("markup() escapes text in every place", () => {
  const evil = `"><script>alert('x')</script>&`;
  assert.equal(
    markup`<p title="${evil}">${evil}</p>`.markup,
    `<p title="&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;">` +
      `&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;</p>`,
  );
});

Deno.test("markup() takes markup, lists, numbers and nothing", () => {
  const item = (text: string) => markup`<li>${text}</li>`;
  assert.equal(
    markup`<ul>${["<a>", "b"].map(item)}</ul>${null}${false}${0}`.markup,
    "<ul><li>&lt;a&gt;</li><li>b</li></ul>0",
  );
});

Deno.test("escapeHtml() leaves other characters alone", () => {
  assert.equal(escapeHtml("é 😀 `=/"), "é 😀 `=/");
});
