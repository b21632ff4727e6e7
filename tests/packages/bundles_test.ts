import * as esbuild from "esbuild";
import assert from "node:assert/strict";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { measure, readBudgets } from "../../scripts/budgets.ts";
import { run } from "../../scripts/run_command.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { inMatrix } from "../support/matrix.ts";
import { findNodes, nodeIsAvailable } from "../support/node.ts";
import { type Consumer, installConsumer } from "./consumer.ts";

let consumer: Consumer;
Deno.test.beforeAll(async () => {
  consumer = await installConsumer();
});
Deno.test.afterAll(() => (consumer as Consumer | undefined)?.remove());

const noNode = nodeIsAvailable ? "" : " [unavoidable: the registry has no Node for this machine]";
const WORKERS = [
  "worker with OpenID Connect",
  // What they weigh by the source is in the budgets in every run.
  ...inMatrix ? ["minimal worker", "worker with providers alone"] : [],
];

/** Bundles an application from the installed packages, and says which files are in it. */
async function bundle(
  entry: string,
  conditions: string[],
): Promise<{ files: string[]; bytes: number; gzipBytes: number }> {
  const source = await Deno.readTextFile(join(repositoryRoot, entry));
  const { metafile, outputFiles } = await esbuild.build({
    stdin: { contents: source, loader: "ts", resolveDir: consumer.folder },
    absWorkingDir: consumer.folder,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    target: "es2022",
    conditions,
    external: ["node:*", "cloudflare:*"],
    logLevel: "silent",
  });
  await esbuild.stop();
  const [output] = Object.values(metafile.outputs);
  const [{ contents }] = outputFiles as [esbuild.OutputFile];
  return {
    files: Object.entries(output!.inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file),
    bytes: contents.length,
    gzipBytes: gzipSync(contents, { level: 9 }).length,
  };
}

/** Runs a process in the folder of the installed packages and returns its output. */
async function answerOf(program: string, args: string[], script: string): Promise<unknown> {
  const file = join(consumer.folder, "ask.mjs");
  await Deno.writeTextFile(file, script);
  return JSON.parse((await run(program, [...args, file], { cwd: consumer.folder })).stdout);
}

Deno.test({
  name:
    "an installed package is the same two files for every bundler, without the code of dependencies unused",
  // The bundler's process is one for all.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    for (const conditions of [["workerd", "worker", "browser"], ["node"], []]) {
      const { files } = await bundle("scripts/budgets/minimal_worker.ts", conditions);
      assert.deepEqual(
        files.filter((file) => file.startsWith("node_modules/")).sort(),
        ["chunks/mod-chunk.js", "mod.js"].map((file) => `node_modules/@framework/auth/${file}`),
      );
    }
  },
});

const LOADED = `import process from "node:process";
const file = import.meta.resolve("@framework/auth").split("@framework/auth/")[1];
const auth = await import("@framework/auth");
const early = process.moduleLoadList?.includes("NativeModule crypto") ?? false;
const right = await auth.verifyPassword("a password", await auth.hashPassword("a password"));
process.stdout.write(JSON.stringify({ file, early, right }));`;

Deno.test({
  name: `an installed package loads no node:crypto on Node before a password is hashed${noNode}`,
  ignore: !nodeIsAvailable,
  async fn() {
    const { oldest, newest } = await findNodes();
    for (const program of [oldest, newest]) {
      const said = await answerOf(program, [], LOADED);
      assert.deepEqual(said, { file: "mod.js", early: false, right: true });
    }
  },
});

Deno.test({
  name: `an installed package has each class once, whichever entries a process loads${noNode}`,
  ignore: !nodeIsAvailable,
  async fn() {
    const script = `import * as auth from "@framework/auth";
import * as storage from "@framework/auth/storage";
import { AuthError } from "@framework/auth/tenant";
console.log(JSON.stringify([
  auth.createSqlStorage === storage.createSqlStorage,
  auth.AuthError === AuthError,
]));`;
    const { newest } = await findNodes();
    assert.deepEqual(await answerOf(newest, [], script), [true, true]);
  },
});

Deno.test({
  name:
    `an installed package shows the functions and one short line of an error that nobody catches on Node${noNode}`,
  ignore: !nodeIsAvailable,
  async fn() {
    const script = `import { createAuth } from "@framework/auth";\ncreateAuth({ nonsense: 1 });`;
    const { newest } = await findNodes();
    await assert.rejects(answerOf(newest, [], script), ({ message }: Error) => {
      assert.match(message, /^ConfigurationError: Unknown option "nonsense"/m);
      assert.match(message, /^ {4}at createAuth \(/m);
      assert.deepEqual(message.split("\n").filter((line) => line.length > 500), []);
      return true;
    });
  },
});

Deno.test("an installed package is loaded in few files by Deno", async () => {
  const args = ["run", "-A", "--no-config", "--node-modules-dir=manual"];
  const said = await answerOf(Deno.execPath(), args, LOADED);
  assert.deepEqual(said, { file: "mod.js", early: false, right: true });
});

for (const name of WORKERS) {
  Deno.test({
    name: `what is measured of the source is what the installed package weighs, of a ${name}`,
    // The bundler's process is one for all.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const budget = (await readBudgets())[name]!;
      const measured = await measure(budget);
      const { bytes, gzipBytes } = await bundle(budget.entry, ["workerd", "worker", "browser"]);
      assert.ok(
        Math.abs(bytes - measured.minifiedBytes) < 0.01 * bytes,
        `${bytes} bytes installed`,
      );
      // What a bundler cannot drop from the bundle; the order of the code alone makes 1 % when it is compressed.
      assert.ok(gzipBytes < 1.02 * measured.gzipBytes, `${gzipBytes} bytes compressed`);
    },
  });
}
