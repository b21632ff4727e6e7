import * as esbuild from "esbuild";
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Esbuild } from "../tools/bundler_and_emulator.ts";
import { type BundleOptions, createWorkerBundler, type WorkerBundle } from "./worker_bundle.ts";

interface Project {
  root: string;
  write(files: Record<string, string>): Promise<void>;
  build(): Promise<WorkerBundle>;
  /** Forgets what is in memory, as the next start of the command does. */
  restart(): Promise<void>;
  /** Runs the built worker and returns its export `value`. */
  run(bundle: WorkerBundle): Promise<unknown>;
}

const files = {
  "worker.ts": 'import { count, next } from "counter";\nimport { twice } from "twice";\n' +
    'import word from "word";\nnext();\ntwice();\nexport const value = [count(), word];\n',
  "node_modules/counter/package.json": '{ "type": "module", "main": "index.js" }',
  "node_modules/counter/index.js":
    "let n = 0;\nexport const next = () => n++;\nexport const count = () => n;\nexport const unused = 'not here';\n",
  "node_modules/twice/package.json": '{ "type": "module", "main": "index.js" }',
  "node_modules/twice/index.js":
    'import { next } from "counter";\nexport const twice = () => { next(); next(); };\n',
  "node_modules/word/package.json": '{ "type": "module", "main": "index.js" }',
  "node_modules/word/index.js": "export default 'first';\n",
};

async function withProject(test: (project: Project) => Promise<void>): Promise<void> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "framework-bundle-")));
  let bundler = createWorkerBundler();
  const options: BundleOptions = {
    absWorkingDir: root,
    entryPoints: { worker: "worker.ts" },
    outdir: join(root, "out"),
    bundle: true,
    external: ["node:*"],
    write: false,
    format: "esm",
    metafile: true,
    sourcemap: "linked",
    logLevel: "silent",
  };
  let runs = 0;
  async function write(files: Record<string, string>, folder = root): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
  }
  try {
    await write(files);
    await test({
      root,
      write,
      build: () => bundler.build(esbuild as unknown as Esbuild, options, true),
      async restart() {
        await bundler.dispose();
        bundler = createWorkerBundler();
      },
      async run({ result, packages }) {
        const folder = join(root, `run-${runs++}`);
        const code = result.outputFiles?.find(({ path }) => path.endsWith("worker.js"))?.text ?? "";
        const others = packages ? { ...packages.modules, "packages.js": packages.code } : {};
        await write({ "worker.js": code, "package.json": '{"type":"module"}', ...others }, folder);
        return (await import(pathToFileURL(join(folder, "worker.js")).href)).value;
      },
    });
  } finally {
    await bundler.dispose();
    await esbuild.stop();
    await rm(root, { recursive: true });
  }
}

const sanitizers = { sanitizeOps: false, sanitizeResources: false };

Deno.test(
  "createWorkerBundler() gives packages a bundle that an edit does not touch",
  sanitizers,
  () =>
    withProject(async ({ write, build, run }) => {
      const first = await build();
      assert.deepEqual(await run(first), [3, "first"]);
      assert.doesNotMatch(first.packages?.code ?? "", /not here/);
      assert.ok("node_modules/twice/index.js" in first.result.metafile.inputs);

      await write({ "worker.ts": files["worker.ts"].replace("next();", "next();next();") });
      const second = await build();
      assert.equal(second.packages, first.packages);
      assert.deepEqual(await run(second), [4, "first"]);

      await write({ "worker.ts": 'export { unused as value } from "counter";\n' });
      const third = await build();
      assert.notEqual(third.packages, first.packages);
      assert.equal(await run(third), "not here");
    }),
);

Deno.test(
  "createWorkerBundler() takes up the packages of an earlier run, unless one was changed since",
  sanitizers,
  () =>
    withProject(async ({ root, write, build, run, restart }) => {
      assert.deepEqual(await run(await build()), [3, "first"]);
      await restart();
      const cache = join(root, ".framework", "cache", "packages");
      const kept = await readFile(cache, "utf8");
      await writeFile(cache, kept.replace('"first"', '"saved"'));
      const again = await build();
      assert.deepEqual(await run(again), [3, "saved"]);
      assert.ok(again.result.metafile.inputs["node_modules/word/index.js"]);

      await restart();
      await write({ "node_modules/word/index.js": "export default 'changed';\n" });
      assert.deepEqual(await run(await build()), [3, "changed"]);

      await restart();
      await write({
        "worker.ts": 'import word from "word";\nexport const value = [1, word];\n',
      });
      assert.deepEqual(await run(await build()), [1, "changed"]);
    }),
);

Deno.test(
  "createWorkerBundler() sees that a package was changed",
  sanitizers,
  () =>
    withProject(async ({ write, build, run }) => {
      assert.deepEqual(await run(await build()), [3, "first"]);
      await write({ "node_modules/word/index.js": "export default 'the second';\n" });
      assert.deepEqual(await run(await build()), [3, "the second"]);
    }),
);

Deno.test(
  "createWorkerBundler() knows all names of a package that is imported as a namespace",
  sanitizers,
  () =>
    withProject(async ({ write, build, run }) => {
      await write({
        "worker.ts":
          'import * as all from "counter";\nall.next();\nexport const value = [all.count(), all.unused];\n',
      });
      const bundle = await build();
      assert.notEqual(bundle.packages, null);
      assert.deepEqual(await run(bundle), [1, "not here"]);
    }),
);

const WHOLE: [what: string, source: string, value: unknown, reason: string][] = [
  [
    "a dynamic import",
    'import { next } from "counter";\nnext();\nexport const value = (await import("counter")).count();\n',
    1,
    "worker.ts: it loads the package counter with import()",
  ],
  [
    "a namespace of CommonJS",
    'import * as all from "@old/common";\nexport const value = all.named;\n',
    "common",
    "worker.ts: it imports everything of the package @old/common, which is CommonJS",
  ],
  [
    "a namespace with all of a module of the platform",
    'import * as all from "passing";\nexport const value = [typeof all.randomUUID, all.own];\n',
    ["function", 1],
    "worker.ts: it imports everything of the package passing, which passes on all of a module of the platform",
  ],
  [
    "the default of CommonJS in a folder of another type",
    'import { value as inner } from "./other/file.ts";\nexport const value = inner;\n',
    { __esModule: true, named: "common", default: "by name" },
    'other/file.ts: it belongs to a package.json with another "type" than the project\'s, and imports the package ' +
    "@old/common, which is CommonJS",
  ],
];
for (const [what, source, value, reason] of WHOLE) {
  Deno.test(
    `createWorkerBundler() makes one bundle of everything for ${what}, as long as it is there`,
    sanitizers,
    () =>
      withProject(async ({ write, build, run }) => {
        await write({
          "node_modules/@old/common/package.json": "{}",
          "node_modules/@old/common/index.js":
            "exports.__esModule = true;\nexports.named = 'common';\nexports.default = 'by name';\n",
          "node_modules/passing/package.json": '{ "type": "module", "main": "index.js" }',
          "node_modules/passing/index.js": 'export * from "node:crypto";\nexport const own = 1;\n',
          "other/package.json": '{ "type": "module" }',
          "other/file.ts":
            'import word from "@old/common";\nexport const value = { ...word as object };\n',
          "worker.ts": source,
        });
        const bundle = await build();
        assert.equal(bundle.packages, null);
        assert.equal(bundle.whole, reason);
        assert.deepEqual(await run(bundle), value);
        await write({ "worker.ts": files["worker.ts"] });
        const parts = await build();
        assert.equal(parts.whole, null);
        assert.notEqual(parts.packages, null);
        assert.deepEqual(await run(parts), [3, "first"]);
      }),
  );
}

Deno.test.each([["module", { __esModule: true, default: "by name", named: "common" }], [
  "commonjs",
  "by name",
]])(
  "createWorkerBundler() gives a file of the type %s the default of a CommonJS package that Node gives it",
  sanitizers,
  (type, value) =>
    withProject(async ({ write, build, run }) => {
      await write({
        "package.json": JSON.stringify({ type }),
        "node_modules/word/package.json": "{}",
        "node_modules/word/index.js":
          "exports.__esModule = true;\nexports.named = 'common';\nexports.default = 'by name';\n",
        "worker.ts":
          'import word, { named } from "word";\nexport const value = typeof word === "string" ? word : { ...word };\n' +
          "export const other = named;\n",
      });
      const bundle = await build();
      assert.notEqual(bundle.packages, null);
      assert.equal(bundle.whole, null);
      assert.deepEqual(await run(bundle), value);
    }),
);

Deno.test(
  "createWorkerBundler() bundles a package that is installed while it runs",
  sanitizers,
  () =>
    withProject(async ({ write, build, run }) => {
      await build();
      await write({ "worker.ts": 'import { late } from "late";\nexport const value = late;\n' });
      await assert.rejects(build(), /Could not resolve "late"/);
      await write({
        "node_modules/late/package.json": '{ "type": "module", "main": "index.js" }',
        "node_modules/late/index.js": "export const late = 'here';\n",
      });
      const bundle = await build();
      assert.notEqual(bundle.packages, null);
      assert.equal(await run(bundle), "here");
    }),
);
