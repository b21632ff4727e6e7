import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { writeTypes } from "../../cli/app/types.ts";
import { loadConfig } from "../../cli/config/load.ts";
import { buildPackages, type PackedPackage } from "../../scripts/npm.ts";
import { capture } from "../../scripts/run_command.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { framework } from "../support/command_line.ts";
import { findNodes } from "../support/node.ts";
import { linkNpmPackages } from "../support/npm_packages.ts";
import { readSteps } from "./guide.ts";

/** Commands of a guide that write what the types are made of. They need nothing that is installed. */
const writing =
  /^npx (?:@framework\/cli|framework) ((?:init|generate|migrate create|doctor --fix)\b.*)$/;

/**
 * Writes the files of a guide, and those of the commands that generate some, and checks the types of all that is there
 * afterwards, by the compiler options of a new application and the packed packages.
 *
 * @param file Path of the document, below the repository.
 * @param check What `createTypeCheck()` returns.
 * @returns What the compiler says, or "".
 */
export async function guideTypeErrors(file: string, check: TypeCheck): Promise<string> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "framework-guide-types-" }));
  let cwd = folder;
  await Deno.symlink(join(repositoryRoot, "node_modules"), join(folder, "node_modules"));
  try {
    for (const step of await readSteps(file)) {
      if (step.kind === "file") {
        await Deno.mkdir(dirname(join(cwd, step.path)), { recursive: true });
        await Deno.writeTextFile(join(cwd, step.path), step.text);
        continue;
      }
      const changed = /^cd (\S+)$/.exec(step.text)?.[1];
      if (changed !== undefined) cwd = join(cwd, changed);
      const removed = /^rm (.+)$/.exec(step.text)?.[1]?.split(" ") ?? [];
      for (const path of removed) await Deno.remove(join(cwd, path));
      const words = writing.exec(step.text)?.[1]?.match(/"[^"]*"|\S+/g);
      if (!words) continue;
      const argv = words.map((word) => word.replaceAll('"', ""));
      const { code, stderr } = await framework(cwd, ...argv);
      // The doctor misses what is not installed here.
      assert.ok(
        code === 0 || argv[0] === "doctor",
        `${file}:${step.line}: ${step.text}\n${stderr}`,
      );
    }
    await writeTypes(await loadConfig(cwd));
    return await check(cwd);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Checks the types of an application, whose folder is given. */
export type TypeCheck = (root: string) => Promise<string>;

/** Runs the newest TypeScript in a folder by one of its configurations, and returns what it says. */
export async function runTypescript(root: string, config: string): Promise<string> {
  const modules = await linkNpmPackages({ typescript: "7.0.2" });
  const { newest } = await findNodes();
  const tsc = join(modules, "typescript", "bin", "tsc");
  const { stdout, stderr } = await capture(newest, [tsc, "-p", config], { cwd: root });
  return stdout + stderr;
}

/** Creates a check by the declarations of the packed packages. */
export async function createTypeCheck(): Promise<TypeCheck> {
  const { packages } = await buildPackages({ gate: false });
  const paths = Object.fromEntries(packages.flatMap(declarations));
  return async (root) => {
    const config = {
      extends: "./tsconfig.json",
      compilerOptions: { paths: { ...paths, "#app/*": ["./app/*"] } },
      files: await sources(root),
      include: [],
    };
    await Deno.writeTextFile(join(root, "tsconfig.check.json"), JSON.stringify(config));
    return await runTypescript(root, "tsconfig.check.json");
  };
}

/** Declarations of a package by the names of its entries. */
function declarations(
  { folder, manifest: { name, exports } }: PackedPackage,
): [string, [string]][] {
  return Object.entries(exports).flatMap(([entry, target]): [string, [string]][] =>
    typeof target === "string" || target.types === undefined ? [] : [[
      name + entry.slice(1),
      [join(repositoryRoot, "npm", folder, target.types)],
    ]]
  );
}

async function sources(root: string): Promise<string[]> {
  const files: string[] = [join(root, ".framework", "types", "app.ts")];
  for (const folder of [root, ...["app", "seeds", "tests"].map((name) => join(root, name))]) {
    files.push(...await sourcesOf(folder, folder !== root));
  }
  return files;
}

async function sourcesOf(folder: string, isDeep: boolean): Promise<string[]> {
  const files: string[] = [];
  const entries = await Array.fromAsync(Deno.readDir(folder)).catch(() => []);
  for (const { name, isDirectory } of entries) {
    const path = join(folder, name);
    if (isDirectory) files.push(...isDeep ? await sourcesOf(path, true) : []);
    else if (/\.tsx?$/.test(name)) files.push(path);
  }
  return files;
}
