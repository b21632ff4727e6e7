import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { withProject } from "../../tests/support/command_line.ts";
import { bundledFiles, noticesFile, packageFolders, writeNotices } from "./notices.ts";

Deno.test("packageFolders() finds the folder of each package once, wherever it is installed", () => {
  assert.deepEqual(
    packageFolders([
      "app/page.tsx",
      "node_modules/hono/dist/jsx/index.js",
      "node_modules/hono/dist/hono.js",
      "node_modules/@framework/auth/mod.js",
      "../node_modules/.deno/pg@8.0.0/node_modules/pg/lib/index.js",
      "node_modules/a/node_modules/b/index.js",
      "(disabled):node_modules/pg-native/index.js",
    ]),
    [
      "../node_modules/.deno/pg@8.0.0/node_modules/pg",
      "node_modules/@framework/auth",
      "node_modules/a/node_modules/b",
      "node_modules/hono",
    ],
  );
});

Deno.test("bundledFiles() leaves out files of which nothing is in the output", () => {
  const inputs = { "a.js": { bytesInOutput: 1 }, "b.js": { bytesInOutput: 0 } };
  const metafile = { inputs: {}, outputs: { "x.js": { exports: [], imports: [], inputs } } };
  assert.deepEqual(bundledFiles({ metafile }, null), ["a.js"]);
});

Deno.test("writeNotices() keeps the text of every licence, and tells browsers of theirs", () =>
  withProject({
    "node_modules/a/package.json": '{ "name": "a", "version": "1.0.0", "license": "MIT" }',
    "node_modules/a/LICENSE": "The text of a.\n",
    "node_modules/a/NOTICE.md": "The notice of a.\n",
    "node_modules/b/package.json": '{ "name": "b", "version": "2.0.0", "license": "ISC" }',
    "dist/worker.js": "",
  }, async (root) => {
    const dist = join(root, "dist");
    const program = ["node_modules/a", "node_modules/b"];
    await writeNotices(dist, root, { program, browser: [] });
    assert.equal(
      readFileSync(join(dist, noticesFile), "utf8"),
      "Licence notices of the packages whose code is in this build.\n\n" +
        "==== a 1.0.0, MIT ====\n\nThe text of a.\n\nThe notice of a.\n\n==== b 2.0.0, ISC ====\n",
    );
    assert.equal(existsSync(join(dist, "assets")), false);
    await writeNotices(dist, root, { program, browser: ["node_modules/b"] });
    const served = readFileSync(join(dist, "assets", noticesFile), "utf8");
    assert.match(served, /==== b 2\.0\.0, ISC ====/);
    assert.doesNotMatch(served, /text of a/);
  }));
