import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { CliError, ExitCode } from "../terminal/exit.ts";

/**
 * Finds an installed package by walking up the `node_modules` folders, as Node resolves it. Done by hand,
 * because a compiled command has no resolver for files outside of it.
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
 * Finds a package that a command cannot do without.
 *
 * @param name Name of the package.
 * @param root Absolute path of the project.
 * @throws {CliError} Exit code 2; the hint is the command that installs it.
 */
export function requirePackage(name: string, root: string): string {
  const found = findPackage(name, root);
  if (found !== undefined) return found;
  throw new CliError(`The package ${name} is not installed in this project.`, {
    exitCode: ExitCode.config,
    hint: `Run \`${installCommand(name, root)}\`.`,
  });
}

/**
 * The native program of the project's esbuild. (`esbuild/bin/esbuild` is a script for Node, which may be
 * missing or too old.)
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
 * The command that adds a development dependency, for the package manager whose traces the project shows.
 *
 * @param name Name of the package.
 * @param root Absolute path of the project.
 */
export function installCommand(name: string, root: string): string {
  const managers = [
    ["pnpm-lock.yaml", `pnpm add -D ${name}`],
    ["yarn.lock", `yarn add -D ${name}`],
    ["bun.lock", `bun add -d ${name}`],
    ["package-lock.json", `npm install -D ${name}`],
    ["deno.lock", `deno add --dev npm:${name}`],
    ["package.json", `npm install -D ${name}`],
    ["deno.json", `deno add --dev npm:${name}`],
  ] as const;
  const found = managers.find(([file]) => existsSync(join(root, file)));
  return found?.[1] ?? `npm install -D ${name}`;
}
