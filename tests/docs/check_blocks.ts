import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { capture, run } from "../../scripts/run_command.ts";
import { readJson, readWorkspace, repositoryRoot } from "../../scripts/workspace.ts";
import type { CodeBlock } from "./markdown.ts";

/** Those of the lines that declare a name which a block uses and does not bring itself. */
function linesFor(block: CodeBlock, lines: Map<string, string>): string[] {
  return [...lines].filter(([word]) => {
    if (!new RegExp(`\\b${word}\\b`).test(block.text)) return false;
    const own = new RegExp(
      `(interface|type|const|let|using|function|class) ${word}\\b|import [^;]*\\b${word}\\b[^;]*from`,
    );
    return !own.test(block.text);
  }).map(([, line]) => line);
}

/** The name that a line of `names.txt` declares. */
function declaredName(line: string): string {
  return /^(?:import \{ (?:type )?|declare \w+ |interface )(\w+)/.exec(line)![1]!;
}

/** A block may be the inside of a function, and may import a file of the reader's own. */
function isOfFragment(error: string): boolean {
  return error.startsWith("TS1108") || /^TS2307 .*Cannot find module 'file:/.test(error);
}

/** For every name that an entry exports, the line that imports it. */
async function importLines(
  entries: (readonly [string, string])[],
): Promise<Map<string, string>> {
  const { stdout } = await run(
    Deno.execPath(),
    ["doc", "--json", "--no-check", ...new Set(entries.map(([, url]) => fileURLToPath(url)))],
    { cwd: repositoryRoot },
  );
  const { nodes } = JSON.parse(stdout) as {
    nodes: Record<string, { symbols: { name: string; declarations: { kind: string }[] }[] }>;
  };
  const lines = new Map<string, string>();
  for (const [name, url] of entries) {
    for (const { name: symbol } of nodes[url]?.symbols ?? []) {
      if (!lines.has(symbol) && symbol !== "default") {
        lines.set(symbol, `import { ${symbol} } from "${name}";`);
      }
    }
  }
  return lines;
}

/** Packages that readers install and the repository does not. */
const elsewhere = {
  "@hono/node-server": "npm:@hono/node-server@^2.0.0",
  "@libsql/client": "npm:@libsql/client@0.18.0",
  "@opentelemetry/exporter-trace-otlp-http": "npm:@opentelemetry/exporter-trace-otlp-http@0.301.0",
  bcryptjs: "npm:bcryptjs@3.0.3",
  "drizzle-orm/node-postgres": "npm:drizzle-orm@0.45.4/node-postgres",
};

/** Checks blocks outside of the workspace, where they find the packages by their names. */
export async function typeErrors(blocks: CodeBlock[]): Promise<string[]> {
  const { imports, members } = await readWorkspace();
  const { compilerOptions } = await readJson(join(repositoryRoot, "deno.json"));
  const own = members.flatMap(({ exports, name, path }) =>
    Object.entries(exports).map(([entry, file]) =>
      [name + entry.slice(1), pathToFileURL(join(path, file)).href] as const
    )
  );
  const folder = await Deno.makeTempDir({ prefix: "framework-blocks-" });
  try {
    const lines = await importLines(own);
    const names = await Deno.readTextFile(join(repositoryRoot, "tests", "docs", "names.txt"));
    for (const line of names.trim().split("\n")) lines.set(declaredName(line), line);
    await Deno.writeTextFile(
      join(folder, "deno.json"),
      JSON.stringify({
        imports: { ...imports, ...elsewhere, ...Object.fromEntries(own) },
        compilerOptions: {
          ...compilerOptions as object,
          noUncheckedIndexedAccess: false,
          noImplicitAny: false,
        },
        nodeModulesDir: "none",
        // The releases that the repository is tested with, and what else the documents name.
        lock: { path: "./deno.lock", frozen: false },
      }),
    );
    await Deno.copyFile(join(repositoryRoot, "deno.lock"), join(folder, "deno.lock"));
    const places = new Map<string, string>();
    for (const block of blocks) {
      const name = `block_${places.size}.tsx`;
      places.set(name, `${block.file}:${block.line}`);
      const added = [...linesFor(block, lines), "export {};"];
      await Deno.writeTextFile(join(folder, name), `${block.text}\n${added.join("\n")}\n`);
    }
    const { code, stderr } = await capture(
      Deno.execPath(),
      ["check", "--quiet", ...places.keys()],
      { cwd: folder },
    );
    if (code === 0) return [];
    const said = stripVTControlCharacters(stderr).trim();
    if (!said.includes("Type checking failed")) return [said];
    return said.split("\n\n")
      .map((part) =>
        part.replace(
          /at file:\S*\/(block_\d+\.tsx):(\d+)/,
          (_all, name, line) => `in ${places.get(name)}, line ${line} of the block`,
        )
      )
      .filter((part) => / {4}in \S+, line \d+ of the block/.test(part) && !isOfFragment(part));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
