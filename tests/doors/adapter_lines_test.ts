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
  "Fastify": ["fastify"],
  "Node": ["node", "node_upgrade"],
  "Node's messages": ["node_exchange"],
  "shared": ["door", "guards", "production"],
};

/** The most that an entry has of its own; more where docs/servers.md says for what, and never more than this. */
const LIMIT = 40;
const LONGER: Record<string, number> = { "Fastify": 57, "Hono": 60, "Nuxt": 216, "Next.js": 202 };

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

async function countLines(): Promise<Record<string, number>> {
  const counted: Record<string, number> = {};
  for (const [entry, files] of Object.entries(ENTRIES)) {
    const texts = files.map((file) =>
      Deno.readTextFile(join(repositoryRoot, "auth", "app", `${file}.ts`))
    );
    counted[entry] = codeLines((await Promise.all(texts)).join("\n"));
  }
  return counted;
}

Deno.test("docs/servers.md counts the code of each entry", async () => {
  const counted = await countLines();
  const table = await readTable("docs/servers.md", "of which are its own matter");
  const told = Object.entries(table).map(([entry, { lines }]) => [entry, Number(lines)]);
  assert.deepEqual(Object.fromEntries(told), counted);
});

Deno.test("an entry for a framework has at most forty lines, or docs/servers.md says what needs more", async () => {
  const counted = await countLines();
  const frameworks = Object.entries(counted).filter(([entry]) => !/^(?:shared|Node)/.test(entry));
  const text = await Deno.readTextFile(join(repositoryRoot, "docs", "servers.md"));
  for (const [entry, lines] of frameworks) {
    const { [entry]: limit = LIMIT } = LONGER;
    assert.ok(lines <= limit, `${entry} has ${lines} lines, of at most ${limit}`);
    const isExplained = text.includes(`\n- **${entry}** needs more than forty: `);
    assert.equal(isExplained, lines > LIMIT, `${entry} has ${lines} lines`);
  }
});
