import { cp } from "node:fs/promises";
import { join } from "node:path";
import { findProgram } from "../../scripts/apt.ts";
import { buildPackages } from "../../scripts/npm.ts";
import { startRegistry } from "../../scripts/registry.ts";
import { capture, type Finished, run } from "../../scripts/run_command.ts";
import { initApplication } from "../../scripts/scaffold.ts";
import { findNodes } from "./node.ts";

/** The starter application, as npm installs it. */
export interface NpmProject {
  /** Absolute path of its folder. */
  root: string;
  /** Runs the vitest that is installed in it, on the newest Node. */
  vitest(...args: string[]): Promise<Finished>;
  remove(): Promise<void>;
}

/**
 * Scaffolds the starter, lays files over it and installs it with npm.
 *
 * @param files Folders whose content is copied into it.
 * @param versions Development dependencies that differ from the starter's; null takes one away.
 */
export async function createNpmProject(
  files: readonly string[],
  versions: Record<string, string | null>,
): Promise<NpmProject> {
  const build = await buildPackages({ gate: false });
  const folder = await Deno.makeTempDir({ prefix: "framework-npm-" });
  const root = join(folder, "my-app");
  await initApplication(root);
  for (const source of files) await cp(source, root, { recursive: true });
  const file = join(root, "package.json");
  const manifest = JSON.parse(await Deno.readTextFile(file));
  const wanted = { ...manifest.devDependencies, ...versions };
  manifest.devDependencies = Object.fromEntries(
    Object.entries(wanted).filter(([, version]) => version !== null),
  );
  await Deno.writeTextFile(file, JSON.stringify(manifest));
  const registry = await startRegistry(build);
  const npmrc = join(root, ".npmrc");
  try {
    await Deno.writeTextFile(npmrc, `@framework:registry=${registry.url}\n`);
    const npm = await findProgram(["npm"]);
    const [command, before] = npm
      ? [npm, []]
      : [Deno.execPath(), ["run", "-A", "--no-config", "npm:npm@11.19.1"]];
    await run(command, [...before, "install", "--no-audit", "--no-fund", "--no-package-lock"], {
      cwd: root,
    });
    await Deno.remove(npmrc);
  } finally {
    await registry.close();
  }
  const { newest } = await findNodes();
  return {
    root,
    vitest: (...args) =>
      capture(newest, [join("node_modules", "vitest", "vitest.mjs"), "run", ...args], {
        cwd: root,
      }),
    remove: () => Deno.remove(folder, { recursive: true }),
  };
}
