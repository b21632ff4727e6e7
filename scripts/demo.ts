/**
 * Shows the framework at work: the starter application with the packages of this repository, its
 * local database migrated and filled, a local identity provider to sign in at, served by `framework dev`.
 *
 * Usage: `deno task demo [--dir FOLDER] [--port N] [--fresh]`
 *
 * The application lives in the temporary folder, in a folder named after the state of the source, and
 * is used again, with its data, by the next run. `--dir` puts it into a folder of your own, `--fresh`
 * begins anew, `--port` asks for exactly that port. The folder is a project like any other: the packages
 * lie in it, so that `npm install` and `deno add` add others to them.
 *
 * @module
 */

import process from "node:process";
import { parseArgs } from "node:util";
import { findDemoFolder, forgetPackages, markDemoFolder } from "./demo_folder.ts";
import { layPackages } from "./demo_packages.ts";
import { startDemoProvider } from "./demo_provider.ts";
import { seedDemo } from "./demo_seed.ts";
import { countPackages, step } from "./demo_step.ts";
import { type DemoLocation, nextSteps } from "./demo_text.ts";
import { buildPackages } from "./npm.ts";
import {
  downloadDependencies,
  initApplication,
  installPackages,
  runInstalled,
} from "./scaffold.ts";
import { sourceHash } from "./source_hash.ts";
import { readWorkspace } from "./workspace.ts";

/** Options of the command line. */
interface DemoOptions {
  dir?: string | undefined;
  port?: string | undefined;
  fresh?: boolean | undefined;
}

async function runDemo(options: DemoOptions, signal: AbortSignal): Promise<number> {
  const folder = await findDemoFolder(await sourceHash(await readWorkspace()), options);
  const downloaded = folder.state === "missing" ? downloadDependencies() : Promise.resolve();
  const build = await step("Building the packages", (say) =>
    buildPackages({
      gate: false,
      onPacked: (name, done, all) => say(`${name} (${done} of ${all})`),
    }));
  if (folder.state === "missing") {
    await step("Writing the application", () => initApplication(folder.path, { name: "demo" }));
  }
  if (folder.state !== "ready") {
    await forgetPackages(folder.path);
    await step("Installing its packages", async () => {
      await downloaded;
      await installPackages(folder.path, build, { toServe: true });
      await layPackages(folder.path, build);
    }, { measure: () => countPackages(folder.path) });
    await markDemoFolder(folder.path, build.hash);
  }
  const migrated = await runInstalled(folder.path, ["migrate", "up"], { signal });
  if (migrated !== 0) return migrated;
  await seedDemo(folder.path);
  const provider = await startDemoProvider(folder.path, { port: options.port });
  try {
    return await serve(folder.path, options.port, signal);
  } finally {
    await provider.close();
  }
}

/** Serves until the signal; says what to do next as soon as the address is known. */
async function serve(
  folder: string,
  port: string | undefined,
  signal: AbortSignal,
): Promise<number> {
  let told = false;
  function tell(text: string): void {
    const address = /https?:\/\/[^\s/]+:\d+/.exec(text)?.[0];
    if (told || address === undefined) return;
    told = true;
    const location: DemoLocation = { address, folder, deno: denoCommand() };
    process.stdout.write(nextSteps(location));
  }
  const stderr = {
    isTTY: process.stderr.isTTY ?? false,
    write(text: string): void {
      process.stderr.write(text);
      tell(text);
    },
  };
  const argv = ["dev", ...(port === undefined ? [] : ["--port", port])];
  return await runInstalled(folder, argv, { stderr, signal });
}

/** Command that starts Deno: through npx when this run came from there. */
function denoCommand(): string {
  return process.env.npm_command === "exec" ? `npx -y deno@${Deno.version.deno}` : "deno";
}

/** Aborted by the first Ctrl-C; a second one ends the process at once. */
function listenForInterruption(): AbortSignal {
  const interruption = new AbortController();
  function interrupt(): void {
    if (interruption.signal.aborted) Deno.exit(130);
    interruption.abort();
  }
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, interrupt);
  return interruption.signal;
}

if (import.meta.main) {
  const signal = listenForInterruption();
  try {
    const { values } = parseArgs({
      args: Deno.args,
      options: { dir: { type: "string" }, port: { type: "string" }, fresh: { type: "boolean" } },
    });
    const code = await runDemo(values, signal);
    // Being stopped by its user is how a demo ends.
    Deno.exit(signal.aborted ? 0 : code);
  } catch (error) {
    process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
    Deno.exit(1);
  }
}
