/**
 * Prepares the folder in which Deno packs: Deno resolves and installs every package that a workspace names before it
 * packs a member, those too that only tests import.
 *
 * @module
 */

import { dirname, join } from "node:path";
import { listFiles, readJson, type Workspace } from "./workspace.ts";

/** A copy of what is published. */
export interface Stage extends AsyncDisposable {
  /** The copy: its root, and its members in the order of the workspace's. */
  workspace: Workspace;
}

/** Folders and files that no package contains, and the starter, which the packages contain as text. */
const APART = /(^|\/)(node_modules|templates\/starter|\.[^/]*)$/;
const TEST = /_test\.tsx?$/;
const SOURCE = /\.tsx?$/;

/**
 * Line before the code of each copy: `deno pack` checks types, for which it has no option, and that takes ten times as
 * long as all the rest. Types are checked by the gate.
 */
export const UNCHECKED = "// @ts-nocheck\n";

/**
 * Specifiers of statements that import or export. What is imported when it is needed is not among them: types and files
 * of a package do not depend on it.
 */
const SPECIFIER = /^(?:(?:import|export)\b.*|\})\s*from "([^"]+)"|^import "([^"]+)"/gm;

/** Names of the shared imports that a source text imports, as a whole or by one of their entries. */
function importedNames(text: string, names: readonly string[]): string[] {
  const specifiers = [...text.matchAll(SPECIFIER)].map((match) => match[1] ?? match[2]!);
  return names.filter((name) =>
    specifiers.some((specifier) => specifier === name || specifier.startsWith(`${name}/`))
  );
}

/**
 * Copies the published files of the members into a temporary folder, whose `deno.json` lists of the shared imports
 * those that they name, at the versions of the workspace's `deno.lock`.
 *
 * @param workspace The workspace to pack.
 */
export async function stageMembers(workspace: Workspace): Promise<Stage> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "framework-pack-" }));
  const shared = Object.keys(workspace.imports);
  const named = new Set<string>();
  for (const { folder, path } of workspace.members) {
    const isTests = (name: string) => name === "tests";
    for (const file of await listFiles(path, (name) => !APART.test(name) && !isTests(name))) {
      if (TEST.test(file)) continue;
      const bytes = await Deno.readFile(join(path, file));
      const copy = join(root, folder, file);
      await Deno.mkdir(dirname(copy), { recursive: true });
      if (!SOURCE.test(file)) {
        await Deno.writeFile(copy, bytes);
        continue;
      }
      const text = new TextDecoder().decode(bytes);
      // Behind the line that names a program's runtime.
      await Deno.writeTextFile(copy, text.replace(/^(?:#!.*\n)?/, `$&${UNCHECKED}`));
      for (const name of importedNames(text, shared)) named.add(name);
    }
  }
  const { compilerOptions } = await readJson(join(workspace.root, "deno.json"));
  const members = workspace.members.map(({ folder }) => `./${folder}`);
  const imports = Object.fromEntries(
    Object.entries(workspace.imports).filter(([name]) => named.has(name)),
  );
  const config = { workspace: members, nodeModulesDir: "auto", imports, compilerOptions };
  await Deno.writeTextFile(join(root, "deno.json"), JSON.stringify(config, null, 2));
  await Deno.copyFile(join(workspace.root, "deno.lock"), join(root, "deno.lock"));
  const copies = workspace.members.map((member) => ({
    ...member,
    path: join(root, member.folder),
  }));
  return {
    workspace: { root, members: copies, imports },
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}
