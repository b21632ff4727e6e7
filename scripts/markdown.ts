/**
 * Makes pages of the repository's documents. Raw HTML in them is text, and no link runs a script.
 *
 * @module
 */

import MarkdownIt from "markdown-it";
import { highlight } from "./syntax.ts";

/** A page made of a document. */
export interface Rendered {
  /** Its first heading. */
  title: string;
  /** Its headings of the second level, with their anchors. */
  sections: { title: string; anchor: string }[];
  html: string;
  /** Text for the search: under each heading of the first three levels. */
  parts: { title: string; anchor: string; text: string }[];
}

/** Rewrites an address of a document for the page. */
export type Rewrite = (address: string) => string;

/** Replaces what means something in HTML. */
export const escapeHtml: (text: string) => string = new MarkdownIt().utils.escapeHtml;

/** The name of a heading in addresses. */
function headingAnchor(title: string): string {
  return title.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");
}

const markdown = new MarkdownIt({ html: false, linkify: true });
// Names of files such as `app.md` are no addresses.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
const { rules } = markdown.renderer;
rules.code_inline = (tokens, index) =>
  // A long path may be broken behind each part of it.
  `<code>${escapeHtml(tokens[index]!.content).replace(/\/(?=\w)/g, "/<wbr>")}</code>`;
rules.fence = (tokens, index) => {
  const { content, info } = tokens[index]!;
  const language = info.split(" ")[0]!;
  const code = highlight(content.replace(/\n$/, ""), language, escapeHtml);
  return `<pre tabindex="0"><code data-language="${escapeHtml(language)}">${code}</code></pre>\n`;
};
rules.table_open = () => `<div class="table" tabindex="0"><table>\n`;
rules.table_close = () => "</table></div>\n";

/** Renders a document. */
export function renderMarkdown(text: string, rewrite: Rewrite = (address) => address): Rendered {
  const parts: Rendered["parts"] = [];
  const sections: Rendered["sections"] = [];
  const tokens = markdown.parse(text, {});
  for (const [index, token] of tokens.entries()) {
    const words = (token.children ?? [])
      .map(({ type, content }) => type === "softbreak" ? " " : content).join("");
    const before = tokens[index - 1];
    if (before?.type === "heading_open") {
      const anchor = headingAnchor(words);
      before.attrSet("id", anchor);
      if (before.tag === "h2") sections.push({ title: words, anchor });
      if (/^h[123]$/.test(before.tag)) parts.push({ title: words, anchor, text: "" });
    } else if (parts.length > 0 && words !== "") parts.at(-1)!.text += `${words} `;
    // A heading of a table that says nothing heads nothing.
    if (before?.type === "th_open" && words === "") before.tag = tokens[index + 1]!.tag = "td";
    for (const child of token.children ?? []) {
      if (child.type === "link_open") child.attrSet("href", rewrite(String(child.attrGet("href"))));
    }
  }
  const html = markdown.renderer.render(tokens, markdown.options, {}).trimEnd();
  return { title: parts[0]?.title ?? "", sections, html, parts };
}
