import type { AppScan } from "../app/scan.ts";
import { startDriver } from "../build/driver.ts";
import { describeRoutes } from "../build/openapi.ts";
import type { ProjectConfig } from "../config/load.ts";
import { formatDiagnostic } from "../terminal/diagnostics.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { createColors, type Output, printable } from "../terminal/output.ts";
import { requirePackage } from "../tools/packages.ts";

/** Application to describe. */
export interface OpenApiRequest {
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
  { config, scan, env, output }: OpenApiRequest,
): Promise<number> {
  const { root } = config;
  requirePackage("esbuild", root);
  const driver = startDriver({ root, env, log: (text) => output.detail(text.trimEnd()) });
  try {
    const described = await describeRoutes({ config, scan, driver });
    if ("errors" in described) {
      const plain = createColors(false);
      const text = described.errors.map((error) => formatDiagnostic(error, plain)).join("\n\n");
      throw new CliError(`The routes cannot be loaded.\n${text}`, { exitCode: ExitCode.build });
    }
    for (const { operation, file, reason } of described.undescribed) {
      output.warn(printable(`${operation} is not described (${file}): ${reason}`));
    }
    output.data(JSON.stringify(described.document, null, 2));
    return ExitCode.ok;
  } finally {
    await driver.close();
  }
}
