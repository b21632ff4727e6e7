import { cp } from "node:fs/promises";
import { join } from "node:path";
import { findProgram } from "../../scripts/apt.ts";
import { type Build, buildPackages } from "../../scripts/npm.ts";
import { startRegistry } from "../../scripts/registry.ts";
import { capture, type Finished, run } from "../../scripts/run_command.ts";
import { initApplication } from "../../scripts/scaffold.ts";
import { findNodes } from "./node.ts";

/** Development dependencies that differ from the starter's; null takes one away. */
export type Versions = Record<string, string | null>;

/** The starter application, as npm installs it. */
export interface NpmProject {
  /** Absolute path of its folder. */
  root: string;
  /** Has npm bring what is installed to these versions: all of it at first, then what differs. */
  install(versions: Versions): Promise<void>;
  /** Runs the vitest that is installed in it, on the newest Node. */
  vitest(...args: string[]): Promise<Finished>;
  remove(): Promise<void>;
}

/**
 * Scaffolds the starter, and lays files over it. Nothing is installed yet.
 *
 * @param files Folders whose content is copied into it.
 */
export async function createNpmProject(files: readonly string[]): Promise<NpmProject> {
  const build = await buildPackages({ gate: false });
  const folder = await Deno.makeTempDir({ prefix: "framework-npm-" });
  const root = join(folder, "my-app");
  await initApplication(root);
  for (const source of files) await cp(source, root, { recursive: true });
  const starter = await Deno.readTextFile(join(root, "package.json"));
  const { newest } = await findNodes();
  return {
    root,
    async install(versions) {
      const manifest = withVersions(starter, versions);
      await removeOthers(root, manifest);
      await Deno.writeTextFile(join(root, "package.json"), JSON.stringify(manifest));
      await installWithNpm(root, build);
    },
    vitest: (...args) =>
      capture(newest, [join("node_modules", "vitest", "vitest.mjs"), "run", ...args], {
        cwd: root,
      }),
    remove: () => Deno.remove(folder, { recursive: true }),
  };
}

interface Manifest {
  devDependencies: Record<string, string>;
}

function withVersions(text: string, versions: Versions): Manifest {
  const manifest = JSON.parse(text);
  const wanted = Object.entries({ ...manifest.devDependencies, ...versions });
  manifest.devDependencies = Object.fromEntries(wanted.filter(([, version]) => version !== null));
  return manifest;
}

/** Removes what was installed in other versions: npm cannot always replace what names each other as its peer. */
async function removeOthers(root: string, { devDependencies }: Manifest): Promise<void> {
  const before: Manifest = JSON.parse(await Deno.readTextFile(join(root, "package.json")));
  const names = Object.keys({ ...before.devDependencies, ...devDependencies });
  for (const name of names) {
    if (before.devDependencies[name] === devDependencies[name]) continue;
    await Deno.remove(join(root, "node_modules", name), { recursive: true }).catch(() => {});
  }
}

/**
 * Installs a project by the machine's own npm, or npm's package under Deno. The address of the build leaves no trace.
 *
 * @param root Folder with the project's `package.json`.
 */
export async function installWithNpm(root: string, build: Build): Promise<void> {
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
}
