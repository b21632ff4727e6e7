import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

interface Module {
  specifier: string;
  error?: string;
  dependencies?: { isDynamic?: boolean; code?: { specifier?: string } }[];
}

interface ModuleGraph {
  modules: Module[];
}

function readGraph(entry: string): Module[] {
  const { code, stdout, stderr } = new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", fileURLToPath(new URL(entry, import.meta.url))],
  }).outputSync();
  const decoder = new TextDecoder();
  assert.equal(code, 0, decoder.decode(stderr));
  const graph = JSON.parse(decoder.decode(stdout)) as ModuleGraph;
  for (const { specifier, error } of graph.modules) assert.equal(error, undefined, specifier);
  return graph.modules;
}

function graphOf(entry: string): string[] {
  return readGraph(entry).map(({ specifier }) => specifier);
}

/** Modules that are loaded with an entry at once, without those that it may import later. */
function loadedWith(entry: string): Set<string> {
  const modules = new Map(readGraph(entry).map((module) => [module.specifier, module]));
  const loaded = new Set([new URL(entry, import.meta.url).href]);
  for (const specifier of loaded) {
    for (const { isDynamic, code } of modules.get(specifier)?.dependencies ?? []) {
      if (isDynamic !== true && code?.specifier !== undefined) loaded.add(code.specifier);
    }
  }
  return loaded;
}

const cli = new URL(".", import.meta.url).href;

Deno.test.each([["main.ts"], ["project.ts"], ["mod.ts"]])(
  "%s needs no package, only its own files and node: built-ins",
  (entry) => {
    const modules = graphOf(entry);
    assert.ok(modules.includes(`${cli}${entry}`));
    const foreign = modules.filter((specifier) =>
      !specifier.startsWith("node:") && !specifier.startsWith(cli)
    );
    assert.deepEqual(foreign, []);
  },
);

Deno.test("framework routes loads nothing that starts programs before it must read a configuration", () => {
  const loaded = loadedWith("commands/routes.ts");
  assert.ok(loaded.has(`${cli}app/tokens.ts`));
  for (const absent of ["node:child_process", `${cli}config/file.ts`]) {
    assert.equal(loaded.has(absent), false, absent);
  }
});
