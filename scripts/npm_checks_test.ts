import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { packageProblems } from "./npm_checks.ts";
import type { Manifest } from "./npm_manifest.ts";

const manifest: Manifest = {
  name: "@framework/cli",
  version: "1.0.0",
  bin: { framework: "main.js" },
  exports: { ".": { types: "./main.d.ts", default: "./main.js" } },
};
const sound: Record<string, string> = {
  "main.js": "#!/usr/bin/env node\nexport {};\n",
  "main.d.ts": "export {};\n",
  "package.json": "{}",
  "README.md": "# cli",
  "LICENSE": "MIT",
};

async function problemsOf(
  changes: Record<string, string | null>,
  of: Manifest = manifest,
): Promise<string[]> {
  const folder = await Deno.makeTempDir({ prefix: "framework-checks-" });
  try {
    for (const [name, text] of Object.entries({ ...sound, ...changes })) {
      if (text === null) continue;
      await Deno.mkdir(dirname(join(folder, name)), { recursive: true });
      await Deno.writeTextFile(join(folder, name), text);
    }
    return await packageProblems(folder, of, "/home/somebody/framework");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("packageProblems() finds nothing wrong with a sound package", async () => {
  assert.deepEqual(await problemsOf({}), []);
});

Deno.test("packageProblems() finds a program whose path npm would rewrite", async () => {
  const rewritten = { ...manifest, bin: { framework: "./main.js" } };
  assert.deepEqual(await problemsOf({}, rewritten), [
    'bin "framework": ./main.js begins with "./"',
  ]);
});

const broken: [string, Record<string, string | null>, RegExp][] = [
  [
    "lacks a declaration",
    { "main.d.ts": null },
    /export "\." has no \.\/main\.d\.ts \(a slow type/,
  ],
  ["has a bin that is no program", { "main.js": "export {};" }, /does not begin with/],
  ["has no licence", { "LICENSE": null }, /LICENSE is missing/],
  ["holds a test", { "session/cookie_test.js": "" }, /cookie_test\.js does not belong/],
  ["holds the starter's files", { "templates/starter/app/page.js": "" }, /does not belong/],
  ["holds TypeScript source", { "page.ts": "" }, /page\.ts does not belong/],
  ["mentions the machine", { "a.js": "// /home/somebody/framework/a.ts" }, /path of this machine/],
  [
    "refers to a source map that is not there",
    { "a.js": "//# sourceMappingURL=a.js.map" },
    /a\.js refers to a source map that is not there/,
  ],
  [
    "refers to one behind its code",
    { "a.js": "a(); //# sourceMappingURL=a.js.map" },
    /a\.js refers to a source map that is not there/,
  ],
  [
    "has a source map that leads out of it",
    {
      "chunks/a.js.map":
        '{ "sources": ["../main.js", "../../src/a.ts"], "sourcesContent": ["", "a"] }',
    },
    /a\.js\.map names \.\.\/\.\.\/src\/a\.ts, which is not of the package/,
  ],
  [
    "has a source map of another package's code",
    { "a.js.map": '{ "sources": ["node_modules/part/a.js"], "sourcesContent": ["a"] }' },
    /a\.js\.map names node_modules\/part\/a\.js, which is not of the package/,
  ],
  [
    "has a source map without the sources",
    { "a.js.map": '{ "sources": ["a.js", "b.js"], "sourcesContent": ["a"] }' },
    /a\.js\.map names b\.js, and does not hold it/,
  ],
  [
    "makes the address of a source file",
    { "a.js": 'new URL("./driver.ts", import.meta.url);' },
    /refers to \.\/driver\.ts/,
  ],
];

for (const [fault, changes, expected] of broken) {
  Deno.test(`packageProblems() finds a package that ${fault}`, async () => {
    const problems = await problemsOf(changes);
    assert.equal(problems.length, 1, problems.join("\n"));
    assert.match(problems[0]!, expected);
  });
}
