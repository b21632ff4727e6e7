/**
 * The reference of every public symbol: what `deno doc` makes, with the names by which users import
 * the entries, a way back to the documentation, and room for small screens.
 *
 * @module
 */

import { join, posix } from "node:path";
import { escapeHtml } from "./markdown.ts";
import { run } from "./run_command.ts";
import { listFiles, type Workspace } from "./workspace.ts";

/** Writes the reference into a folder beside the other pages. */
export async function buildReference(workspace: Workspace, output: string): Promise<void> {
  const names = entryNames(workspace);
  await run(
    Deno.execPath(),
    ["doc", "--html", "--no-check", "--name=framework", `--output=${output}`, ...names.keys()],
    { cwd: workspace.root },
  );
  for (const file of await listFiles(output)) {
    if (!file.endsWith(".html")) continue;
    const path = join(output, file);
    await Deno.writeTextFile(path, nameEntries(await Deno.readTextFile(path), names));
  }
  const styles = join(output, "styles.css");
  await Deno.writeTextFile(styles, await Deno.readTextFile(styles) + forSmallScreens);
}

/** The name of each entry by its file: `"auth/storage.ts"` → `"@framework/auth/storage"`. */
export function entryNames({ members }: Pick<Workspace, "members">): Map<string, string> {
  const names = new Map<string, string>();
  for (const { exports, folder, name } of members) {
    for (const [entry, file] of Object.entries(exports)) {
      const path = posix.join(folder, file);
      if (!names.has(path)) names.set(path, name + entry.slice(1));
    }
  }
  return names;
}

/** Files in what people read of a page: a text of its own, a title, and an import. One pass over it, as there are many names. */
const READ = />([\w/.&#;]+)<|<title>[^<]*<\/title>|( \* as mod from )?&quot;([\w/.]+)&quot;/g;

/** Writes names in place of files in what people read of a page, and links it to the documentation. */
export function nameEntries(html: string, names: Map<string, string>): string {
  const page = html.replace(READ, (found, text?: string, whole?: string, imported?: string) => {
    if (imported !== undefined) {
      const name = names.get(imported);
      if (name === undefined) return found;
      const shown = `&quot;${escapeHtml(name)}&quot;`;
      return whole === undefined ? shown : ` * as ${lastPart(name)} from ${shown}`;
    }
    if (text === undefined) {
      return found.replace(/[\w/.]+/g, (word) => escapeHtml(names.get(word) ?? word));
    }
    const name = names.get(text.replaceAll("&#x2F;", "/"));
    return name === undefined ? found : `>${escapeHtml(name)}<`;
  });
  return page.replace(
    /<a href="([^"]*)" class="contextLink">framework<\/a>/,
    (_all, root: string) => {
      const up = `${root.replaceAll("&#x2F;", "/")}../`;
      return `<a href="${up}index.html" class="contextLink">framework</a></li>\n` +
        `<li><a href="${up}reference.html" class="contextLink">Reference</a>`;
    },
  );
}

function lastPart(name: string): string {
  return name.split("/").at(-1)!.replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());
}

const forSmallScreens = `
.ddoc * { min-width: 0 }
.ddoc pre { overflow-x: auto }
.ddoc .usageContent pre code { white-space: pre-wrap; overflow-wrap: anywhere }
.ddoc .breadcrumbs { flex-wrap: wrap }
@media (max-width: 40rem) {
  .ddoc #topnav { position: static; height: auto }
  .ddoc #topnav > div { flex-wrap: wrap; height: auto; padding: .5rem 0; gap: .5rem }
}
.ddoc .breadcrumbs > li + li::before { content: "›"; margin: 0 .4rem }
.ddoc .font-mono, .ddoc code, .ddoc h1, .ddoc a { overflow-wrap: anywhere }
`;
