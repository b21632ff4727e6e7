import assert from "node:assert/strict";
import { renderMarkdown } from "./markdown.ts";

Deno.test("renderMarkdown() makes headings with the anchors that links of the documents use", () => {
  const { html, sections, title } = renderMarkdown("# One `two`\n\n## What's *new*, really?\n");
  assert.equal(title, "One two");
  assert.deepEqual(sections, [{ title: "What's new, really?", anchor: "whats-new-really" }]);
  assert.match(html, /<h2 id="whats-new-really">/);
});

Deno.test("renderMarkdown() keeps code as it is, and nothing in it is HTML or a link", () => {
  const { html } = renderMarkdown(
    'Write `<b>[x](y)` or:\n\n```ts\nconst a = "<b>";\n\nb();\n```\n',
  );
  assert.match(html, /<code>&lt;b&gt;\[x\]\(y\)<\/code>/);
  assert.match(html, /const a = &quot;&lt;b&gt;&quot;;\n\nb\(\);<\/code><\/pre>/);
});

Deno.test("renderMarkdown() puts blocks of code and lists into the item where they stand", () => {
  const { html } = renderMarkdown(
    "1. First:\n\n   ```sh\n   ls\n   ```\n2. Second\n   goes on\n   - inner\n\nAfter\n",
  );
  assert.match(html, /<ol>\n<li><p>First:<\/p>\n<pre[^>]*><code[^>]*>ls<\/code><\/pre><\/li>/);
  assert.match(html, /<li><p>Second\ngoes on<\/p>\n<ul>\n<li>inner<\/li>\n<\/ul><\/li>\n<\/ol>/);
  assert.match(html, /<p>After<\/p>$/);
});

Deno.test("renderMarkdown() makes tables, and escapes what is HTML", () => {
  const { html } = renderMarkdown("| a | b |\n| - | - |\n| **x** | 1 < 2 \\| 3 |\n");
  assert.match(html, /<th>a<\/th><th>b<\/th>/);
  assert.match(html, /<td><strong>x<\/strong><\/td><td>1 &lt; 2 \| 3<\/td>/);
});

Deno.test("renderMarkdown() rewrites the addresses of links", () => {
  const { html } = renderMarkdown("See [the `x` guide](x.md#y).", (address) => `to:${address}`);
  assert.equal(html, '<p>See <a href="to:x.md#y">the <code>x</code> guide</a>.</p>');
});
