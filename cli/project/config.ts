import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { findConfigFile } from "./config_place.ts";
import type { FrameworkConfig } from "./define_config.ts";
import { declaredMigrationsDir, findPlatformFile } from "./platform_file.ts";
import { contains } from "./paths.ts";

/** The project's configuration with defaults filled in; every path is absolute. */
export interface ProjectConfig {
  /** The project's folder: the one that holds the configuration file, else the current one. */
  root: string;
  /** The configuration file; undefined when the project has none. */
  file: string | undefined;
  /** Folder of the routes. Default: `app`. */
  appDir: string;
  /** Folder of the static files. Default: `public`. */
  publicDir: string;
  /** Folder that `build` writes. Default: `dist`. */
  outDir: string;
  /** Folder of the migrations: `migrations_dir` of the database's entry in the platform's file, else `migrations`. */
  migrationsDir: string;
  /** Binding of the application's database. Default: `DB`. */
  database: string;
  /** The platform's own file: `wrangler.json` or `wrangler.jsonc`. */
  platformFile: string;
  /** Settings of the development server. */
  dev: { port: number; host: string; allowedHosts: string[] };
  /**
   * Settings of the build: whether the worker is minified, and whether a source map is written
   * beside it.
   */
  build: { minify: boolean; sourcemap: boolean };
}

/** How a configuration file is read. */
export interface LoadConfigOptions {
  /**
   * Imports the file by its absolute path, where something that knows TypeScript runs already. Default: the project's esbuild
   * makes JavaScript of it.
   */
  importModule?(file: string): Promise<Record<string, unknown>>;
}

/**
 * Reads `framework.config.ts` (or `.js`) and fills in the defaults. A project needs no such file.
 *
 * @param cwd The folder that the command was started in.
 * @param path Value of `--config`, relative to `cwd`. The file's folder then is the project's root.
 * @param options How the file is read.
 * @throws {CliError} Exit code 2 when the file is missing, cannot be bundled, throws or holds a wrong value.
 *
 * @example
 * ```ts
 * import { loadConfig } from "@framework/cli/project";
 * import { equal } from "node:assert/strict";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const folder = join(tmpdir(), "no-such-project");
 * const config = await loadConfig(folder); // a project needs no configuration
 * equal(config.outDir, join(folder, "dist"));
 * equal(config.dev.port, 8787);
 * ```
 */
export async function loadConfig(
  cwd: string,
  path?: string,
  options: LoadConfigOptions = {},
): Promise<ProjectConfig> {
  const file = path === undefined ? findConfigFile(resolve(cwd)) : resolve(cwd, path);
  if (file === undefined) return withDefaults({}, resolve(cwd), undefined);
  if (!existsSync(file)) {
    throw new CliError(`The configuration file ${path} does not exist.`, {
      exitCode: ExitCode.config,
      hint: "Correct the path after --config, or leave the option out.",
    });
  }
  // Loaded only where there is such a file: what runs a program takes longer to load than all else here.
  const [{ readConfigFile }, { validateConfig }] = await Promise.all([
    import("./config_file.ts"),
    import("./config_schema.ts"),
  ]);
  const value = await readConfigFile(file, options.importModule);
  return withDefaults(validateConfig(value, file), dirname(file), file);
}

function withDefaults(
  config: FrameworkConfig,
  root: string,
  file: string | undefined,
): ProjectConfig {
  const database = config.database ?? "DB";
  const platformFile = config.wrangler === undefined
    ? findPlatformFile(root)
    : resolve(root, config.wrangler);
  const project: ProjectConfig = {
    root,
    file,
    appDir: resolve(root, config.appDir ?? "app"),
    publicDir: resolve(root, config.publicDir ?? "public"),
    outDir: resolve(root, config.outDir ?? "dist"),
    migrationsDir: declaredMigrationsDir(platformFile, database) ?? resolve(root, "migrations"),
    database,
    platformFile,
    dev: {
      port: config.dev?.port ?? 8787,
      host: config.dev?.host ?? "localhost",
      allowedHosts: config.dev?.allowedHosts ?? [],
    },
    build: {
      minify: config.build?.minify ?? true,
      sourcemap: config.build?.sourcemap ?? true,
    },
  };
  refuseDangerousOutDir(project);
  return project;
}

/** `build` replaces outDir, so it must not hold anything that a person wrote. */
function refuseDangerousOutDir(project: ProjectConfig): void {
  const { root, outDir, appDir, publicDir, migrationsDir, platformFile } = project;
  const kept = [appDir, publicDir, migrationsDir, platformFile];
  if (outDir !== root && contains(root, outDir) && !kept.some((path) => contains(outDir, path))) {
    return;
  }
  throw new CliError(
    `outDir is ${outDir}, which is not a folder of its own inside the project.`,
    {
      exitCode: ExitCode.config,
      hint: 'build replaces this folder. Name one that holds nothing else, for example "dist".',
    },
  );
}
