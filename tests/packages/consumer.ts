/**
 * A project outside of the workspace that has installed the packages with npm, as users do.
 *
 * @module
 */

import { join, resolve } from "node:path";
import { type Build, buildPackages } from "../../scripts/npm.ts";
import { run } from "../../scripts/run_command.ts";
import { installWithNpm } from "../support/npm_project.ts";

/** The installed project. */
export interface Consumer {
  folder: string;
  build: Build;
  /** Runs a script of the project's packages with Deno, or one of others by its absolute path. */
  runPackage(script: string, args: string[]): ReturnType<typeof run>;
  remove(): Promise<void>;
}

// Besides the packages: what checks them, and the peers that their types speak of.
const tools = {
  "@arethetypeswrong/cli": "0.18.5",
  "@types/node": "^22",
  "playwright-core": "1.65.1",
  publint: "0.3.25",
  // The starter's, in place of the newest.
  vite: "8.3.8",
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

/** Installs the packages in a folder outside of the repository: nothing that they forgot to depend on is found there. */
export async function installConsumer(): Promise<Consumer> {
  const build = await buildPackages({ gate: false });
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "framework-consumer-" }));
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
  await installWithNpm(folder, build);
  return {
    folder,
    build,
    runPackage: (script, args) =>
      run(Deno.execPath(), ["run", "-A", resolve(folder, "node_modules", script), ...args], {
        cwd: folder,
      }),
    remove: () => Deno.remove(folder, { recursive: true }),
  };
}
