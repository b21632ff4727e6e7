import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { type BundleParts, groupEntries, writeBundles } from "./npm_bundles.ts";
import { findNodes, nodeIsAvailable } from "../tests/support/node.ts";
import { capture } from "./run_command.ts";
import { listFiles } from "./workspace.ts";

// The bundler runs as a process of its own, whose pipes close after the test.
const unsanitized = { sanitizeOps: false, sanitizeResources: false };

const FILES = {
  "mod.js":
    'export { hash } from "./crypto/hash.js";\nexport { Fault } from "./errors/fault.js";\n' +
    'export { later } from "./later.js";',
  "storage.js":
    'import { Fault } from "./errors/fault.js";\nimport { table } from "./table.js";\n' +
    "export function open() { throw new Fault(table); }",
  "tenant.js": 'export { table } from "./table.js";',
  "page.js": 'export { Fault } from "./errors/fault.js";\nexport { later } from "./later.js";',
  "table.js": 'export const table = "users";',
  "later.js": 'export const later = "later";',
  "crypto/hash.js": 'import { begin } from "./begin.js";\nimport { other } from "other";\n' +
    'import { Fault } from "../errors/fault.js";\n' +
    "/** The hash. */\nexport function hash(text) { if (!text) throw new Fault(); return begin(other(text)); }\n" +
    'export const later = () => import("node:crypto");',
  "crypto/begin.js": "export const begin = (text) => `begun ${text}`;",
  "errors/fault.js": "export class Fault extends Error {}",
};
const PARTS: BundleParts = {
  groups: [["./mod.js", "./storage.js", "./tenant.js"], ["./page.js"]],
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

Deno.test("groupEntries() has the entries that are to be apart in a group of their own, if there are any", () => {
  const member = {
    folder: "auth",
    path: "/repository/auth",
    name: "@framework/auth",
    version: "1.2.3",
    license: "MIT",
    exports: { ".": "./mod.ts", "./client": "./client.ts", "./tenant": "./tenant.ts" },
  };
  assert.deepEqual(groupEntries(member, ["./client"]), [["./mod.js", "./tenant.js"], [
    "./client.js",
  ]]);
  assert.deepEqual(groupEntries(member, []), [["./mod.js", "./client.js", "./tenant.js"]]);
});

Deno.test({
  name:
    "writeBundles() writes a file for each entry and one for all that those of a group share, with the names",
  ...unsanitized,
  fn: async () => {
    const files = await bundled(FILES, PARTS);
    assert.deepEqual([...files.keys()].sort(), [
      "bundled/chunks/mod-chunk.js",
      "bundled/chunks/mod-chunk.js.map",
      "bundled/mod.js",
      "bundled/mod.js.map",
      "bundled/page.js",
      "bundled/page.js.map",
      "bundled/storage.js",
      "bundled/storage.js.map",
      "bundled/tenant.js",
      "bundled/tenant.js.map",
    ]);
    // No two entries share both.
    const shared = files.get("bundled/chunks/mod-chunk.js")!;
    assert.match(shared, /Fault=class extends Error/);
    assert.match(shared, /table="users"/);
    assert.match(
      files.get("bundled/tenant.js")!,
      /^import\{table\}from"\.\/chunks\/mod-chunk\.js";/,
    );
    const mod = files.get("bundled/mod.js")!;
    assert.match(mod, /function hash\(text\)\{if\(!text\)throw new Fault;/);
    assert.match(mod, /from"other"/);
    assert.doesNotMatch([...files.values()].join(""), /framework-bundles/);
  },
});

// Tracks: AU-14
Deno.test({
  name:
    "writeBundles() writes source maps, by which a stack trace of Node names the module and its line",
  ignore: !nodeIsAvailable,
  ...unsanitized,
  fn: async () => {
    const source = {
      "package.json": '{ "type": "module" }',
      "mod.js": 'export { refuse } from "./deep/refuse.js";\nexport { part } from "part/a.js";',
      "storage.js":
        '/** Text. */\nimport "./deep/refuse.js";\nexport function open() {\n  throw 1;\n}',
      "deep/refuse.js": "/** Text. */\n\nexport function refuse() {\n  throw new Error('no');\n}",
      "node_modules/part/package.json": '{ "name": "part", "type": "module" }',
      "node_modules/part/a.js": "export const part = () => 'part';",
      "program.js": 'import { refuse } from "./bundled/mod.js";\nrefuse();',
    };
    const folder = await Deno.makeTempDir({ prefix: "framework-maps-" });
    try {
      for (const [name, text] of Object.entries(source)) {
        await Deno.mkdir(dirname(join(folder, name)), { recursive: true });
        await Deno.writeTextFile(join(folder, name), text);
      }
      await writeBundles(folder, { groups: [["./mod.js", "./storage.js"]], contains: ["part"] });
      const program = ["--enable-source-maps", join(folder, "program.js")];
      const { stderr } = await capture((await findNodes()).oldest, program);
      assert.match(stderr, /refuse .*deep\/refuse\.js:4:9\)/);
      const maps = (await listFiles(folder)).filter((name) => name.endsWith(".js.map"));
      const sources = await Promise.all(
        maps.map(async (map) => JSON.parse(await Deno.readTextFile(join(folder, map))).sources),
      );
      assert.ok(sources.flat().includes("node_modules/part/a.js"));
      assert.doesNotMatch(JSON.stringify(sources), /framework-maps/);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test({
  name: "writeBundles() writes short lines, of which Node shows the one that an error comes from",
  ...unsanitized,
  fn: async () => {
    const many = Array.from({ length: 100 }, (_, at) => `export function f${at}() { g(${at}); }`);
    const files = await bundled({ "mod.js": many.join("\n") }, { groups: [["./mod.js"]] });
    const lines = files.get("bundled/mod.js")!.split("\n");
    assert.ok(lines.every(({ length }) => length < 200));
    assert.ok(lines.length < 60, "and not one for each statement");
  },
});

Deno.test({
  name: "writeBundles() has nothing in common between two groups",
  ...unsanitized,
  fn: async () => {
    const files = await bundled(FILES, PARTS);
    assert.match(files.get("bundled/page.js")!, /Fault=class extends Error/);
    assert.doesNotMatch(files.get("bundled/page.js")!, /import/);
    assert.match(files.get("bundled/mod.js")!, /later="later"/);
  },
});

Deno.test({
  name:
    "writeBundles() contains what is used of the packages that are to be a part, and leaves the others imports",
  ...unsanitized,
  fn: async () => {
    const own = 'import { used } from "part/deep.js";\nexport { used };\nexport * from "other";';
    const installed = {
      "mod.js": own,
      "node_modules/part/package.json":
        '{ "name": "part", "type": "module", "sideEffects": false }',
      "node_modules/part/deep.js": 'export const used = "used";\nexport const unused = "unused";',
    };
    const groups = [["./mod.js"]];
    const files = await bundled(installed, { groups, contains: ["part"] });
    assert.match(files.get("bundled/mod.js")!, /"used"/);
    assert.match(files.get("bundled/mod.js")!, /from"other"/);
    assert.doesNotMatch(files.get("bundled/mod.js")!, /part|unused/);
    const without = await bundled(installed, { groups });
    assert.match(without.get("bundled/mod.js")!, /from"part\/deep\.js"/);
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
  name: "writeBundles() refuses a file that is not packed",
  ...unsanitized,
  fn: async () => {
    const { "errors/fault.js": _, ...without } = FILES;
    await assert.rejects(bundled(without, PARTS), /errors\/fault\.js/);
  },
});
