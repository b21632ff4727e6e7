import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { CliError } from "../terminal/exit.ts";
import {
  findEsbuildBinary,
  findPackage,
  findTypescriptBinary,
  installCommand,
  requirePackage,
  requirePackages,
} from "./packages.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));

async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "framework-tools-")));
  try {
    await test(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function install(folder: string, name: string): Promise<string> {
  const target = join(folder, "node_modules", name);
  await mkdir(target, { recursive: true });
  await writeFile(join(target, "package.json"), "{}");
  return target;
}

Deno.test("findPackage() walks up and resolves links, as Node does", () =>
  withFolder(async (folder) => {
    const store = await install(join(folder, "store"), "tool");
    await mkdir(join(folder, "node_modules"));
    await symlink(store, join(folder, "node_modules", "tool"));
    await mkdir(join(folder, "a/b"), { recursive: true });
    assert.equal(findPackage("tool", join(folder, "a/b")), store);
    assert.equal(findPackage("other", join(folder, "a/b")), undefined);
  }));

Deno.test("requirePackage() names the command that installs what is missing", () =>
  withFolder(async (folder) => {
    await writeFile(join(folder, "pnpm-lock.yaml"), "");
    assert.throws(
      () => requirePackage("framework-missing", folder),
      (error) =>
        error instanceof CliError && error.exitCode === 2 &&
        error.hint === "Run `pnpm add -D framework-missing`.",
    );
  }));

Deno.test("requirePackages() names all that are missing at once, and the one command for them", () =>
  withFolder(async (folder) => {
    await writeFile(join(folder, "pnpm-lock.yaml"), "");
    const names = ["framework-missing", "framework-other"];
    const missing = (hint: string) => (error: unknown) => {
      assert.ok(error instanceof CliError);
      assert.equal(
        error.message,
        "The packages framework-missing and framework-other are not installed in this project.",
      );
      assert.equal(error.hint, hint);
      return true;
    };
    const add = missing("Run `pnpm add -D framework-missing framework-other`.");
    assert.throws(() => requirePackages(names, folder), add);
    const listed = '{ "devDependencies": { "framework-missing": "1" } }';
    await writeFile(join(folder, "package.json"), listed);
    const rest = missing("Run `pnpm add -D framework-other`.");
    assert.throws(() => requirePackages(names, folder), rest);
    const tool = join(folder, "node_modules/framework-other");
    await mkdir(tool, { recursive: true });
    await writeFile(join(tool, "package.json"), "{}");
    assert.throws(() => requirePackages(names, folder), {
      message: "The package framework-missing is not installed in this project.",
      hint: "Run `pnpm install`.",
    });
  }));

Deno.test("installCommand() follows the project's package manager", () =>
  withFolder(async (folder) => {
    assert.equal(installCommand("x", folder), "npm install -D x");
    await writeFile(join(folder, "deno.json"), "{}");
    assert.equal(installCommand("x", folder), "deno add --dev npm:x");
    await writeFile(join(folder, "package-lock.json"), "{}");
    assert.equal(installCommand("x", folder), "npm install -D x");
    await writeFile(join(folder, "pnpm-lock.yaml"), "");
    assert.equal(installCommand("x", folder), "pnpm add -D x");
  }));

Deno.test("installCommand() adds nothing that package.json lists already", () =>
  withFolder(async (folder) => {
    await writeFile(join(folder, "package.json"), '{ "devDependencies": { "x": "1" } }');
    assert.equal(installCommand("x", folder), "deno install");
    assert.equal(installCommand("constructor", folder), "deno add --dev npm:constructor");
    await writeFile(join(folder, "package-lock.json"), "{}");
    assert.equal(installCommand("x", folder), "npm install");
    await writeFile(join(folder, "package.json"), "not JSON");
    assert.equal(installCommand("x", folder), "npm install -D x");
  }));

// Tracks: SP-W5
Deno.test("installCommand() names the version that fits", () =>
  withFolder(async (folder) => {
    await writeFile(join(folder, "package-lock.json"), "{}");
    const version = "5.0.5";
    assert.equal(installCommand("@x/ui", folder, { version }), "npm install -D @x/ui@5.0.5");
    await rm(join(folder, "package-lock.json"));
    await writeFile(join(folder, "deno.lock"), "{}");
    assert.equal(installCommand("@x/ui", folder, { version }), "deno add --dev npm:@x/ui@5.0.5");
  }));

Deno.test("findEsbuildBinary() finds the native program of this repository's esbuild", () => {
  const binary = findEsbuildBinary(repository);
  const { code, stdout } = new Deno.Command(binary, { args: ["--version"] }).outputSync();
  assert.equal(code, 0);
  assert.match(new TextDecoder().decode(stdout), /^0\.28\./);
});

Deno.test("findEsbuildBinary() says when the program for this machine is missing", () =>
  withFolder(async (folder) => {
    await install(folder, "esbuild");
    assert.equal(dirname(folder), await realpath(tmpdir()));
    assert.throws(
      () => findEsbuildBinary(folder),
      (error) => error instanceof CliError && /without @esbuild\//.test(error.message),
    );
  }));

Deno.test("findTypescriptBinary() finds the native program of a TypeScript that has one", () =>
  withFolder(async (folder) => {
    assert.equal(findTypescriptBinary(folder), undefined);
    const typescript = await install(folder, "typescript");
    const native = `@typescript/typescript-${process.platform}-${process.arch}`;
    const beside = join(await install(folder, native), "lib");
    const name = process.platform === "win32" ? "tsc.exe" : "tsc";
    await mkdir(beside);
    await writeFile(join(beside, name), "");
    assert.equal(findTypescriptBinary(folder), undefined, "an older one beside what a newer left");
    await mkdir(join(typescript, "lib"));
    await writeFile(join(typescript, "lib", "getExePath.js"), "");
    assert.equal(findTypescriptBinary(folder), join(beside, name));
    // As package managers lay it out that keep what a package needs to itself.
    const own = join(await install(typescript, native), "lib");
    await mkdir(own);
    assert.equal(findTypescriptBinary(folder), undefined, "installed without its program");
    await writeFile(join(own, name), "");
    assert.equal(findTypescriptBinary(folder), join(own, name));
  }));
