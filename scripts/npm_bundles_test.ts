import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { type BundleParts, writeBundles } from "./npm_bundles.ts";
import { listFiles } from "./workspace.ts";

// The bundler runs as a process of its own, whose pipes close after the test.
const unsanitized = { sanitizeOps: false, sanitizeResources: false };

const FILES = {
  "mod.js": 'export { hash } from "./crypto/hash.js";\nexport { Fault } from "./errors/fault.js";',
  "storage.js": 'import { Fault } from "./errors/fault.js";\n' +
    'export function open() { throw new Fault("closed"); }',
  "crypto/hash.js": 'import { begin } from "#begin";\nimport { other } from "other";\n' +
    'import { Fault } from "../errors/fault.js";\n' +
    "/** The hash. */\nexport function hash(text) { if (!text) throw new Fault(); return begin(other(text)); }\n" +
    'export const later = () => import("node:crypto");',
  "crypto/native.js": "export const begin = (text) => `native ${text}`;",
  "crypto/portable.js": "export const begin = (text) => `portable ${text}`;",
  "errors/fault.js": "export class Fault extends Error {}",
};
const PARTS: BundleParts = {
  entries: ["./mod.js", "./storage.js"],
  imports: { "#begin": { workerd: "./crypto/native.js", default: "./crypto/portable.js" } },
};

/** Bundles these files, and gives what is written by its path. */
async function bundled(
  files: Record<string, string>,
  parts: BundleParts,
): Promise<Map<string, string>> {
  const folder = await Deno.makeTempDir({ prefix: "framework-bundles-" });
  try {
    for (const [name, text] of Object.entries(files)) {
      await Deno.mkdir(dirname(join(folder, name)), { recursive: true });
      await Deno.writeTextFile(join(folder, name), text);
    }
    await writeBundles(folder, parts);
    const written = (await listFiles(folder)).filter((name) => name.startsWith("bundled/"));
    return new Map(
      await Promise.all(
        written.map(async (name) => [name, await Deno.readTextFile(join(folder, name))] as const),
      ),
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test({
  name:
    "writeBundles() writes a file for each entry, and what they share once, in readable lines without this machine's paths",
  ...unsanitized,
  fn: async () => {
    const files = await bundled(FILES, PARTS);
    const [shared, ...others] = [...files.keys()].filter((name) => name.includes("/chunks/"));
    assert.deepEqual(others, []);
    assert.deepEqual([...files.keys()].sort(), [
      shared,
      "bundled/mod.js",
      "bundled/storage.js",
    ]);
    assert.match(files.get(shared!)!, /Fault = class extends Error|class Fault extends Error/);
    const mod = files.get("bundled/mod.js")!;
    assert.match(mod, /^\/\/ crypto\/hash\.js$/m);
    assert.match(mod, /^function hash\(text\) \{\n {2}if \(!text\) throw new Fault\(\);$/m);
    assert.match(mod, /from "other"/);
    assert.doesNotMatch([...files.values()].join(""), /native|framework-bundles/);
  },
});

Deno.test({
  name: "writeBundles() leaves an import() of the platform what it is, and drops what no entry has",
  ...unsanitized,
  fn: async () => {
    assert.doesNotMatch([...(await bundled(FILES, PARTS)).values()].join(""), /node:crypto/);
    const hash = 'export { hash, later } from "./crypto/hash.js";';
    const files = await bundled({ ...FILES, "mod.js": hash }, PARTS);
    assert.match(files.get("bundled/mod.js")!, /import\("node:crypto"\)/);
  },
});

Deno.test({
  name:
    "writeBundles() takes the platform's file for Node, and the name where Deno has another one",
  ...unsanitized,
  fn: async () => {
    const portable = await bundled(FILES, PARTS);
    assert.match(portable.get("bundled/mod.js")!, /`portable \$\{text\}`/);
    const { "#begin": files } = PARTS.imports!;
    const node = { ...files!, node: "./crypto/native.js" };
    const native = await bundled(FILES, { ...PARTS, imports: { "#begin": node } });
    assert.match(native.get("bundled/mod.js")!, /`native \$\{text\}`/);
    const both = { ...node, deno: "./crypto/portable.js" };
    const named = await bundled(FILES, { ...PARTS, imports: { "#begin": both } });
    assert.match(named.get("bundled/mod.js")!, /from "#begin"/);
  },
});

Deno.test({
  name:
    "writeBundles() refuses a name of which the manifest says nothing, and a file that is not packed",
  ...unsanitized,
  fn: async () => {
    await assert.rejects(
      bundled(FILES, { entries: PARTS.entries }),
      /Nothing is known of "#begin"/,
    );
    const { "errors/fault.js": _, ...without } = FILES;
    await assert.rejects(bundled(without, PARTS), /errors\/fault\.js/);
  },
});
