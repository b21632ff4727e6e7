import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { parseJsonc } from "./jsonc.ts";
import {
  findPackage,
  findTypescriptBinary,
  installCommand,
  installedVersion,
  isListed,
} from "./packages.ts";
import { runPackage, runProgram, type ToolResult, type ToolRun } from "./run.ts";
import { findDeno, findRuntime, type RuntimeProcess } from "./runtime.ts";

/** Options for a type check. */
export interface TypecheckOptions {
  watch: boolean;
  strict: boolean;
}

/** Options for a test run. */
export interface TestOptions {
  /** Files, or parts of their names. Default: all. */
  files: string[];
  /** Further arguments for the runner. */
  passed: string[];
  watch: boolean;
  coverage: boolean;
  ui: boolean;
  /** Absolute path of the application folder. */
  appDir: string;
  /** Platform file for vitest's worker pool; undefined for tests outside of it. */
  pool: string | undefined;
}

/**
 * Variable with the path of the platform file, by which `defineTestConfig()` of @framework/testing
 * finds it for the pool.
 */
const POOL_VARIABLE = "FRAMEWORK_TEST_POOL";
/** Pool for vitest 4 and newer, in the version that was tested with the vitest of a new application. */
const WORKER_POOL = { name: "@cloudflare/vitest-plugin", version: "1.4.10" };

/** Flags besides `--strict`, which does not override what tsconfig.json disables by name. */
const strictness = [
  "strict",
  "alwaysStrict",
  "noImplicitAny",
  "noImplicitThis",
  "strictBindCallApply",
  "strictBuiltinIteratorReturn",
  "strictFunctionTypes",
  "strictNullChecks",
  "strictPropertyInitialization",
  "useUnknownInCatchVariables",
].map((name) => `--${name}`);

/**
 * Checks types with the project's TypeScript, otherwise with Deno.
 *
 * @param run The project, and how the program runs.
 * @param options What the user asked for.
 * @throws {CliError} Exit code 2 when there is nothing to check with.
 */
export function runTypecheck(run: ToolRun, options: TypecheckOptions): Promise<ToolResult> {
  const { root, env } = run;
  const { watch, strict } = options;
  const config = "tsconfig.json";
  if (existsSync(join(root, config)) && findPackage("typescript", root) !== undefined) {
    const args = ["--noEmit", "--project", config];
    if (strict) args.push(...strictness);
    if (watch) args.push("--watch", "--preserveWatchOutput");
    const native = findTypescriptBinary(root);
    if (native !== undefined) return runProgram(native, args, run);
    return runPackage("typescript", args, { ...run, bin: "tsc" });
  }
  const deno = findDeno(env);
  const denoConfig = findDenoConfig(root);
  if (deno === undefined || denoConfig === undefined) {
    throw new CliError(
      existsSync(join(root, config))
        ? "The package typescript is not installed in this project."
        : "This project has neither a tsconfig.json nor a deno.json, with which Deno could check it.",
      {
        exitCode: ExitCode.config,
        hint: existsSync(join(root, config))
          ? `Run \`${installCommand("typescript", root)}\`.`
          : `Create a tsconfig.json as \`framework init\` does, and run \`${
            installCommand("typescript", root)
          }\`.`,
      },
    );
  }
  if (strict) refuseLaxDeno(denoConfig);
  return runProgram(deno, ["check", ...watch ? ["--watch", "--no-clear-screen"] : [], "."], run);
}

/**
 * Runs the tests with vitest if the project has it, otherwise with Deno.
 *
 * @param run The project, and how the program runs.
 * @param options What the user asked for.
 * @throws {CliError} Exit code 2 when what is asked for is not installed.
 */
export function runTests(run: ToolRun, options: TestOptions): Promise<ToolResult> {
  const { root, env } = run;
  const { files, passed, watch, coverage, ui, pool } = options;
  const hasVitest = isListed("vitest", root) || findVitestConfig(root) !== undefined;
  const deno = findDeno(env);
  if (hasVitest || ui || pool !== undefined || deno === undefined) {
    demand(
      "vitest",
      root,
      ui && !hasVitest ? "The --ui page belongs to vitest, and the package vitest" : "vitest",
    );
    demandTestConfig(root);
    if (pool !== undefined) demandPool(root);
    if (ui) demand("@vitest/ui", root, "The package of the --ui page, @vitest/ui,", "vitest");
    const providers = ["@vitest/coverage-v8", "@vitest/coverage-istanbul"];
    if (coverage && !providers.some((name) => findPackage(name, root) !== undefined)) {
      const what = "The package that measures coverage, @vitest/coverage-v8,";
      demand("@vitest/coverage-v8", root, what, "vitest");
    }
    const args = [watch || ui ? "watch" : "run", ...files];
    if (coverage) args.push("--coverage");
    if (ui) args.push("--ui");
    args.push(...passed);
    if (pool === undefined) return runPackage("vitest", args, run);
    const poolEnv = { ...env, [POOL_VARIABLE]: pool };
    return runPackage("vitest", args, { ...run, env: poolEnv, runtime: findNode(env) });
  }
  const args = ["test", "--allow-all", ...passed];
  if (watch) args.push("--watch", "--no-clear-screen");
  return coverage
    ? measureWithDeno(deno, run, { ...options, args })
    : runProgram(deno, [...args, ...files], run);
}

/**
 * Finds Node, in this process or on the `PATH`: the pool imports modules in ways that Deno does not
 * resolve.
 *
 * @throws {CliError} Exit code 2 without one that is supported.
 */
function findNode(env: ToolRun["env"]): RuntimeProcess {
  const own = findRuntime(env);
  if (own.kind === "node") return own;
  const found = onPath();
  if (found?.kind === "node") return found;
  throw new CliError(
    "vitest's worker pool requires Node, and the PATH has no Node 22.13 or newer.",
    {
      exitCode: ExitCode.config,
      hint: "Install Node (https://nodejs.org), or run the tests without --pool.",
    },
  );

  function onPath(): RuntimeProcess | undefined {
    try {
      return findRuntime(env, { execPath: "", versions: {} });
    } catch (error) {
      if (error instanceof CliError) return undefined;
      throw error;
    }
  }
}

/** Output folder of Deno's own `--coverage`. */
const COVERAGE = "coverage";

/**
 * Runs the tests and reports code coverage. Deno does not keep compiled code of modules that a test
 * context has loaded and leaves uncompiled files out of the report, so that the rest could show 100
 * %: they are compiled again first.
 */
async function measureWithDeno(
  deno: string,
  run: ToolRun,
  { args, files, watch, appDir }: TestOptions & { args: string[] },
): Promise<ToolResult> {
  const quiet: ToolRun = { ...run, stdio: "pipe" };
  const measure = [...args, `--coverage=${COVERAGE}`, "--clean"];
  if (watch) return await runProgram(deno, [...measure, ...files], run);
  const tested = await runProgram(deno, [...measure, "--coverage-raw-data-only", ...files], run);
  if (tested.code !== 0) return tested;
  const sources = sourcesIn(appDir);
  if (sources.length > 0) {
    await runProgram(deno, ["cache", "--quiet", "--no-check", ...sources], quiet);
  }
  const report = ["coverage", ...UNCOUNTED.map((pattern) => `--exclude=${pattern}`), COVERAGE];
  const { stderr } = await runProgram(deno, report, quiet);
  const missing = [...stderr.matchAll(/Missing transpiled source code for: "([^"]+)"/g)]
    .map(([, url]) => url!);
  if (missing.length > 0) {
    throw new CliError(
      `The coverage of these files could not be determined, and without them the figures would be wrong: ${
        missing.join(", ")
      }.`,
      { hint: "Run `deno check` on them to see why they do not compile, then test again." },
    );
  }
  return await runProgram(deno, report, run);
}

/** Files that Deno excludes by itself, and stylesheets, which a test context loads as modules. */
const UNCOUNTED = ["test\\.(js|mjs|ts|jsx|tsx)$", "\\.css$"];

function sourcesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

function findDenoConfig(root: string): string | undefined {
  return ["deno.json", "deno.jsonc"].map((name) => join(root, name)).find(existsSync);
}

/** Returns the name of vitest's configuration file, which may also be Vite's. */
function findVitestConfig(root: string, names = ["vitest.config"]): string | undefined {
  const endings = ["ts", "mts", "cts", "js", "mjs", "cjs"];
  return names.flatMap((name) => endings.map((ending) => `${name}.${ending}`))
    .find((file) => existsSync(join(root, file)));
}

/** Requires a test configuration: vitest's own errors would name unrelated files and packages. */
function demandTestConfig(root: string): void {
  if (!isListed("@framework/testing", root)) return;
  const imported = '`import { defineTestConfig } from "@framework/testing/vitest"`';
  const config = findVitestConfig(root, ["vitest.config", "vite.config"]);
  if (config === undefined) {
    throw new CliError(
      "The project has no vitest.config.ts, without which vitest cannot load the application.",
      {
        exitCode: ExitCode.config,
        hint: `Create one with ${imported} and \`export default defineTestConfig();\`.`,
      },
    );
  }
  const text = readFileSync(join(root, config), "utf8");
  const isForeign = /\benvironment["']?\s*:\s*["'`]miniflare["'`]/.test(text) &&
    !text.includes("defineTestConfig") &&
    findPackage("vitest-environment-miniflare", root) === undefined;
  if (!isForeign) return;
  throw new CliError(
    `${config} has the environment "miniflare", which vitest looks for in a package of its own.`,
    {
      exitCode: ExitCode.config,
      hint: `Write ${imported}, and defineTestConfig() in place of defineConfig().`,
    },
  );
}

/** Deno is strict unless told otherwise, and has no switch that overrules its file. */
function refuseLaxDeno(file: string): void {
  const { compilerOptions = {} } = parseJsonc(readFileSync(file, "utf8")).value as {
    compilerOptions?: Record<string, unknown>;
  };
  const pattern = /^(strict.*|noImplicitAny|noImplicitThis|alwaysStrict|useUnknownInCatch.*)$/;
  const off = Object.keys(compilerOptions).filter((key) =>
    pattern.test(key) && compilerOptions[key] === false
  );
  if (off.length === 0) return;
  throw new CliError(`${basename(file)} turns off ${off.join(", ")}, which --strict asks for.`, {
    exitCode: ExitCode.config,
    hint: `Remove it from compilerOptions in ${basename(file)}.`,
  });
}

/** Two workerds are much to install: a project that wants the pool asks for it. */
function demandPool(root: string): void {
  const { name, version } = WORKER_POOL;
  const older = "@cloudflare/vitest-pool-workers";
  if ([name, older].some((each) => findPackage(each, root) !== undefined)) return;
  throw new CliError(`The worker pool, ${name}, is not installed in this project.`, {
    exitCode: ExitCode.config,
    hint: `Run \`${installCommand(name, root, { version })}\`.`,
  });
}

/** Requires a package; the packages of vitest must have the same version. */
function demand(name: string, root: string, what: string, sameVersionAs?: string): void {
  if (findPackage(name, root) !== undefined) return;
  const version = sameVersionAs === undefined ? undefined : installedVersion(sameVersionAs, root);
  throw new CliError(`${what} is not installed in this project.`, {
    exitCode: ExitCode.config,
    hint: `Run \`${installCommand(name, root, { version })}\`.`,
  });
}
