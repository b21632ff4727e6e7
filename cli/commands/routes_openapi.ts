import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createOpenApi } from "../app/openapi.ts";
import type { AppScan } from "../app/scan.ts";
import { mayExport, writeCompilerOptions } from "../build/bundle_request.ts";
import { startDriver } from "../build/driver.ts";
import type { ProjectConfig } from "../config/load.ts";
import { formatDiagnostic } from "../terminal/diagnostics.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { createColors, type Output, printable } from "../terminal/output.ts";
import { findPackage, requirePackage } from "../tools/packages.ts";
import { displayPath } from "../tools/paths.ts";

/** Application to describe. */
export interface OpenApiSubject {
  config: ProjectConfig;
  scan: AppScan;
  env: Record<string, string | undefined>;
  output: Output;
}

/**
 * Runs `framework routes --openapi`: loads the pages and routes, and prints the document.
 *
 * @throws {CliError} Exit code 3 for files that cannot be bundled.
 */
export async function printOpenApi(
  { config, scan, env, output }: OpenApiSubject,
): Promise<number> {
  const { root } = config;
  requirePackage("esbuild", root);
  // A page without an action is for people.
  const described = scan.routes.filter(({ kind, file }) =>
    kind === "route" || mayExport(file, "action")
  );
  const driver = startDriver({ root, env, log: (text) => output.detail(text.trimEnd()) });
  try {
    const { files, errors } = await driver.call("describeInput", {
      root,
      tsconfig: await writeCompilerOptions(config),
      files: described.map(({ file }) => file),
      hasValibot: findPackage("@valibot/to-json-schema", root) !== undefined,
    });
    if (errors.length > 0) {
      const text = errors.map((error) => formatDiagnostic(error, createColors(false))).join("\n\n");
      throw new CliError(`The routes cannot be loaded.\n${text}`, { exitCode: ExitCode.build });
    }
    const routes = described.map(({ kind, segments, file }, index) => ({
      kind,
      segments,
      file: displayPath(root, file),
      described: files[index]!,
    }));
    const { document, undescribed } = createOpenApi(routes, await readInfo(root));
    for (const { operation, file, reason } of undescribed) {
      output.warn(printable(`${operation} is not described (${file}): ${reason}`));
    }
    output.data(JSON.stringify(document, null, 2));
    return ExitCode.ok;
  } finally {
    await driver.close();
  }
}

/** Returns the name and the version in the project's `package.json` or `deno.json`. */
export async function readInfo(root: string): Promise<{ title: string; version: string }> {
  for (const name of ["package.json", "deno.json"]) {
    const text = await readFile(join(root, name), "utf8").catch(() => "");
    try {
      const { name: title, version = "0.0.0" } = JSON.parse(text);
      if (typeof title === "string" && typeof version === "string") return { title, version };
    } catch {
      // Another tool says what is wrong with the file.
    }
  }
  return { title: "Application", version: "0.0.0" };
}
