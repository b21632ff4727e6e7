import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { NOTICES_FILE, writeNotices } from "./npm_notices.ts";
import { exists } from "./workspace.ts";

const INSTALLED = {
  "node_modules/@a/hash/package.json":
    '{ "name": "@a/hash", "version": "1.2.3", "license": "MIT" }',
  "node_modules/@a/hash/LICENSE": "MIT License\n\nCopyright (c) 2022 Ada\n",
  "node_modules/.deno/oauth@3.0.0/node_modules/oauth/package.json":
    '{ "name": "oauth", "version": "3.0.0", "license": "ISC" }',
  "node_modules/.deno/oauth@3.0.0/node_modules/oauth/LICENSE.md": "# ISC License\n",
};
const MODULES = [
  "mod.js",
  "node_modules/@a/hash/sha2.js",
  "node_modules/@a/hash/_md.js",
  "node_modules/.deno/oauth@3.0.0/node_modules/oauth/build/index.js",
];

/** Notices for some modules; null for no file. */
async function noticesOf(
  modules: readonly string[],
  files: Record<string, string> = INSTALLED,
): Promise<string | null> {
  const folder = await Deno.makeTempDir({ prefix: "framework-notices-" });
  try {
    for (const [name, text] of Object.entries(files)) {
      await Deno.mkdir(dirname(join(folder, name)), { recursive: true });
      await Deno.writeTextFile(join(folder, name), text);
    }
    await writeNotices(folder, modules.map((module) => join(folder, module)));
    const file = join(folder, NOTICES_FILE);
    return await exists(file) ? await Deno.readTextFile(file) : null;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("writeNotices() writes name, version and license of each package once, by name", async () => {
  assert.equal(
    await noticesOf(MODULES),
    `# Code of other packages

The bundles for Node, Deno and Bun contain these:

## @a/hash 1.2.3

MIT

> MIT License
>
> Copyright (c) 2022 Ada

## oauth 3.0.0

ISC

> # ISC License
`,
  );
});

Deno.test("writeNotices() writes nothing when all code is the package's own", async () => {
  assert.equal(await noticesOf(["mod.js", "crypto/hash.js"]), null);
});

Deno.test("writeNotices() refuses a package without a license", async () => {
  const { "node_modules/@a/hash/LICENSE": _, ...without } = INSTALLED;
  await assert.rejects(noticesOf(MODULES, without), /@a\/hash has no license/);
});
