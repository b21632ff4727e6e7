import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

interface ModuleGraph {
  modules: { specifier: string; error?: string }[];
}

function graphOf(entry: string): string[] {
  const { code, stdout, stderr } = new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", fileURLToPath(new URL(entry, import.meta.url))],
  }).outputSync();
  const decoder = new TextDecoder();
  assert.equal(code, 0, decoder.decode(stderr));
  const graph = JSON.parse(decoder.decode(stdout)) as ModuleGraph;
  for (const { specifier, error } of graph.modules) assert.equal(error, undefined, specifier);
  return graph.modules.map(({ specifier }) => specifier);
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
