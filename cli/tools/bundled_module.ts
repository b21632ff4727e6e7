import { execFile } from "node:child_process";
import { Buffer } from "node:buffer";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { findEsbuildBinary } from "./packages.ts";

/** For packages in CommonJS, which ask for built-in modules in the middle of their code. */
const BANNER = 'import { createRequire as $createRequire } from "node:module"; ' +
  'const require = $createRequire("file:///");';

/**
 * Imports a module made of a project's own files and packages, bundled by the project's esbuild: a compiled command has
 * no resolver for files outside of it.
 *
 * @param root Absolute path of the project.
 * @param source Text of the module, in a folder of the project.
 * @param file What it is about, relative to the project, for messages and as its `import.meta.url`.
 * @throws {CliError} Exit code 2 when it cannot be bundled.
 */
export async function importBundled(
  root: string,
  source: string,
  file: string,
): Promise<Record<string, unknown>> {
  const folder = join(root, ".framework");
  const entry = join(folder, `module_${process.pid}_${crypto.randomUUID().slice(0, 8)}.ts`);
  await mkdir(folder, { recursive: true });
  await writeFile(entry, source);
  try {
    const code = await bundle(entry, root, file);
    return await import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`);
  } finally {
    await rm(entry, { force: true });
  }
}

function bundle(entry: string, root: string, file: string): Promise<string> {
  const args = [
    entry,
    "--bundle",
    "--format=esm",
    "--platform=node",
    "--main-fields=module,main",
    `--banner:js=${BANNER}`,
    "--target=node22.13",
    "--charset=utf8",
    "--log-level=error",
    "--color=false",
    `--define:import.meta.url=${JSON.stringify(pathToFileURL(join(root, file)).href)}`,
  ];
  return new Promise((resolve, reject) => {
    const options = { cwd: root, maxBuffer: 64 * 1024 * 1024 };
    execFile(findEsbuildBinary(root), args, options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const reason = stderr.replace(/\n\n {2}You can mark the path[^]*?(?=\n\n|$)/g, "").trim();
      reject(
        new CliError(`${file} could not be read.\n${reason || error.message}`, {
          exitCode: ExitCode.config,
          hint: "Correct the position that is shown.",
          cause: error,
        }),
      );
    });
  });
}
