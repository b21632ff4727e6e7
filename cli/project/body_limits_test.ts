import assert from "node:assert/strict";
import { readExportedLimit } from "./body_limits.ts";

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
    ["export const bodyLimit = 1024;", "route.ts", null, /cannot be read without running it/],
    ['export const bodyLimit = ["1 MB", "2 MB"];', "route.ts", null, /cannot be read without/],
    ["export const bodyLimit = 2 * size;", "route.ts", null, /cannot be read without running it/],
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
