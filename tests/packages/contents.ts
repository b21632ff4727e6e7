import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { findProgram } from "../../scripts/apt.ts";
import { run } from "../../scripts/run_command.ts";
import type { Member } from "../../scripts/workspace.ts";

/** What a member's package has to hold: two files for each module that an entry reaches, and three documents. */
export async function filesReached(member: Member): Promise<string[]> {
  const files = new Set(["LICENSE", "README.md", "package.json"]);
  for (const source of Object.values(member.exports)) {
    const { stdout } = await run(Deno.execPath(), ["info", "--json", source], { cwd: member.path });
    const { modules } = JSON.parse(stdout) as { modules: { specifier: string }[] };
    for (const { specifier } of modules) {
      if (!specifier.startsWith("file:")) continue;
      const path = relative(member.path, fileURLToPath(specifier)).replaceAll("\\", "/");
      if (path.startsWith("..") || path.includes("node_modules/")) continue;
      for (const extension of [".js", ".d.ts"]) files.add(path.replace(/\.tsx?$/, extension));
    }
  }
  return [...files].sort();
}

/** The files that npm takes from an unpacked package: by the machine's own npm, or npm's package under Deno. */
export async function filesOfNpmPack(tarball: string): Promise<string[]> {
  const npm = await findProgram(["npm"]);
  const [command, before] = npm
    ? [npm, []]
    : [Deno.execPath(), ["run", "-A", "--no-config", "npm:npm@11.19.1"]];
  const folder = await Deno.makeTempDir({ prefix: "framework-pack-" });
  try {
    const { stdout } = await run(
      command,
      [...before, "pack", "--dry-run", "--json", "--ignore-scripts", tarball],
      { cwd: folder },
    );
    const [packed] = JSON.parse(stdout) as [{ files: { path: string }[] }];
    return packed.files.map(({ path }) => path).sort();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
