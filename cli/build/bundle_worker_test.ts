import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundleWorker, workerFileSource } from "./bundle_worker.ts";

const here = fileURLToPath(new URL("./", import.meta.url));
/** The smallest module: a header and nothing in it. */
const WASM = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

const FILES = {
  "index.ts": `import page from "./page.html";
import query from "./query.sql";
import data from "./data.bin";
import compiled from "./add.wasm";
import note from "./note.md";
import { old } from "./old.cjs";
import { where } from "cloudflare:workers";
export default { page, query, note, where, size: data.byteLength, compiled, joined: old("a", "b") };
`,
  "old.cjs": `const path = require("path"); exports.old = (a, b) => path.posix.join(a, b);`,
  "page.html": "<p>Page</p>",
  "query.sql": "SELECT 1",
  "note.md": "# Note",
  "data.bin": Uint8Array.of(1, 2, 3),
  "add.wasm": WASM,
};

Deno.test("bundleWorker() takes texts, data, WebAssembly and built-in modules as wrangler does", async () => {
  // Within the repository, whose esbuild is the project's.
  const root = await mkdtemp(join(here, ".bundle-"));
  try {
    for (const [name, content] of Object.entries(FILES)) await writeFile(join(root, name), content);
    const options = {
      root,
      main: join(root, "index.ts"),
      platform: { raw: { rules: [{ type: "Text", globs: ["**/*.md"] }] } },
    };
    const platformModule = (name: string) => `exports.where = ${JSON.stringify(name)};`;
    const { code, modules } = await bundleWorker({ ...options, platformModule });
    assert.deepEqual(modules, [], "WebAssembly is compiled while the code runs");
    await writeFile(join(root, "worker.mjs"), code);
    const { default: { compiled, ...values } } = await import(
      pathToFileURL(join(root, "worker.mjs")).href
    );
    assert.ok(compiled instanceof WebAssembly.Module);
    assert.deepEqual(values, {
      page: "<p>Page</p>",
      query: "SELECT 1",
      note: "# Note",
      where: "cloudflare:workers",
      size: 3,
      joined: "a/b",
    });

    const deployed = await bundleWorker(options);
    assert.deepEqual(deployed.modules.map(({ name }) => name), ["./0-add.wasm"]);
    assert.match(deployed.code, /from "\.\/0-add\.wasm"/);
    assert.match(deployed.code, /from "cloudflare:workers"/);

    await writeFile(join(root, "index.ts"), `import "./missing";`);
    await assert.rejects(bundleWorker(options), { exitCode: 3, message: /missing/ });
  } finally {
    await rm(root, { recursive: true });
  }
});

Deno.test("workerFileSource() knows the endings that wrangler does", () => {
  assert.equal(workerFileSource("/project/index.ts"), null);
  assert.equal(workerFileSource("/project/icon.svg"), null);
});
