import assert from "node:assert/strict";
import { stylesheet } from "./docs_page.ts";
import { escapeHtml } from "./markdown.ts";
import { COLOURS, highlight } from "./syntax.ts";

/** The parts of some code that have a colour, each with its kind. */
function partsOf(code: string, language: string): string[] {
  const html = highlight(code, language, escapeHtml);
  return [...html.matchAll(/<span class="(\w+)">([^<]*)<\/span>/g)]
    .map(([, kind, text]) => `${kind} ${text!.replaceAll("&quot;", '"').trim()}`);
}

/** Contrast of two colours (WCAG 2.2, relative luminance). */
function contrast(one: string, other: string): number {
  const luminance = (colour: string) => {
    const [red, green, blue] = [1, 3, 5].map((at) => {
      const value = parseInt(colour.slice(at, at + 2), 16) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
  };
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter! + 0.05) / (darker! + 0.05);
}

Deno.test("highlight() colours each language of the documents, and leaves the others plain", () => {
  const code = 'const name = await read("a"); // why';
  const parts = ["keyword const", "keyword = await", "function read"];
  for (const language of ["ts", "tsx", "js", "jsx"]) {
    assert.deepEqual(partsOf(code, language), [...parts, 'string "a"', "comment // why"], language);
  }
  assert.deepEqual(partsOf("<p>{user.name}</p>;", "tsx").slice(0, 1), ["string p"]);
  for (const language of ["sh", "bash"]) {
    assert.deepEqual(partsOf('npx framework dev # "here"', language), [
      "function npx",
      'comment # "here"',
    ]);
  }
  assert.deepEqual(partsOf("SELECT id FROM users", "sql"), ["keyword SELECT", "keyword FROM"]);
  assert.deepEqual(partsOf('{ "a": 1 }', "json"), ['keyword "a"', "constant 1"]);
  assert.deepEqual(partsOf('a = "b"', "toml"), ['string "b"']);
  assert.deepEqual(partsOf('<a href="x">', "html")[0], "string a");
  assert.deepEqual(partsOf("-a\n+b\n c", "diff"), ["deleted -a", "string +b"]);
  for (const language of ["", "text", "brainfuck", "toString", "__proto__"]) {
    assert.equal(highlight("a < b", language, escapeHtml), "a &lt; b", language);
  }
});

Deno.test("highlight() changes no letter of the code, and lets nothing of it be markup", () => {
  const codes = [
    "\n\n  a\n\n\tb  \n",
    'const x = "<script>alert(1)</script>" && `</code>${"<b>"}`;',
    "<p class='a&b'>&amp;</p>",
    "x".repeat(1000),
  ];
  for (const code of codes) {
    for (const language of ["ts", "tsx", "html", "sh", "jsonc", "diff", "svelte", "yaml"]) {
      const html = highlight(code, language, escapeHtml);
      const plain = html.replace(/<span class="\w+">|<\/span>/g, "");
      assert.equal(plain, escapeHtml(code), language);
      assert.doesNotMatch(html, /style=/);
    }
  }
});

Deno.test("every colour is read easily on the panel of a block, in light and in dark", () => {
  const panel = /--panel: light-dark\((#\w{6}), (#\w{6})\)/.exec(stylesheet)!.slice(1);
  for (const [kind, colours] of Object.entries(COLOURS)) {
    assert.ok(stylesheet.includes(`pre .${kind} { color: light-dark(${colours.join(", ")}) }`));
    for (const [index, colour] of colours.entries()) {
      const ratio = contrast(colour, panel[index]!);
      assert.ok(ratio >= 4.5, `${kind} ${colour} on ${panel[index]}: ${ratio.toFixed(2)}`);
    }
  }
});
