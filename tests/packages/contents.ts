import { join, posix, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { PackedPackage } from "../../scripts/npm.ts";
import { run } from "../../scripts/run_command.ts";
import { type Member, repositoryRoot } from "../../scripts/workspace.ts";
import { runNpm } from "../support/npm_packages.ts";

/** Packed modules of a member: two files for each that an entry reaches, and three documents. */
export async function filesReached(member: Member): Promise<string[]> {
  const files = new Set(["LICENSE", "README.md", "package.json"]);
  // One module that imports all entries, inside of the workspace: one graph.
  const folder = join(repositoryRoot, "tests", "output");
  await Deno.mkdir(folder, { recursive: true });
  const all = await Deno.makeTempFile({ dir: folder, suffix: ".ts" });
  try {
    const entries = Object.values(member.exports)
      .map((source) => `import "${pathToFileURL(join(member.path, source))}";`);
    await Deno.writeTextFile(all, entries.join("\n"));
    const { stdout } = await run(Deno.execPath(), ["info", "--json", all], { cwd: member.path });
    const { modules } = JSON.parse(stdout) as { modules: { specifier: string; error?: string }[] };
    for (const { specifier, error } of modules) {
      if (error !== undefined) throw new Error(error);
      if (!specifier.startsWith("file:")) continue;
      const path = relative(member.path, fileURLToPath(specifier)).replaceAll("\\", "/");
      if (path.startsWith("..") || path.includes("node_modules/")) continue;
      for (const extension of [".js", ".d.ts"]) files.add(path.replace(/\.tsx?$/, extension));
    }
  } finally {
    await Deno.remove(all);
  }
  return [...files].sort();
}

/** The bundles of a package: those of the exports, and what they import, from one to the next, with source maps. */
export async function filesBundled({ folder, manifest }: PackedPackage): Promise<string[]> {
  const files = new Set(
    Object.values(manifest.exports).flatMap((target) =>
      typeof target === "object" ? [target["default"]!.replace("./", "")] : []
    ),
  );
  for (const file of files) {
    const text = await Deno.readTextFile(join(repositoryRoot, "npm", folder, file));
    for (const [, specifier] of text.matchAll(/\b(?:from|import)[ (]?"(\.{1,2}\/[^"]+)"/g)) {
      files.add(posix.join(posix.dirname(file), specifier!));
    }
  }
  for (const file of [...files]) files.add(`${file}.map`);
  return [...files].sort();
}

/**
 * The files that npm takes from unpacked packages, by the name of the package: by the machine's own npm, or npm's
 * package under Deno.
 */
export async function filesOfNpmPack(packages: PackedPackage[]): Promise<Map<string, string[]>> {
  const tarballs = packages.map(({ tarball }) => tarball);
  const folder = await Deno.makeTempDir({ prefix: "framework-pack-" });
  try {
    const { stdout } = await runNpm(
      ["pack", "--dry-run", "--json", "--ignore-scripts", ...tarballs],
      { cwd: folder },
    );
    const packed = JSON.parse(stdout) as { name: string; files: { path: string }[] }[];
    return new Map(packed.map(({ name, files }) => [name, files.map(({ path }) => path).sort()]));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
