import * as esbuild from "esbuild";
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createPackageImports } from "./package_imports.ts";
import { type BuiltModules, createSourceModules, type Whole } from "./source_modules.ts";
import type { Esbuild } from "../tools/bundler_and_emulator.ts";

interface Project {
  write(files: Record<string, string>): Promise<void>;
  remove(path: string): Promise<void>;
  /** The modules, or why only a bundle of everything serves. */
  build(): Promise<BuiltModules | Whole>;
  /** Builds, with the names of the files that were compiled and of those whose name changed. */
  edit(files: Record<string, string>): Promise<{ compiled: number; renamed: string[] }>;
}

async function withProject(
  files: Record<string, string>,
  test: (project: Project) => Promise<void>,
): Promise<void> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "framework-modules-")));
  const sources = createSourceModules(createPackageImports());
  const options = {
    absWorkingDir: root,
    entryPoints: { worker: "worker.ts" },
    outdir: join(root, "out"),
    bundle: true,
    write: false,
    format: "esm",
    metafile: true,
    sourcemap: "linked",
    logLevel: "silent",
  };
  async function write(files: Record<string, string>): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
  }
  const build = () => sources.build(esbuild as unknown as Esbuild, options);
  let before = new Set<string>();
  try {
    await write(files);
    await test({
      write,
      build,
      remove: (path) => rm(join(root, path)),
      async edit(files) {
        const earlier = sources.compiled();
        await write(files);
        const built = await build();
        assert.ok("modules" in built);
        const all = [...built.modules, built.entry];
        const renamed = all.filter(({ name }) => !before.has(name))
          .map(({ map }) => (JSON.parse(map!) as { sources: string[] }).sources[0]!.slice(3));
        before = new Set(all.map(({ name }) => name));
        return { compiled: sources.compiled() - earlier, renamed: renamed.sort() };
      },
    });
  } finally {
    await esbuild.stop();
    await rm(root, { recursive: true });
  }
}

/** An application of so many pages, the even ones of which share a file. */
function pages(count: number): Record<string, string> {
  const files: Record<string, string> = { "lib/shared.ts": "export const shared = 1;\n" };
  const imports: string[] = [];
  for (let index = 0; index < count; index++) {
    const shared = index % 2 === 0 ? '\nimport { shared } from "../lib/shared";' : "";
    files[`app/page${index}.ts`] = `${shared}\nexport const page = [${index}${
      shared && ", shared"
    }];\n`;
    imports.push(`import * as m${index} from "./app/page${index}.ts";`);
  }
  const list = imports.map((_, index) => `m${index}`).join(", ");
  files["worker.ts"] = `${imports.join("\n")}\nexport default [${list}];\n`;
  return files;
}

const sanitizers = { sanitizeOps: false, sanitizeResources: false };

Deno.test.each([[20], [200]])(
  "createSourceModules() compiles one file for an edit among %i",
  sanitizers,
  (count) =>
    withProject(pages(count), async ({ edit }) => {
      assert.deepEqual((await edit({})).compiled, count + 2);
      assert.deepEqual(await edit({ "app/page3.ts": "export const page = 'edited';\n" }), {
        compiled: 1,
        renamed: ["app/page3.ts", "worker.ts"],
      });
      assert.deepEqual(await edit({}), { compiled: 0, renamed: [] });
      // Whoever imports it is evaluated anew, but not compiled.
      const { compiled, renamed } = await edit({ "lib/shared.ts": "export const shared = 22;\n" });
      assert.equal(compiled, 1);
      assert.equal(renamed.length, count / 2 + 2);
    }),
);

Deno.test(
  "createSourceModules() gives both files of a circle another name",
  sanitizers,
  () =>
    withProject({
      "worker.ts": 'import { a } from "./a.ts";\nexport default a;\n',
      "a.ts": 'import { b } from "./b.ts";\nexport const a = () => b;\n',
      "b.ts": 'import { a } from "./a.ts";\nexport const b = () => a;\n',
    }, async ({ edit }) => {
      await edit({});
      const { compiled, renamed } = await edit({
        "b.ts": 'import { a } from "./a.ts";\nexport const b = () => [a];\n',
      });
      assert.equal(compiled, 1);
      assert.deepEqual(renamed, ["a.ts", "b.ts", "worker.ts"]);
    }),
);

Deno.test(
  "createSourceModules() follows what is part of a file's code, and what could be imported in its place",
  sanitizers,
  () =>
    withProject({
      "worker.ts":
        'import data from "./data.json";\nimport { x } from "./x";\nexport default [data, x];\n',
      "data.json": '{ "a": 1 }',
      "x/index.ts": "export const x = 'in the folder';\n",
    }, async ({ build, edit }) => {
      const modules = async () => await build() as BuiltModules;
      await edit({});
      assert.deepEqual((await edit({ "data.json": '{ "a": 22 }' })).renamed, ["data.json"]);
      assert.match((await modules()).entry.code, /22/);
      await edit({ "x.ts": "export const x = 'beside it';\n" });
      assert.match((await modules()).modules[0]!.code, /beside it/);
    }),
);

Deno.test(
  "createSourceModules() reports a file that is gone, until it is back",
  sanitizers,
  () =>
    withProject(pages(20), async ({ write, remove, build }) => {
      await build();
      await remove("app/page5.ts");
      await assert.rejects(async () => await build(), /Could not resolve ".\/app\/page5.ts"/);
      await write({ "app/page5.ts": "export const page = 'back';\n" });
      assert.ok(await build());
    }),
);

Deno.test(
  "createSourceModules() remembers what changed beside a mistake",
  sanitizers,
  () =>
    withProject(pages(20), async ({ write, build, edit }) => {
      await edit({});
      await write({
        "lib/shared.ts": "export const shared = 'new';\n",
        "app/page2.ts": "export const page = ;\n",
      });
      await assert.rejects(async () => await build(), /Unexpected ";"/);
      const { renamed } = await edit({ "app/page2.ts": "export const page = 2;\n" });
      assert.ok(
        renamed.includes("app/page0.ts") && renamed.includes("lib/shared.ts"),
        `${renamed}`,
      );
    }),
);

Deno.test.each([
  [
    "a name that no file has",
    "import { y } from './x.ts';\nexport default y;\n",
    "worker.ts: it imports a name that a file does not export",
  ],
  ["CommonJS", "import x from './y.cjs';\nexport default x;\n", "y.cjs: it is CommonJS"],
  [
    "require()",
    "export default require('./x.ts');\n",
    "worker.ts: it loads ./x.ts with require()",
  ],
])(
  "createSourceModules() leaves %s to a bundle of everything",
  sanitizers,
  (_what, source, whole) =>
    withProject({
      "worker.ts": "export default 1;\n",
      "x.ts": "export const x = 1;\n",
      "y.cjs": "exports.y = 1;\n",
    }, async ({ write, build }) => {
      assert.ok("entry" in await build());
      await write({ "worker.ts": source });
      assert.deepEqual(await build(), { whole });
      await write({ "worker.ts": "import { x } from './x.ts';\nexport default x;\n" });
      assert.ok("entry" in await build());
    }),
);
