// Who can reach `withAuth` can be anybody: it must not get into what is deployed, and must not work there.
import * as esbuild from "esbuild";
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";

const root = fileURLToPath(new URL("../", import.meta.url));

async function exportsOf(member: string): Promise<Record<string, string>> {
  const { name, exports } = JSON.parse(await readFile(`${root}${member}/deno.json`, "utf8"));
  return Object.fromEntries(
    Object.entries(exports as Record<string, string>).map(([entry, file]) => [
      name + entry.slice(1),
      `${root}${member}/${file.slice(2)}`,
    ]),
  );
}

async function bundle(
  contents: string,
  alias: Record<string, string>,
): Promise<
  esbuild.BuildResult<{
    write: false;
    metafile: true;
  }>
> {
  return await Promise.resolve(esbuild.buildSync({
    stdin: { contents, resolveDir: root, loader: "ts" },
    absWorkingDir: root,
    alias,
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    target: "es2022",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*", "cloudflare:*"],
    logLevel: "silent",
  }));
}

// Tracks: R160
Deno.test({
  name: "no entry that a deployed worker imports reaches the test helpers",
  // esbuild keeps a message port.
  sanitizeResources: false,
  fn: async () => {
    const entries = { ...await exportsOf("auth"), ...await exportsOf("cli") };
    const deployed = Object.keys(entries).filter((name) =>
      name.startsWith("@framework/auth") || name === "@framework/cli/runtime"
    );
    assert.ok(deployed.length >= 5);
    const source = deployed.map((name, index) => `export * as e${index} from "${name}";`).join(
      "\n",
    );
    const { metafile, outputFiles } = await bundle(source, entries);
    const inputs = Object.keys(metafile.inputs);
    assert.ok(inputs.some((path) => path.startsWith("auth/")));
    assert.deepEqual(inputs.filter((path) => /^testing\/|@vitest|linkedom/.test(path)), []);
    assert.doesNotMatch(
      outputFiles[0]?.text ?? "",
      /withAuth|TestingError|wrapApplication|FRAMEWORK_TEST/,
    );
  },
});

// Tracks: R160
Deno.test({
  name: "createTestContext() refuses to run inside of a worker that has it in its bundle",
  // Miniflare keeps a message port and a timer.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const alias = {
      ...await exportsOf("auth"),
      ...await exportsOf("cli"),
      ...await exportsOf("testing"),
    };
    const { outputFiles } = await bundle(
      `import { createTestContext } from "@framework/testing";
       export default {
         async fetch() {
           const error = await createTestContext().catch((error) => error);
           return Response.json({ code: error.code, message: error.message });
         },
       };`,
      alias,
    );
    const miniflare = new Miniflare({
      modules: [{ type: "ESModule", path: "index.mjs", contents: outputFiles[0]?.text ?? "" }],
      compatibilityDate: "2026-08-01",
      compatibilityFlags: ["nodejs_compat"],
    });
    try {
      const response = await miniflare.dispatchFetch("http://localhost/");
      const { code, message } = await response.json() as Record<string, string>;
      assert.equal(code, "IN_WORKER", message);
    } finally {
      await miniflare.dispose();
    }
  },
});
