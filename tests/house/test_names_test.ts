import assert from "node:assert/strict";
import { basename, dirname, join } from "node:path";
import { listFiles, repositoryRoot } from "../../scripts/workspace.ts";

const PACKAGES = ["auth", "cli", "testing", "scripts"];
/** Folders of tests that cross other folders, and of files that are only read. */
const APART = /(?:^|\/)(?:fixtures|node_modules|starter|tests)(?:\/|$)/;
const TEST = /([^/]+)_test\.tsx?$/;

Deno.test("a test beside the code begins with the name of the file or folder that it tests", async () => {
  const files: string[] = [];
  for (const root of PACKAGES) {
    const listed = await listFiles(join(repositoryRoot, root), (folder) => !APART.test(folder));
    files.push(...listed.map((file) => `${root}/${file}`.replaceAll("\\", "/")));
  }
  const sources = files.filter((file) => !TEST.test(file));

  const misnamed = files.filter((file) => {
    const name = TEST.exec(file)?.[1];
    if (name === undefined) return false;
    const folder = `${dirname(file)}/`;
    const beside = sources.filter((source) => source.startsWith(folder))
      .map((source) => source.slice(folder.length).replace(/[./].*$/, ""));
    const known = [basename(folder), ...beside];
    return !known.some((one) => name === one || name.startsWith(`${one}_`));
  });
  assert.deepEqual(misnamed, []);
});
