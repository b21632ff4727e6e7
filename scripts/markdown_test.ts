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
  assert.match(
    html,
    /<span class="string">&quot;&lt;b&gt;&quot;<\/span>;\n\n<span class="function">b<\/span>\(\);<\/code><\/pre>/,
  );
});

Deno.test("renderMarkdown() puts blocks of code and lists into the item where they stand", () => {
  const { html } = renderMarkdown(
    "1. First:\n\n   ```sh\n   ls\n   ```\n2. Second\n   goes on\n   - inner\n\nAfter\n",
  );
  assert.match(
    html,
    /<ol>\s*<li>\s*<p>First:<\/p>\s*<pre[^>]*><code[^>]*>.*\bls\b.*<\/code><\/pre>\s*<\/li>/,
  );
  assert.match(
    html,
    /<li>\s*<p>Second\ngoes on<\/p>\s*<ul>\s*<li>inner<\/li>\s*<\/ul>\s*<\/li>\s*<\/ol>/,
  );
  assert.match(html, /<p>After<\/p>$/);
});

Deno.test("renderMarkdown() makes tables, and escapes what is HTML", () => {
  const { html } = renderMarkdown("| a | b |\n| - | - |\n| **x** | 1 < 2 \\| 3 |\n");
  assert.match(html, /<th>a<\/th>\s*<th>b<\/th>/);
  assert.match(html, /<td><strong>x<\/strong><\/td>\s*<td>1 &lt; 2 \| 3<\/td>/);
});

Deno.test("renderMarkdown() rewrites the addresses of links", () => {
  const { html } = renderMarkdown("See [the `x` guide](x.md#y).", (address) => `to:${address}`);
  assert.equal(html, '<p>See <a href="to:x.md#y">the <code>x</code> guide</a>.</p>');
});

Deno.test("renderMarkdown() makes no HTML of HTML, and no link of an address that runs", () => {
  const { html } = renderMarkdown(
    "# a <script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\n[a](javascript:alert) [b](data:text/html,x)\n",
  );
  assert.doesNotMatch(html, /<(?:script|img|a)\b/);
});

Deno.test("renderMarkdown() makes links of addresses, and none of names that look like one", () => {
  const { html } = renderMarkdown("See https://example.com/a, and app.md or ada@example.com.");
  assert.deepEqual(html.match(/<a [^>]*>/g), ['<a href="https://example.com/a">']);
});

Deno.test("renderMarkdown() gives the text under each heading, for the search", () => {
  const { parts } = renderMarkdown("# One\n\nFirst `code`\nand more.\n\n## Two\n\n- item\n");
  assert.deepEqual(parts, [
    { title: "One", anchor: "one", text: "First code and more. " },
    { title: "Two", anchor: "two", text: "item " },
  ]);
});
