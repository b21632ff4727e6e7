/**
 * Embeds the stylesheet and the script of the built-in pages into `@framework/auth`, with their hashes for the
 * Content-Security-Policy: `deno task page-style`.
 *
 * @module
 */
import { stop, transform } from "esbuild";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { repositoryRoot } from "./workspace.ts";

const folder = join(repositoryRoot, "auth", "pages");

/** Line of `style.css` at which its second part begins. */
const SECOND_PART = "/* == Second part";

/** The module that holds them. */
export const styleModule: string = join(folder, "style_text.ts");

async function embed(name: string, about: string, [source, loader]: [string, "css" | "js"]) {
  const { code } = await transform(source, { loader, minify: true, legalComments: "none" });
  const text = code.trim();
  const hash = createHash("sha256").update(text).digest("base64");
  return `/** ${about} */
export const ${name}: { readonly text: string; readonly hash: string } = {
  text: ${JSON.stringify(text)},
  hash: "sha256-${hash}",
};
`;
}

/** Makes the module's source. The same sources give the same text. */
export async function embedStyle(): Promise<string> {
  const style = await Deno.readTextFile(join(folder, "style.css"));
  const script = await Deno.readTextFile(join(folder, "enhance.js"));
  const at = style.indexOf(SECOND_PART);
  if (at < 0) throw new Error(`style.css has no line that begins with "${SECOND_PART}"`);
  const parts = [
    await embed("PAGE_STYLE", "Styles of every page.", [style.slice(0, at), "css"]),
    await embed("LIST_STYLE", "Styles of pages with lists, steps or tables, in addition.", [
      style.slice(at),
      "css",
    ]),
    await embed("PAGE_SCRIPT", "Script of pages with a password, which work without it.", [
      script,
      "js",
    ]),
  ];
  await stop();
  return "// Made by `deno task page-style` from style.css and enhance.js. Do not edit.\n" +
    `// deno-fmt-ignore-file\n${parts.join("\n")}`;
}

if (import.meta.main) await Deno.writeTextFile(styleModule, await embedStyle());
