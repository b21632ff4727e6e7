import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildPackages } from "../../scripts/npm.ts";
import { run } from "../../scripts/run_command.ts";
import { exists, readJson, readWorkspace, repositoryRoot } from "../../scripts/workspace.ts";
import { linkNpmPackages } from "../support/npm_packages.ts";
import { runTypescript } from "./guide_types.ts";
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

/** A block may be the inside of a function, and may import a file of the reader's own, or the platform. */
function isOfFragment(error: string): boolean {
  return /error TS(?:1108:|(?:2307|2882): Cannot find .*'(?:\.\.?\/|cloudflare:))/.test(error);
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
const ELSEWHERE = {
  "@hono/node-server": "2.1.9",
  "@libsql/client": "0.18.0",
  "@opentelemetry/exporter-trace-otlp-http": "0.301.0",
  "bcryptjs": "3.0.3",
  "better-auth": "1.7.25",
  "drizzle-orm": "0.45.4",
};

/** Links a folder's packages into another one, but for those that are there. */
async function linkPackages(from: string, into: string): Promise<void> {
  await Deno.mkdir(into, { recursive: true });
  for await (const { name } of Deno.readDir(from)) {
    if (name.startsWith("@")) await linkPackages(join(from, name), join(into, name));
    else if (!await exists(join(into, name))) {
      await Deno.symlink(join(from, name), join(into, name));
    }
  }
}

/**
 * Installs what a reader has: the packed packages, whose declarations are not checked themselves, and those of others. The
 * source of the packages would be checked along each time, which takes three times as long as the blocks.
 */
async function install(modules: string): Promise<void> {
  const { packages } = await buildPackages({ gate: false });
  for (const { folder, manifest } of packages) {
    const place = join(modules, manifest.name);
    await Deno.mkdir(dirname(place), { recursive: true });
    await run("cp", ["-R", join(repositoryRoot, "npm", folder), place], { cwd: repositoryRoot });
  }
  await linkPackages(join(repositoryRoot, "node_modules"), modules);
  await linkPackages(await linkNpmPackages(ELSEWHERE), modules);
}

/** Checks blocks outside of the workspace, where they find the packages by their names. */
export async function typeErrors(blocks: CodeBlock[]): Promise<string[]> {
  const { members } = await readWorkspace();
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
    await Deno.writeTextFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    await install(join(folder, "node_modules"));
    const places = new Map<string, string>();
    for (const block of blocks) {
      const name = `block_${places.size}.tsx`;
      places.set(name, `${block.file}:${block.line}`);
      const added = [...linesFor(block, lines), "export {};"];
      await Deno.writeTextFile(join(folder, name), `${block.text}\n${added.join("\n")}\n`);
    }
    const { stdout: platform } = await run(Deno.execPath(), ["types"], { cwd: folder });
    await Deno.writeTextFile(join(folder, "deno.d.ts"), platform);
    await Deno.writeTextFile(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: {
          ...compilerOptions as object,
          noUncheckedIndexedAccess: false,
          noImplicitAny: false,
          noEmit: true,
          skipLibCheck: true,
          allowImportingTsExtensions: true,
          module: "esnext",
          moduleResolution: "bundler",
          target: "esnext",
          lib: ["esnext"],
          types: ["node"],
        },
        files: ["deno.d.ts", ...places.keys()],
      }),
    );
    return (await runTypescript(folder, "tsconfig.json")).split(/\n(?! )/)
      .filter((error) => error !== "" && !isOfFragment(error))
      .map((error) =>
        error.replace(
          /^(block_\d+\.tsx)\((\d+),\d+\)/,
          (_all, name, line) => `${places.get(name)}, line ${line} of the block`,
        )
      );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
