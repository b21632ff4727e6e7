import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { contains } from "../tools/paths.ts";
import type { Dialect, FrameworkConfig } from "./define_config.ts";
import { declaredDatabases, findPlatformFile } from "./wrangler_file.ts";

/** Project configuration with defaults filled in; all paths are absolute. */
export interface ProjectConfig {
  /** Project folder: the one with the configuration file, or around it; otherwise the current one. */
  root: string;
  /** The configuration file; undefined when the project has none. */
  file: string | undefined;
  /** Folder of the routes. Default: `app`. */
  appDir: string;
  /** Folder of the static files. Default: `public`. */
  publicDir: string;
  /** Folder that `build` writes. Default: `dist`. */
  outDir: string;
  /**
   * Folder of the migrations: `migrations_dir` of the database's entry in the platform file,
   * otherwise `migrations`.
   */
  migrationsDir: string;
  /** Binding of the application's database. Default: `DB`. */
  database: string;
  /** SQL of that database. Default: `sqlite`. */
  dialect: Dialect;
  /** True when the configuration file names the database, and the platform file declares none. */
  lacksDatabase: boolean;
  /** The platform file: `wrangler.json` or `wrangler.jsonc`. */
  platformFile: string;
  /** True when the worker makes spans. */
  tracing: boolean;
  /** Settings of the development server. */
  dev: { port: number; host: string; allowedHosts: string[] };
  /**
   * Settings of the build: whether the worker is minified, and whether a source map is written next
   * to it.
   */
  build: { minify: boolean; sourcemap: boolean };
}

/** Options for `loadConfig()`. */
export interface LoadConfigOptions {
  /**
   * Imports the file by its absolute path, in a runtime that supports TypeScript. Default: the
   * project's esbuild compiles it.
   */
  importModule?(file: string): Promise<Record<string, unknown>>;
}

/**
 * Reads `framework.config.ts` (or `.js`) and fills in the defaults. The file is optional.
 *
 * @param cwd The folder that the command was started in.
 * @param path Value of `--config`, relative to `cwd`. The project's root then is the nearest folder
 * around the file that holds a package.json, a deno.json or a wrangler.jsonc, else the file's own.
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
      hint: "Correct the path after --config, or omit the option.",
    });
  }
  // Loaded only when there is such a file: the code that runs a program takes longer to load than
  // everything else here.
  const [{ readConfigFile }, { validateConfig }] = await Promise.all([
    import("./file.ts"),
    import("./schema.ts"),
  ]);
  const value = await readConfigFile(file, options.importModule);
  return withDefaults(validateConfig(value, file), projectAround(file), file);
}

function withDefaults(
  config: FrameworkConfig,
  root: string,
  file: string | undefined,
): ProjectConfig {
  const given = typeof config.database === "string"
    ? { binding: config.database }
    : config.database;
  const { binding: database = "DB", dialect = "sqlite" } = given ?? {};
  const platformFile = config.wrangler === undefined
    ? findPlatformFile(root)
    : resolve(root, config.wrangler);
  const declared = declaredDatabases(platformFile, database);
  if (dialect === "sqlite" && given?.binding !== undefined) {
    refuseUnknownDatabase(database, { file, platformFile, bindings: declared.bindings });
  }
  const project: ProjectConfig = {
    root,
    file,
    appDir: resolve(root, config.appDir ?? "app"),
    publicDir: resolve(root, config.publicDir ?? "public"),
    outDir: resolve(root, config.outDir ?? "dist"),
    migrationsDir: declared.migrationsDir ?? resolve(root, "migrations"),
    database,
    dialect,
    lacksDatabase: dialect === "sqlite" && given?.binding !== undefined &&
      declared.bindings?.length === 0,
    platformFile,
    dev: {
      port: config.dev?.port ?? 8787,
      host: config.dev?.host ?? "localhost",
      allowedHosts: config.dev?.allowedHosts ?? [],
    },
    tracing: config.tracing ?? false,
    build: {
      minify: config.build?.minify ?? true,
      sourcemap: config.build?.sourcemap ?? true,
    },
  };
  refuseDangerousOutDir(project);
  return project;
}

/**
 * Refuses a database binding that the platform file does not declare among others: every page that
 * needs data or a user would fail. Where it declares none, `lacksDatabase` lets a build say so
 * together with all else that is missing.
 */
function refuseUnknownDatabase(
  database: string,
  { file, platformFile, bindings = [] }: {
    file: string | undefined;
    platformFile: string;
    bindings: string[] | undefined;
  },
): void {
  if (bindings.length === 0 || bindings.includes(database)) return;
  const platform = basename(platformFile);
  throw new CliError(
    `${basename(file ?? "framework.config.ts")}: database is "${database}", but ${platform} ` +
      `declares no D1 database with this binding (found: ${[...new Set(bindings)].join(", ")}).`,
    {
      exitCode: ExitCode.config,
      hint: `Choose one that it declares, or add the database to ${platform}.`,
    },
  );
}

/** Refuses a dangerous outDir: `build` replaces it, so it must not contain anything else. */
function refuseDangerousOutDir(project: ProjectConfig): void {
  const { root, outDir, appDir, publicDir, migrationsDir, platformFile } = project;
  const kept = [appDir, publicDir, migrationsDir, platformFile];
  if (outDir !== root && contains(root, outDir) && !kept.some((path) => contains(outDir, path))) {
    return;
  }
  throw new CliError(
    `outDir is ${outDir}, which is not a separate folder inside the project.`,
    {
      exitCode: ExitCode.config,
      hint:
        'build replaces this folder. Choose one that contains nothing else, for example "dist".',
    },
  );
}

const NAMES = ["framework.config.ts", "framework.config.js"];

/**
 * Finds the configuration file of a folder; undefined when there is none.
 *
 * @param root Absolute path of the folder.
 * @throws {CliError} Exit code 2 when there are two, because which one counts would be a guess.
 */
function findConfigFile(root: string): string | undefined {
  const found = NAMES.filter((name) => existsSync(join(root, name)));
  if (found.length > 1) {
    throw new CliError(`There are two configuration files: ${found.join(" and ")}.`, {
      exitCode: ExitCode.config,
      hint: `Remove one of them.`,
    });
  }
  return found[0] === undefined ? undefined : join(root, found[0]);
}

const MARKS = ["package.json", "deno.json", "deno.jsonc", "wrangler.json", "wrangler.jsonc"];

/**
 * Finds the project that a configuration file belongs to; the file may be in a subfolder.
 *
 * @param file Absolute path of the file.
 * @returns Absolute path of the nearest folder with what every project has; without one, of the file's own.
 */
function projectAround(file: string): string {
  const own = dirname(file);
  for (let folder = own;; folder = dirname(folder)) {
    if (MARKS.some((name) => existsSync(join(folder, name)))) return folder;
    if (folder === dirname(folder)) return own;
  }
}
