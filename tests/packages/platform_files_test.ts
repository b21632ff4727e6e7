import * as esbuild from "esbuild";
import assert from "node:assert/strict";
import { join } from "node:path";
import { measure, readBudgets } from "../../scripts/budgets.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { type Consumer, installConsumer } from "./consumer.ts";

let consumer: Consumer;
Deno.test.beforeAll(async () => {
  consumer = await installConsumer();
});
Deno.test.afterAll(async () => {
  await (consumer as Consumer | undefined)?.remove();
});

const ENTRY = "scripts/budgets/minimal_worker.ts";

/** Bundles the smallest application from the installed packages, and says which files are in it. */
async function bundle(conditions: string[]): Promise<{ files: string[]; bytes: number }> {
  const source = await Deno.readTextFile(join(repositoryRoot, ENTRY));
  const { metafile, outputFiles } = await esbuild.build({
    stdin: { contents: source, loader: "ts", resolveDir: consumer.folder },
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
  return { files: Object.keys(output!.inputs), bytes: outputFiles[0]!.contents.length };
}

Deno.test("an installed package hashes by the platform in workers, and by itself elsewhere", async () => {
  const worker = await bundle(["workerd", "worker", "browser"]);
  assert.deepEqual(worker.files.filter((file) => file.includes("@noble")), []);
  assert.ok(worker.files.some((file) => file.endsWith("crypto/native_sha256.js")));
  const other = await bundle([]);
  assert.ok(other.files.some((file) => file.includes("@noble/hashes/sha2")));
  assert.equal(other.files.some((file) => file.endsWith("crypto/native_sha256.js")), false);
});

Deno.test({
  name: "what is measured of the source is what the installed package weighs",
  // The bundler's process is one for all.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: comparesSizes,
});

async function comparesSizes(): Promise<void> {
  const { "minimal worker": budget } = await readBudgets();
  const measured = await measure(budget!);
  const { bytes } = await bundle(["workerd", "worker", "browser"]);
  assert.ok(Math.abs(bytes - measured.minifiedBytes) < 0.02 * bytes, `${bytes} bytes installed`);
}
