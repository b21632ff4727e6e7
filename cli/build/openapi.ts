import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createOpenApi, type OpenApiDocument } from "../app/openapi.ts";
import type { AppScan } from "../app/scan.ts";
import type { ProjectConfig } from "../config/load.ts";
import type { Diagnostic } from "../terminal/diagnostics.ts";
import { findPackage } from "../tools/packages.ts";
import { displayPath } from "../tools/paths.ts";
import { mayExport, writeCompilerOptions } from "./bundle_request.ts";
import type { DriverClient } from "./driver.ts";

/** Application to describe, and its tools. */
export interface OpenApiSubject {
  config: ProjectConfig;
  scan: AppScan;
  driver: DriverClient;
}

/** Name of the document beside the built worker, where it is no static file. */
const FILE = "openapi.json";

/**
 * Loads the pages and routes, and describes the routes and the forms.
 *
 * @param subject The application.
 * @returns The document; or the errors of files that cannot be bundled.
 */
export async function describeRoutes(
  { config, scan, driver }: OpenApiSubject,
): Promise<OpenApiDocument | { errors: Diagnostic[] }> {
  const { root } = config;
  // A page without an action is for people.
  const described = scan.routes.filter(({ kind, file }) =>
    kind === "route" || mayExport(file, "action")
  );
  const { files, errors } = await driver.call("describeInput", {
    root,
    tsconfig: await writeCompilerOptions(config),
    files: described.map(({ file }) => file),
    hasValibot: findPackage("@valibot/to-json-schema", root) !== undefined,
  });
  if (errors.length > 0) return { errors };
  const routes = described.map(({ kind, segments, file }, index) => ({
    kind,
    segments,
    file: displayPath(root, file),
    described: files[index]!,
  }));
  return createOpenApi(routes, await readInfo(root));
}

/**
 * Writes the document of an application in which a route has a schema. It stands beside the worker,
 * and neither is uploaded nor served.
 *
 * @param subject The application.
 * @param folder Absolute path of the build.
 * @param exports Names that each of the application's files exports; null where `export *` hides them.
 * @returns Warnings about files that could not be described, without which there is no document.
 */
export async function writeOpenApi(
  subject: OpenApiSubject,
  folder: string,
  exports: Record<string, string[] | null>,
): Promise<Diagnostic[]> {
  const hasSchema = subject.scan.routes.some(({ kind, file }) => {
    const names = exports[file];
    return kind === "route" && (names === null || names?.includes("input"));
  });
  if (!hasSchema) return [];
  const described = await describeRoutes(subject);
  if ("errors" in described) return described.errors;
  await writeFile(join(folder, FILE), `${JSON.stringify(described.document, null, 2)}\n`);
  return [];
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
