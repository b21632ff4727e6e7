import { join } from "node:path";
import { extract } from "tar";
import { exists, readWorkspace, repositoryRoot } from "../../scripts/workspace.ts";
import { withFileLock } from "../support/file_lock.ts";
import { runNpm } from "../support/npm_packages.ts";

/** Programs of other platforms that npm has, in the place of Deno's runtime part, which it has not. */
const PROGRAMS: Record<string, { name: string; file: string }> = {
  "aarch64-unknown-linux-gnu": { name: "@esbuild/linux-arm64", file: "bin/esbuild" },
  "x86_64-apple-darwin": { name: "@esbuild/darwin-x64", file: "bin/esbuild" },
  "aarch64-apple-darwin": { name: "@esbuild/darwin-arm64", file: "bin/esbuild" },
  "x86_64-pc-windows-msvc": { name: "@esbuild/win32-x64", file: "esbuild.exe" },
};

/** Targets that have one. */
export const standInTargets: readonly string[] = Object.keys(PROGRAMS);

/** A program of a platform's format. What is compiled with it holds what it should, and runs nowhere. */
export async function findStandIn(target: string): Promise<string> {
  const { name, file } = PROGRAMS[target]!;
  const { imports } = await readWorkspace();
  const version = imports["esbuild"]!.split("@").at(-1)!;
  const folder = join(repositoryRoot, "tests", "output", "parts", `${target}-${version}`);
  await withFileLock(`${folder}.lock`, async () => {
    if (await exists(folder)) return;
    const draft = await Deno.makeTempDir({ prefix: "framework-part-" });
    const { stdout } = await runNpm(["pack", "--silent", `${name}@${version}`], { cwd: draft });
    await Deno.mkdir(folder);
    await extract({ file: join(draft, stdout.trim()), cwd: folder, strip: 1 });
    await Deno.remove(draft, { recursive: true });
  });
  return join(folder, file);
}
