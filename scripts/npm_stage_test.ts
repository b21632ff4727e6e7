import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { stageMembers } from "./npm_stage.ts";
import { exists, listFiles, readWorkspace } from "./workspace.ts";

const member = { name: "@example/part", version: "1.0.0", license: "MIT", exports: {} };
const imports = {
  whole: "npm:whole@1.0.0",
  entry: "npm:entry@1.0.0",
  named: "npm:named@1.0.0",
  told: "npm:told@1.0.0",
  later: "npm:later@1.0.0",
  tested: "npm:tested@1.0.0",
  unused: "npm:unused@1.0.0",
};
const FILES = {
  "deno.json": JSON.stringify({
    workspace: ["./part"],
    nodeModulesDir: "manual",
    imports,
    compilerOptions: { strict: true },
    tasks: { test: "exit 1" },
  }),
  "deno.lock": '{ "version": "5" }',
  "part/deno.json": JSON.stringify(member),
  "part/mod.ts": [
    "/**",
    ' * import { told } from "told";',
    " */",
    'import "whole";',
    'export { one } from "entry/deep";',
    "import type {",
    "  Two,",
    '} from "named";',
    'export const three = () => import("later");',
  ].join("\n"),
  "part/main.ts": "#!/usr/bin/env node\nexport {};\n",
  "part/mod_test.ts": 'import "tested";',
  "part/tests/cases.ts": 'import "tested";',
  "part/node_modules/whole/index.js": "",
};

/** Writes a workspace, and removes it afterwards. */
async function workspace() {
  const root = await mkdtemp(join(tmpdir(), "npm-stage-"));
  for (const [file, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), text);
  }
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true }) };
}

Deno.test("stageMembers() copies what is published, and lists the packages that it imports", async () => {
  await using made = await workspace();
  let root: string;
  {
    await using stage = await stageMembers(await readWorkspace(made.root));
    root = stage.workspace.root;
    assert.deepEqual(await listFiles(root), [
      "deno.json",
      "deno.lock",
      "part/deno.json",
      "part/main.ts",
      "part/mod.ts",
    ]);
    const config = JSON.parse(await readFile(join(root, "deno.json"), "utf8"));
    assert.deepEqual(config, {
      workspace: ["./part"],
      nodeModulesDir: "auto",
      imports: { whole: imports.whole, entry: imports.entry, named: imports.named },
      compilerOptions: { strict: true },
    });
    assert.equal(await readFile(join(root, "deno.lock"), "utf8"), FILES["deno.lock"]);
    const text = (file: string) => readFile(join(root, "part", file), "utf8");
    assert.equal(await text("mod.ts"), `// @ts-nocheck\n${FILES["part/mod.ts"]}`);
    assert.equal(await text("main.ts"), "#!/usr/bin/env node\n// @ts-nocheck\nexport {};\n");
    assert.deepEqual(stage.workspace.members.map(({ path }) => path), [join(root, "part")]);
  }
  assert.equal(await exists(root), false);
});
