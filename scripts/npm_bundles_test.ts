import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { type EntryGroup, groupEntries, writeBundles } from "./npm_bundles.ts";
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
const GROUPS = [
  { entries: ["./mod.js", "./storage.js", "./tenant.js"], joined: true },
  { entries: ["./page.js"], joined: false },
];

/** Bundles these files, and gives what is written by its path. */
async function bundled(
  files: Record<string, string>,
  groups: readonly EntryGroup[] = GROUPS,
): Promise<Map<string, string>> {
  const folder = await Deno.makeTempDir({ prefix: "framework-bundles-" });
  try {
    for (const [name, text] of Object.entries(files)) {
      await Deno.mkdir(dirname(join(folder, name)), { recursive: true });
      await Deno.writeTextFile(join(folder, name), text);
    }
    await writeBundles(folder, groups);
    const written = await listFiles(folder);
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
  assert.deepEqual(groupEntries(member, ["./client"]), [
    { entries: ["./mod.js", "./tenant.js"], joined: true },
    { entries: ["./client.js"], joined: false },
  ]);
  assert.deepEqual(groupEntries(member, []), [
    { entries: ["./mod.js", "./client.js", "./tenant.js"], joined: true },
  ]);
});

Deno.test({
  name:
    "writeBundles() writes a file for each entry and one for all that those of a group share, with the names",
  ...unsanitized,
  fn: async () => {
    const files = await bundled(FILES);
    assert.deepEqual([...files.keys()].sort(), [
      "chunks/mod-chunk.js",
      "chunks/mod-chunk.js.map",
      "mod.js",
      "mod.js.map",
      "page.js",
      "page.js.map",
      "storage.js",
      "storage.js.map",
      "tenant.js",
      "tenant.js.map",
    ]);
    // No two entries share both.
    const shared = files.get("chunks/mod-chunk.js")!;
    assert.match(shared, /^var Fault = class extends Error \{$/m);
    assert.match(shared, /^var table = "users";$/m);
    assert.match(
      files.get("tenant.js")!,
      /^import \{\s+table\s+\} from "\.\/chunks\/mod-chunk\.js";$/m,
    );
    const mod = files.get("mod.js")!;
    assert.match(mod, /^function hash\(text\) \{\n {2}if \(!text\) throw new Fault\(\);$/m);
    assert.match(mod, /from "other"/);
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
      "mod.js": 'export { refuse } from "./deep/refuse.js";',
      "storage.js":
        '/** Text. */\nimport "./deep/refuse.js";\nexport function open() {\n  throw 1;\n}',
      "deep/refuse.js": "/** Text. */\n\nexport function refuse() {\n  throw new Error('no');\n}",
      "program.js": 'import { refuse } from "./mod.js";\nrefuse();',
    };
    const folder = await Deno.makeTempDir({ prefix: "framework-maps-" });
    try {
      for (const [name, text] of Object.entries(source)) {
        await Deno.mkdir(dirname(join(folder, name)), { recursive: true });
        await Deno.writeTextFile(join(folder, name), text);
      }
      await writeBundles(folder, [{ entries: ["./mod.js", "./storage.js"], joined: true }]);
      await Deno.writeTextFile(join(folder, "program.js"), source["program.js"]);
      const program = ["--enable-source-maps", join(folder, "program.js")];
      const { stderr } = await capture((await findNodes()).oldest, program);
      assert.match(stderr, /refuse .*deep\/refuse\.js:4:9\)/);
      const maps = (await listFiles(folder)).filter((name) => name.endsWith(".js.map"));
      const texts = await Promise.all(maps.map((map) => Deno.readTextFile(join(folder, map))));
      assert.doesNotMatch(texts.join(""), /framework-maps/);
      const { sources, sourcesContent } = JSON.parse(
        texts[maps.indexOf("chunks/mod-chunk.js.map")]!,
      );
      assert.deepEqual(sources, ["../deep/refuse.js"]);
      assert.deepEqual(sourcesContent, [source["deep/refuse.js"]]);
      const entry = JSON.parse(texts[maps.indexOf("storage.js.map")]!);
      assert.deepEqual(entry.sources, ["storage.js"]);
      assert.deepEqual(entry.sourcesContent, [source["storage.js"]]);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test({
  name: "writeBundles() has nothing in common between two groups",
  ...unsanitized,
  fn: async () => {
    const files = await bundled(FILES);
    assert.match(files.get("page.js")!, /Fault = class extends Error/);
    assert.doesNotMatch(files.get("page.js")!, /import/);
    assert.match(files.get("mod.js")!, /later = "later"/);
  },
});

Deno.test({
  name: "writeBundles() loads with an entry that is not joined only what it needs",
  ...unsanitized,
  fn: async () => {
    const pages = {
      "page.js":
        'export { Fault } from "./fault.js";\nexport const key = () => import("./key.js");',
      "key_page.js": 'export { key } from "./key.js";\nexport { Fault } from "./fault.js";',
      "fault.js": "export class Fault extends Error {}",
      "key.js": 'export const key = "of the door";',
    };
    const entries = ["./page.js", "./key_page.js"];
    const files = await bundled(pages, [{ entries, joined: false }]);
    const loaded = ["page.js"];
    for (const file of loaded) {
      for (const [, found] of files.get(file)!.matchAll(/from "\.\/([^"]+)"/g)) loaded.push(found!);
    }
    const text = loaded.map((file) => files.get(file)).join("");
    assert.match(text, /Fault = class extends Error/);
    assert.doesNotMatch(text, /of the door/);
  },
});

Deno.test({
  name: "writeBundles() leaves every import of another package what it is",
  ...unsanitized,
  fn: async () => {
    const own = 'import { used } from "part/deep.js";\nexport { used };\nexport * from "other";';
    const installed = {
      "mod.js": own,
      "node_modules/part/package.json": '{ "name": "part", "type": "module" }',
      "node_modules/part/deep.js": 'export const used = "used";',
    };
    const mod = (await bundled(installed, [{ entries: ["./mod.js"], joined: true }])).get(
      "mod.js",
    )!;
    assert.match(mod, /from "part\/deep\.js"/);
    assert.match(mod, /from "other"/);
  },
});

Deno.test({
  name: "writeBundles() leaves none of the modules beside the bundles that contain them",
  ...unsanitized,
  fn: async () => {
    const declared = { ...FILES, "table.d.ts": "export declare const table: string;" };
    const files = await bundled(declared);
    assert.equal(files.get("table.d.ts"), declared["table.d.ts"]);
    assert.deepEqual(
      [...files.keys()].filter((name) => /^(crypto|errors|table\.js)/.test(name)),
      [],
    );
  },
});

Deno.test({
  name: "writeBundles() leaves an import() of the platform what it is, and drops what no entry has",
  ...unsanitized,
  fn: async () => {
    const scripts = [...await bundled(FILES)].filter(([name]) => name.endsWith(".js"));
    assert.doesNotMatch(scripts.map(([, text]) => text).join(""), /node:crypto/);
    const hash = 'export { hash, later } from "./crypto/hash.js";';
    const files = await bundled({ ...FILES, "mod.js": hash });
    assert.match(files.get("mod.js")!, /import\("node:crypto"\)/);
  },
});

Deno.test({
  name: "writeBundles() refuses a file that is not packed",
  ...unsanitized,
  fn: async () => {
    const { "errors/fault.js": _, ...without } = FILES;
    await assert.rejects(bundled(without), /errors\/fault\.js/);
  },
});
