import { join } from "node:path";
import { buildPackages } from "../../scripts/npm.ts";
import { capture, type Finished } from "../../scripts/run_command.ts";
import { initApplication, installPackages } from "../../scripts/scaffold.ts";
import { type Child, startChild } from "./child.ts";

/** The starter application, as a user has it after `framework init` and an install. */
export interface Starter {
  /** Absolute path of its folder. */
  root: string;
  /** Runs its own `framework` command to the end. */
  framework(...args: string[]): Promise<Finished>;
  /** Starts its own `framework` command. */
  start(...args: string[]): Child;
  /** Runs one of its package.json's scripts to the end. */
  script(name: string): Promise<Finished>;
  /** Forgets database and build; what `framework migrate up` makes is empty again. */
  reset(): Promise<void>;
  remove(): Promise<void>;
}

/** Scaffolds a template into a temporary folder, the starter by default, and installs the packed packages into it. */
export async function createStarter(template = "full"): Promise<Starter> {
  const build = await buildPackages({ gate: false });
  const folder = await Deno.makeTempDir({ prefix: "framework-starter-" });
  const root = join(folder, "my-app");
  await initApplication(root, { template });
  await installPackages(root, build);
  const command = ["run", "-A", join(root, "node_modules", "@framework", "cli", "main.js")];
  return {
    root,
    framework: (...args) => capture(Deno.execPath(), [...command, ...args], { cwd: root }),
    start: (...args) => startChild(Deno.execPath(), [...command, ...args], { cwd: root }),
    script: (name) => capture(Deno.execPath(), ["task", name], { cwd: root }),
    async reset(): Promise<void> {
      for (const name of [".wrangler", "dist"]) {
        await Deno.remove(join(root, name), { recursive: true }).catch(ignoreMissing);
      }
    },
    remove: () => Deno.remove(folder, { recursive: true }),
  };
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
