import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { writeTypes } from "../../cli/app/types.ts";
import { loadConfig } from "../../cli/config/load.ts";
import { readJson, readWorkspace, repositoryRoot } from "../../scripts/workspace.ts";
import { framework } from "../support/command_line.ts";
import { installNpmPackages } from "../support/npm_packages.ts";
import { readSteps } from "./guide.ts";

/** What is used of TypeScript's compiler. */
interface Compiler {
  convertCompilerOptionsFromJson(json: object, base: string): { options: object };
  createCompilerHost(options: object): Host;
  createProgram(options: { rootNames: string[]; options: object; host: Host }): {
    getSourceFile(file: string): unknown;
    getSemanticDiagnostics(file: unknown): object[];
    getSyntacticDiagnostics(file: unknown): object[];
  };
  formatDiagnostics(found: readonly object[], host: object): string;
}

interface Host {
  getSourceFile(file: string, ...rest: unknown[]): unknown;
  getCurrentDirectory(): string;
}

/** Commands of a guide that write what the types are made of. They need nothing that is installed. */
const writing =
  /^npx (?:@framework\/cli|framework) ((?:init|generate|migrate create|doctor --fix)\b.*)$/;

/**
 * Writes the files of a guide, and those of the commands that generate some, and checks the types of all that is there
 * afterwards, by the compiler options of a new application and the sources of the packages.
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

/** Creates a check that parses the packages once for all applications. */
export async function createTypeCheck(): Promise<TypeCheck> {
  const modules = await installNpmPackages({ typescript: "5.9.3" });
  const url = pathToFileURL(join(modules, "typescript", "lib", "typescript.js")).href;
  const { default: ts } = await import(url) as { default: Compiler };
  const paths = await packagePaths();
  const parsed = new Map<string, unknown>();
  return async (root) => {
    const { compilerOptions } = await readJson(join(root, "tsconfig.json"));
    const own = { ...compilerOptions as object, paths: { ...paths, "#app/*": [`${root}/app/*`] } };
    const { options } = ts.convertCompilerOptionsFromJson(own, root);
    const host = ts.createCompilerHost(options);
    // Where the names in `types` lead to.
    host.getCurrentDirectory = () => root;
    const parse = host.getSourceFile.bind(host);
    host.getSourceFile = (file, ...rest) => {
      if (file.startsWith(root)) return parse(file, ...rest);
      if (!parsed.has(file)) parsed.set(file, parse(file, ...rest));
      return parsed.get(file);
    };
    const rootNames = await sources(root);
    const program = ts.createProgram({ rootNames, options, host });
    const found = rootNames.map((file) => program.getSourceFile(file)).flatMap((source) => [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
    ]);
    return ts.formatDiagnostics(found, {
      getCurrentDirectory: () => root,
      getCanonicalFileName: (name: string) => name,
      getNewLine: () => "\n",
    });
  };
}

/** Sources of the packages by the names of their entries. */
async function packagePaths(): Promise<Record<string, string[]>> {
  const { members } = await readWorkspace();
  return Object.fromEntries(
    members.flatMap(({ exports, name, path }) =>
      Object.entries(exports).map(([entry, file]) => [name + entry.slice(1), [join(path, file)]])
    ),
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
