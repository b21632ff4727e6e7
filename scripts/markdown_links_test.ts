import assert from "node:assert/strict";
import { rewriteLinks } from "./markdown_links.ts";

const marked = (text: string) => rewriteLinks(text, (address) => `to:${address}`);

Deno.test("rewriteLinks() gives links other addresses, whatever their words are", () => {
  assert.equal(
    marked("[a](b.md#c) and [the\n`x[]` guide](d.md), [\\[e\\] [f]](g)"),
    "[a](to:b.md#c) and [the\n`x[]` guide](to:d.md), [\\[e\\] [f]](to:g)",
  );
});

Deno.test("rewriteLinks() leaves code and pictures as they are", () => {
  const text = "`handlers[name](event)` ![a](b.png)\n\n```ts\nhandlers[name](event);\n```\n\n" +
    "- item\n\n  ```sh\n  echo [x](y)\n  ```\n";
  assert.equal(marked(text), text);
  assert.equal(marked("```ts\na[b](c)\n```\n[d](e)"), "```ts\na[b](c)\n```\n[d](to:e)");
});

Deno.test("rewriteLinks() leaves the words of a link that leads nowhere", () => {
  assert.equal(rewriteLinks("See [`a` b](c).", () => null), "See `a` b.");
});
