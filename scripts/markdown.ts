/**
 * Makes HTML of the Markdown that the documents of this repository use, and of no other: headings,
 * paragraphs, lists in lists, tables, blocks of code, quotes of code, emphasis and links.
 *
 * @module
 */

/** A page made of a document. */
export interface Rendered {
  /** Its first heading. */
  title: string;
  /** Its headings of the second level, with their anchors. */
  sections: { title: string; anchor: string }[];
  html: string;
}

/** How addresses in a document are written in the page. */
export type Rewrite = (address: string) => string;

/** Replaces what means something in HTML. */
export function escapeHtml(text: string): string {
  return text.replace(
    /[&<>"]/g,
    (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]!,
  );
}

/** The name of a heading in addresses. */
export function headingAnchor(title: string): string {
  return title.toLowerCase().replace(/[`*]/g, "").replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

/** Renders a document. */
export function renderMarkdown(text: string, rewrite: Rewrite = (address) => address): Rendered {
  const sections: Rendered["sections"] = [];
  let title = "";
  const html = renderBlocks(text.split("\n"), {
    rewrite,
    heading(level, words) {
      const plain = words.replace(/[`*]/g, "");
      if (title === "") title = plain;
      if (level === 2) sections.push({ title: plain, anchor: headingAnchor(words) });
    },
  });
  return { title, sections, html };
}

interface Context {
  rewrite: Rewrite;
  heading(level: number, words: string): void;
}

function renderBlocks(lines: string[], context: Context): string {
  const out: string[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at]!;
    const heading = /^(#{1,4}) (.*)$/.exec(line);
    const fence = /^```(\w*)/.exec(line);
    if (line.trim() === "") at++;
    else if (fence) {
      const end = lines.indexOf("```", at + 1);
      const code = escapeHtml(lines.slice(at + 1, end).join("\n"));
      out.push(`<pre tabindex="0"><code data-language="${fence[1]}">${code}</code></pre>`);
      at = end + 1;
    } else if (heading) {
      const level = heading[1]!.length;
      context.heading(level, heading[2]!);
      const id = headingAnchor(heading[2]!);
      out.push(`<h${level} id="${id}">${renderInline(heading[2]!, context.rewrite)}</h${level}>`);
      at++;
    } else if (line.startsWith("|")) {
      const end = endOf(lines, at, (each) => each.startsWith("|"));
      out.push(renderTable(lines.slice(at, end), context));
      at = end;
    } else if (itemStart.test(line)) {
      const end = endOfList(lines, at);
      out.push(renderList(lines.slice(at, end), context));
      at = end;
    } else {
      const end = endOf(lines, at, (each) => each.trim() !== "" && !interrupts.test(each));
      out.push(`<p>${renderInline(lines.slice(at, end).join("\n"), context.rewrite)}</p>`);
      at = end;
    }
  }
  return out.join("\n");
}

const itemStart = /^(- |\d+\. )/;
const interrupts = /^(#{1,4} |```|\||- |\d+\. )/;

/** The end of a run of lines, of which the first counts in any case. */
function endOf(lines: string[], start: number, goesOn: (line: string) => boolean): number {
  let end = start + 1;
  while (end < lines.length && goesOn(lines[end]!)) end++;
  return end;
}

function endOfList(lines: string[], start: number): number {
  const numbered = /^\d/.test(lines[start]!);
  let end = start + 1;
  while (end < lines.length) {
    const line = lines[end]!;
    const inside = line.startsWith("  ") ||
      (itemStart.test(line) && /^\d/.test(line) === numbered) ||
      (line === "" && /^( {2}|- |\d+\. )/.test(lines[end + 1] ?? ""));
    if (!inside) break;
    end++;
  }
  return end;
}

function renderList(lines: string[], context: Context): string {
  const items: string[][] = [];
  for (const line of lines) {
    const start = itemStart.exec(line);
    if (start) items.push([line.slice(start[0].length)]);
    else items.at(-1)!.push(line.replace(/^ {1,3}/, (blanks) => blanks.slice(width(lines[0]!))));
  }
  const tag = /^\d/.test(lines[0]!) ? "ol" : "ul";
  const html = items.map((item) => {
    const inner = renderBlocks(item, context);
    // An item of one paragraph is no paragraph.
    const only = /^<p>((?:(?!<p>)[^])*)<\/p>$/.exec(inner);
    return `<li>${only ? only[1] : inner}</li>`;
  });
  return `<${tag}>\n${html.join("\n")}\n</${tag}>`;
}

function width(line: string): number {
  return itemStart.exec(line)![0].length;
}

function renderTable(lines: string[], { rewrite }: Context): string {
  const rows = lines.map((line) =>
    line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) =>
      renderInline(cell.trim().replaceAll("\\|", "|"), rewrite)
    )
  );
  const [head, , ...body] = rows as [string[], string[], ...string[][]];
  const cells = (row: string[], tag: string) =>
    `<tr>${
      row.map((cell) => cell === "" ? "<td></td>" : `<${tag}>${cell}</${tag}>`).join("")
    }</tr>`;
  return `<div class="table" tabindex="0"><table>\n<thead>${cells(head, "th")}</thead>\n<tbody>\n` +
    `${body.map((row) => cells(row, "td")).join("\n")}\n</tbody>\n</table></div>`;
}

function renderInline(text: string, rewrite: Rewrite): string {
  // Code first: what stands in it means nothing, and comes back at the end.
  const codes: string[] = [];
  const words = text.replace(/`([^`]+)`/g, (_all, code: string) => {
    // A long path may be broken behind each part of it.
    const html = escapeHtml(code.replaceAll("\n", " ")).replace(/\/(?=\w)/g, "/<wbr>");
    codes.push(`<code>${html}</code>`);
    return `\u{e000}${codes.length - 1}\u{e001}`;
  });
  return escapeHtml(words)
    .replace(
      /\[((?:[^\[\]]|\[[^\]]*\])+)\]\(([^)\s]+)\)/g,
      (_all, title, address) => `<a href="${rewrite(address)}">${title}</a>`,
    )
    .replace(/\*\*((?:(?!\*\*)[^])+)\*\*/g, "<strong>$1</strong>")
    .replace(/(^|[\s(])(https?:\/\/[^\s<)]*[^\s<).,:;])/g, '$1<a href="$2">$2</a>')
    .replace(/\u{e000}(\d+)\u{e001}/gu, (_all, index) => codes[Number(index)]!);
}
