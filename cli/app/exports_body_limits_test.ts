import assert from "node:assert/strict";
import { join } from "node:path";
import { withProject } from "../../tests/support/command_line.ts";
import { readExportedLimit } from "./exports.ts";
import { findWrongExports } from "../build/bundle_request.ts";
import { scanApp } from "./scan.ts";

for (
  const [source, file, limit, problem] of [
    ['export const bodyLimit = "50 MB";', "route.ts", "50 MB", null],
    ["export const bodyLimit: BodyLimit = '1.5 GB'", "page.tsx", "1.5 GB", null],
    ['export const bodyLimit = "500 KB" satisfies BodyLimit;', "route.ts", "500 KB", null],
    [
      'export const bodyLimit = "50MB";',
      "route.ts",
      "50MB",
      /^exports the bodyLimit "50MB": write/,
    ],
    [
      'export const bodyLimit = "0 KB";',
      "route.ts",
      "0 KB",
      /^exports the bodyLimit "0 KB": write/,
    ],
    ['export const bodyLimit = "-1 MB";', "route.ts", "-1 MB", /^exports the bodyLimit "-1 MB"/],
    ["export const bodyLimit = 1024;", "route.ts", null, /cannot be read without running the file/],
    ['export const bodyLimit = ["1 MB", "2 MB"];', "route.ts", null, /cannot be read without/],
    [
      "export const bodyLimit = 2 * size;",
      "route.ts",
      null,
      /cannot be read without running the file/,
    ],
    ['export { bodyLimit } from "./limits.ts";', "route.ts", null, /cannot be read without/],
  ] as const
) {
  Deno.test(`readExportedLimit() of ${source}`, () => {
    const read = readExportedLimit(source, file);
    assert.equal(read.limit, limit);
    if (problem === null) assert.equal(read.problem, null);
    else assert.match(read.problem!, problem);
  });
}

Deno.test("a build refuses files whose bodyLimit is none, by their names", () =>
  withProject({
    "app/page.tsx": 'export const bodyLimit = "1 TB";\nexport default () => null;',
    "app/files/route.ts": "export const bodyLimit = limits.large;\nexport function POST() {}",
    "app/good/route.ts": 'export const bodyLimit = "2 GB";\nexport function POST() {}',
  }, async (root) => {
    const scan = await scanApp(join(root, "app"));
    const names = Object.fromEntries(
      scan.routes.map(({ file }) => [file, ["default", "POST", "bodyLimit"]]),
    );
    const [page, files, ...others] = findWrongExports(scan, names).sort().toReversed();
    assert.match(page!, /^app\/page\.tsx exports the bodyLimit "1 TB": write a text like/);
    assert.match(files!, /^app\/files\/route\.ts exports a bodyLimit that cannot be read/);
    assert.deepEqual(others, []);
  }));
