/**
 * A project outside of the workspace that has installed the packages with npm, as users do.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram } from "../../scripts/apt.ts";
import { type Build, buildPackages } from "../../scripts/npm.ts";
import { startRegistry } from "../../scripts/registry.ts";
import { run } from "../../scripts/run_command.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";

/** The installed project. */
export interface Consumer {
  folder: string;
  build: Build;
  /** Runs a script of the project's packages with Deno. */
  runPackage(script: string, args: string[]): ReturnType<typeof run>;
  /** Lets others use it. */
  release(): void;
}

// Besides the packages: what checks them, and the peers that their types speak of.
const tools = {
  "@arethetypeswrong/cli": "0.18.5",
  "@types/node": "^22",
  "playwright-core": "1.65.1",
  publint: "0.3.25",
  "typescript-5.9": "npm:typescript@5.9.3",
  "typescript-6": "npm:typescript@6.0.3",
  "typescript-7": "npm:typescript@7.0.2",
  vitest: "5.0.5",
};

/** Every entry of the installed packages, or of one of them: `"@framework/auth/storage"`. */
export function entriesOf(build: Build, name?: string): string[] {
  return build.packages
    .filter(({ manifest }) => name === undefined || manifest.name === name)
    .flatMap(({ manifest }) =>
      Object.keys(manifest.exports)
        .filter((entry) => entry !== "./package.json")
        .map((entry) => manifest.name + entry.slice(1))
    );
}

/**
 * Builds the packages and installs them with npm: the machine's own, or npm's package under Deno. What was
 * installed of the same packages is used again, by one at a time, outside of the repository: nothing that
 * the packages forgot to depend on is found there.
 */
export async function installConsumer(): Promise<Consumer> {
  const build = await buildPackages({ gate: false });
  const key = createHash("sha256").update(repositoryRoot).digest("hex").slice(0, 12);
  const folder = join(await Deno.realPath(tmpdir()), `framework-consumer-${key}`);
  const lock = await Deno.open(`${folder}.lock`, { create: true, write: true });
  try {
    await lock.lock(true);
    const stamp = join(folder, "installed.json");
    const wanted = JSON.stringify([build.hash, tools]);
    if (await Deno.readTextFile(stamp).catch(() => "") !== wanted) {
      await Deno.remove(folder, { recursive: true }).catch(() => {});
      await Deno.mkdir(folder);
      await install(folder, build);
      await Deno.writeTextFile(stamp, wanted);
    }
  } catch (error) {
    lock.close();
    throw error;
  }
  return {
    folder,
    build,
    runPackage: (script, args) =>
      run(Deno.execPath(), ["run", "-A", join(folder, "node_modules", script), ...args], {
        cwd: folder,
      }),
    release: () => lock.close(),
  };
}

async function install(folder: string, build: Build): Promise<void> {
  const registry = await startRegistry(build);
  try {
    await Deno.writeTextFile(
      join(folder, "package.json"),
      JSON.stringify({
        name: "consumer",
        private: true,
        type: "module",
        dependencies: Object.fromEntries(
          build.packages.map(({ manifest }) => [manifest.name, manifest.version]),
        ),
        devDependencies: tools,
      }),
    );
    await Deno.writeTextFile(join(folder, ".npmrc"), `@framework:registry=${registry.url}\n`);
    const npm = await findProgram(["npm"]);
    const [command, before] = npm
      ? [npm, []]
      : [Deno.execPath(), ["run", "-A", "--no-config", "npm:npm@11.19.1"]];
    await run(command, [...before, "install", "--no-audit", "--no-fund", "--no-package-lock"], {
      cwd: folder,
    });
  } finally {
    await registry.close();
  }
}
