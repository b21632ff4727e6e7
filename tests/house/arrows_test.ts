import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { readMap } from "./read_map.ts";

/** Packages whose folders stand in the map from top to bottom. */
const LAYERED = ["auth", "testing"];
/** Folders of files that only tests load. */
const TESTS = ["fixtures", "tests"];
const SPECIFIER = /(?:\bfrom|\bimport)\s*\(?\s*"(\.{1,2}\/[^"]+\.tsx?)"/g;

/** Imports of every source file of a package, those of types and those of `import()` among them. */
async function readImports(path: string, files = new Map<string, string[]>()) {
  for await (const { name, isDirectory } of Deno.readDir(join(repositoryRoot, path))) {
    const file = `${path}/${name}`;
    if (isDirectory && !TESTS.includes(name)) await readImports(file, files);
    if (!/(?<!_test)\.tsx?$/.test(name)) continue;
    const text = (await Deno.readTextFile(join(repositoryRoot, file))).replace(/^ *\*.*/gm, "");
    const imports = [...text.matchAll(SPECIFIER)].map(([, to]) => join(dirname(file), to!));
    // The text of a file that a command writes imports files of the application.
    files.set(file, imports.filter((to) => existsSync(join(repositoryRoot, to))));
  }
  return files;
}

for (const name of LAYERED) {
  const layers = [...(await readMap()).keys()].filter((folder) => dirname(folder) === name);
  const files = await readImports(name);

  /** Depth of a file: entries are above all folders, `callers.ts`, `errors.ts` and `version.ts` below. */
  const depthOf = (file: string): number => {
    const [, layer, rest] = relative(".", file).split("/");
    if (rest === undefined) {
      return ["callers.ts", "errors.ts", "version.ts"].includes(layer!) ? Infinity : -1;
    }
    const depth = layers.indexOf(`${name}/${layer}`);
    assert.notEqual(depth, -1, `${file} is in no folder of the map`);
    return depth;
  };

  Deno.test(`a folder of ${name} imports only from folders below it, types included`, () => {
    const upward = [...files].flatMap(([file, imports]) =>
      imports.filter((to) => !to.startsWith(`${name}/`) || depthOf(to) < depthOf(file))
        .map((to) => `${file} → ${to}`)
    );
    assert.deepEqual(upward, []);
  });

  Deno.test(`no files of ${name} import each other in a circle, types included`, () => {
    const done = new Set<string>();
    function visit(file: string, path: string[]): void {
      assert.ok(!path.includes(file), [...path.slice(path.indexOf(file)), file].join(" → "));
      if (done.has(file)) return;
      for (const to of files.get(file) ?? []) visit(to, [...path, file]);
      done.add(file);
    }
    for (const file of files.keys()) visit(file, []);
  });
}
