import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { bumpVersion, filesWithVersion } from "./bump.ts";
import { readJson, readWorkspace, repositoryRoot } from "./workspace.ts";

const { members } = await readWorkspace();
const version = members[0]!.version;
const named = await filesWithVersion(repositoryRoot);

async function inCopy(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "framework-bump-" });
  try {
    const manifests = ["deno.json", ...members.map((member) => `${member.folder}/deno.json`)];
    for (const file of [...manifests, ...named, "CHANGELOG.md"]) {
      await Deno.mkdir(dirname(join(folder, file)), { recursive: true });
      await Deno.copyFile(join(repositoryRoot, file), join(folder, file));
    }
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("bumpVersion() raises the version in every package and every file that names it", () =>
  inCopy(async (root) => {
    const { from, to } = await bumpVersion("minor", { root, today: "2026-01-31" });
    const [major, minor] = version.split(".").map(Number);
    assert.deepEqual([from, to], [version, `${major}.${minor! + 1}.0`]);
    for (const { folder } of members) {
      assert.equal((await readJson(join(root, folder, "deno.json"))).version, to);
    }
    assert.ok(named.includes("cli/version.ts") && named.includes("testing/README.md"));
    for (const file of named) {
      const text = await Deno.readTextFile(join(root, file));
      assert.ok(text.includes(to) && !text.includes(from), file);
    }
    const changelog = await Deno.readTextFile(join(root, "CHANGELOG.md"));
    assert.match(changelog, new RegExp(`^## Unreleased\n\n## ${to} \\(2026-01-31\\)\n`, "m"));
  }));

Deno.test("bumpVersion() changes nothing when Deno refuses the increment", () =>
  inCopy(async (root) => {
    await assert.rejects(bumpVersion("sideways", { root, today: "2026-01-31" }), /bump-version/);
    assert.equal((await readJson(join(root, "cli", "deno.json"))).version, version);
    const changelog = await Deno.readTextFile(join(root, "CHANGELOG.md"));
    assert.doesNotMatch(changelog, /2026-01-31/);
  }));

Deno.test("every file that names a version of the packages names the present one", async () => {
  for (const file of named) {
    const text = await Deno.readTextFile(join(repositoryRoot, file));
    assert.ok(text.includes(version), file);
  }
});
