import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { CliError, ExitCode } from "../terminal/exit.ts";

/**
 * Finds an installed package by walking up the `node_modules` folders, as Node resolves it.
 * Implemented here, because a compiled command has no resolver for files outside of it.
 *
 * @param name Name of the package, for example `esbuild`.
 * @param from Absolute path of the folder to start in.
 * @returns Real path of the package's folder; undefined when it is not installed.
 */
export function findPackage(name: string, from: string): string | undefined {
  for (let folder = from;; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", name);
    if (existsSync(join(candidate, "package.json"))) return realpathSync(candidate);
    if (dirname(folder) === folder) return undefined;
  }
}

/**
 * Finds a package that a command requires.
 *
 * @param name Name of the package.
 * @param root Absolute path of the project.
 * @throws {CliError} Exit code 2; the hint is the command that installs it.
 */
export function requirePackage(name: string, root: string): string {
  return requirePackages([name], root)[0]!;
}

/**
 * Finds packages that a command requires, and names all that are missing at once.
 *
 * @param names Names of the packages.
 * @param root Absolute path of the project.
 * @throws {CliError} Exit code 2; the hint is the command that installs them.
 */
export function requirePackages(names: readonly string[], root: string): string[] {
  const found = names.map((name) => findPackage(name, root));
  const missing = names.filter((_, index) => found[index] === undefined);
  if (missing.length === 0) return found as string[];
  const several = missing.length > 1;
  throw new CliError(
    `The package${several ? "s" : ""} ${missing.join(" and ")} ${
      several ? "are" : "is"
    } not installed in this project.`,
    { exitCode: ExitCode.config, hint: `Run \`${installCommand(missing, root)}\`.` },
  );
}

/**
 * Finds the native program of the project's esbuild. (`esbuild/bin/esbuild` is a script for Node,
 * which may be missing or too old.)
 *
 * @param root Absolute path of the project.
 * @throws {CliError} Exit code 2 when esbuild or its package for this machine is not installed.
 */
export function findEsbuildBinary(root: string): string {
  const esbuild = requirePackage("esbuild", root);
  const name = `@esbuild/${process.platform}-${process.arch}`;
  const native = findPackage(name, esbuild) ?? findPackage(name, root);
  if (native === undefined) {
    throw new CliError(`esbuild is installed without ${name}, its program for this machine.`, {
      exitCode: ExitCode.config,
      hint: "Install the project's packages again on this machine, with optional dependencies.",
    });
  }
  return join(native, process.platform === "win32" ? "esbuild.exe" : "bin/esbuild");
}

/**
 * Finds the native program of the project's TypeScript, which exists from version 7 on. (Its `bin`
 * is a script that waits for that program when it cannot become it: when interrupted, it would
 * leave the program running.)
 *
 * @param root Absolute path of the project.
 * @returns undefined for an older version, and where the program for this machine is missing.
 */
export function findTypescriptBinary(root: string): string | undefined {
  const typescript = findPackage("typescript", root);
  const name = `@typescript/typescript-${process.platform}-${process.arch}`;
  const native = typescript && (findPackage(name, typescript) ?? findPackage(name, root));
  if (native === undefined || !existsSync(join(typescript!, "lib", "getExePath.js"))) {
    return undefined;
  }
  const program = join(native, "lib", process.platform === "win32" ? "tsc.exe" : "tsc");
  return existsSync(program) ? program : undefined;
}

/** A program that installs a project's packages. */
export interface PackageManager {
  name: "npm" | "pnpm" | "yarn" | "bun" | "deno";
  /** Command that installs the packages of `package.json`. */
  install: string;
  /** Command that adds the packages named after it. */
  add: string;
  /** Option for a development dependency. */
  dev: string;
}

const managers: Record<string, PackageManager> = {
  "pnpm-lock.yaml": { name: "pnpm", install: "pnpm install", add: "pnpm add", dev: " -D" },
  "yarn.lock": { name: "yarn", install: "yarn install", add: "yarn add", dev: " -D" },
  "bun.lock": { name: "bun", install: "bun install", add: "bun add", dev: " -d" },
  "package-lock.json": { name: "npm", install: "npm install", add: "npm install", dev: " -D" },
  "deno.lock": { name: "deno", install: "deno install", add: "deno add", dev: " --dev" },
};

/**
 * Finds the package manager that a project uses.
 *
 * @param root Absolute path of the project.
 * @returns Beside it, whether its lock file is there.
 */
export function packageManager(root: string): PackageManager & { locked: boolean } {
  const lock = Object.keys(managers).find((file) => existsSync(join(root, file)));
  if (lock !== undefined) return { ...managers[lock]!, locked: true };
  // A user who runs the command with Deno has it; npm may be missing.
  const isDeno = existsSync(join(root, "package.json"))
    ? process.versions["deno"] !== undefined
    : existsSync(join(root, "deno.json"));
  return { ...managers[isDeno ? "deno.lock" : "package-lock.json"]!, locked: false };
}

/**
 * Returns the command that installs packages with the project's package manager: the plain install
 * when `package.json` already lists them, otherwise the command that adds those that it does not list to the development
 * dependencies.
 *
 * @param names Name of the package, or names of several.
 * @param root Absolute path of the project.
 * @param options `dev`: whether it is for development only, true by default. `version`: the version that fits, the
 * newest by default.
 */
export function installCommand(
  names: string | readonly string[],
  root: string,
  { dev = true, version }: { dev?: boolean; version?: string | undefined } = {},
): string {
  const manager = packageManager(root);
  const unlisted = [names].flat().filter((name) => !isListed(name, root));
  if (unlisted.length === 0) return manager.install;
  const what = unlisted.map((name) =>
    `${manager.name === "deno" ? "npm:" : ""}${version === undefined ? name : `${name}@${version}`}`
  );
  return `${manager.add}${dev ? manager.dev : ""} ${what.join(" ")}`;
}

/**
 * Returns the version of an installed package.
 *
 * @param name Name of the package.
 * @param from Absolute path of the folder to start in.
 * @returns undefined when it is not installed.
 */
export function installedVersion(name: string, from: string): string | undefined {
  const folder = findPackage(name, from);
  if (folder === undefined) return undefined;
  try {
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return typeof version === "string" ? version : undefined;
  } catch {
    return undefined;
  }
}

/** Returns true when `package.json` lists a package as a dependency of either kind. */
export function isListed(name: string, root: string): boolean {
  try {
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    return [manifest.dependencies, manifest.devDependencies].some((listed) =>
      typeof listed === "object" && listed !== null && Object.hasOwn(listed, name)
    );
  } catch {
    return false;
  }
}
