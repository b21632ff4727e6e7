import { Buffer } from "node:buffer";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { findEsbuildBinary, findPackage, requirePackage } from "../tools/packages.ts";
import { CONFIG_MODULE } from "./define_config.ts";

/**
 * Bundles a configuration file with the project's esbuild and imports the result, unless
 * `importModule` is given. Without esbuild, Deno imports the file itself.
 *
 * The platform binary of esbuild is spawned, not its API: that needs no second runtime and takes 20 ms. What
 * is imported is a data URL without bare imports, which works the same in a compiled command.
 *
 * @param file Absolute path of the file.
 * @param importModule Imports a file by its path. Default: bundles it first.
 * @returns Its default export.
 * @throws {CliError} Exit code 2 when it cannot be bundled, throws, or has no default export.
 */
export async function readConfigFile(
  file: string,
  importModule: (file: string) => Promise<Record<string, unknown>> = importBundled,
): Promise<unknown> {
  const name = basename(file);
  let exports: Record<string, unknown>;
  try {
    exports = await importModule(file);
  } catch (error) {
    if (error instanceof CliError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(`${name} threw an error: ${reason}`, {
      exitCode: ExitCode.config,
      hint: "Run again with --verbose to see the stack trace.",
      cause: error,
    });
  }
  if (!("default" in exports)) {
    throw new CliError(`${name} has no default export.`, {
      exitCode: ExitCode.config,
      hint: "Add `export default defineConfig({ … })`.",
    });
  }
  return exports["default"];
}

async function importBundled(file: string): Promise<Record<string, unknown>> {
  const isBare = findPackage("esbuild", dirname(file)) === undefined;
  if (isBare && process.versions["deno"] !== undefined) return await importPlain(file);
  const code = await bundle(file);
  return await import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`);
}

/**
 * Imports the file directly, which Deno can do without a bundler: the portable command reads the
 * configuration of a project whose packages are not installed yet.
 */
async function importPlain(file: string): Promise<Record<string, unknown>> {
  try {
    // A query makes the import load the file again, because a module is loaded only once.
    return await import(`${pathToFileURL(file).href}?at=${performance.now()}`);
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    const isMissing = code === "ERR_MODULE_NOT_FOUND" && !String(message).startsWith("SyntaxError");
    if (isMissing) requirePackage("esbuild", dirname(file));
    throw error;
  }
}

async function bundle(file: string): Promise<string> {
  const root = dirname(file);
  const binary = findEsbuildBinary(root);
  const folder = await mkdtemp(join(tmpdir(), "framework-config-"));
  try {
    const alias = join(folder, "framework_cli.mjs");
    await writeFile(alias, CONFIG_MODULE);
    return await run(binary, root, [
      file,
      "--bundle",
      "--format=esm",
      "--platform=node",
      "--target=node22.13",
      "--charset=utf8",
      "--log-level=error",
      "--color=false",
      `--alias:@framework/cli=${alias}`,
      `--define:import.meta.url=${JSON.stringify(pathToFileURL(file).href)}`,
      `--define:import.meta.dirname=${JSON.stringify(root)}`,
      `--define:import.meta.filename=${JSON.stringify(file)}`,
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }

  function run(command: string, cwd: string, args: string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      const options = { cwd, maxBuffer: 64 * 1024 * 1024 };
      execFile(command, args, options, (error, stdout, stderr) => {
        if (error === null) return resolve(stdout);
        // An import that the bundler left in place would not resolve.
        const reason = stderr.replace(/\n\n {2}You can mark the path[^]*?(?=\n\n|$)/g, "").trim() ||
          error.message;
        reject(
          new CliError(`${basename(file)} could not be read.\n${reason}`, {
            exitCode: ExitCode.config,
            hint: "Correct the position that is shown.",
            cause: error,
          }),
        );
      });
    });
  }
}
