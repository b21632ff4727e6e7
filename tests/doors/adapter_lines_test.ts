// Lines of the entries for frameworks: what of each is code, without documents, types and imports.
import assert from "node:assert/strict";
import { join } from "node:path";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { readTable } from "../docs/tables.ts";

const ENTRIES: Record<string, string[]> = {
  "SvelteKit": ["sveltekit"],
  "React Router": ["react_router"],
  "Astro": ["astro"],
  "Hono": ["hono"],
  "Nuxt": ["nuxt"],
  "Next.js": ["next"],
  "Node": ["node", "node_upgrade"],
  "shared": ["door", "guards", "production"],
};

/** Lines of code, as the repository's formatter breaks them. */
function codeLines(text: string): number {
  const code = text
    .replaceAll(/\/\*\*?[^]*?\*\//g, "")
    .replaceAll(/^import [^;]*;/gm, "")
    .replaceAll(/^export \{[^}]*\} from[^;]*;/gm, "")
    .replaceAll(/^(?:export )?interface [^]*?^\}/gm, "")
    .replaceAll(/^(?:export )?type [^]*?;$/gm, "");
  return code.split("\n").filter((line) => !/^\s*(?:$|\/\/)/.test(line)).length;
}

Deno.test("docs/servers.md counts the code of each entry", async () => {
  const counted: Record<string, number> = {};
  for (const [entry, files] of Object.entries(ENTRIES)) {
    const texts = files.map((file) =>
      Deno.readTextFile(join(repositoryRoot, "auth", "app", `${file}.ts`))
    );
    counted[entry] = codeLines((await Promise.all(texts)).join("\n"));
  }
  const table = await readTable("docs/servers.md", "of which are its own matter");
  const told = Object.entries(table).map(([entry, { lines }]) => [entry, Number(lines)]);
  assert.deepEqual(Object.fromEntries(told), counted);
});
