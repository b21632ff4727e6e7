import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { bumpVersion, filesWithVersion } from "./bump.ts";
import { releaseProblems } from "./release_check.ts";
import { readJson, readWorkspace, repositoryRoot } from "./workspace.ts";

const { members } = await readWorkspace();
const version = members[0]!.version;
const named = await filesWithVersion(repositoryRoot);

async function inCopy(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "framework-bump-" });
  try {
    const manifests = ["deno.json", ...members.map((member) => `${member.folder}/deno.json`)];
    const readmes = ["README.md", ...members.map((member) => `${member.folder}/README.md`)];
    for (const file of new Set([...manifests, ...readmes, ...named, "CHANGELOG.md"])) {
      await Deno.mkdir(dirname(join(folder, file)), { recursive: true });
      await Deno.copyFile(join(repositoryRoot, file), join(folder, file));
    }
    // Right after a release nothing is unreleased.
    const changelog = join(folder, "CHANGELOG.md");
    const text = await Deno.readTextFile(changelog);
    const heading = "## Unreleased\n";
    await Deno.writeTextFile(changelog, text.replace(heading, `${heading}\n- Something.\n`));
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
    assert.deepEqual(await releaseProblems(`v${to}`, root), []);
  }));

Deno.test("bumpVersion() makes the version of a prerelease, with one section of all that it brings", () =>
  inCopy(async (root) => {
    const bump = (increment: string) => bumpVersion(increment, { root, today: "2026-01-31" });
    await assert.rejects(bump("release"), /is no prerelease/);
    const { to: first } = await bump("preminor");
    const { to: second } = await bump("prerelease");
    const [, minor] = version.split(".").map(Number);
    const next = version.replace(/\.\d+\.\d+$/, `.${minor! + 1}.0`);
    assert.deepEqual([first, second], [`${next}-0`, `${next}-1`]);
    assert.deepEqual(await bump("release"), { from: second, to: next });
    const changelog = await Deno.readTextFile(join(root, "CHANGELOG.md"));
    assert.doesNotMatch(changelog, /^## \S+-\d/m);
    assert.match(changelog, new RegExp(`^## ${next} \\(2026-01-31\\)\n\n- Something\\.`, "m"));
    assert.deepEqual(await releaseProblems(`v${next}`, root), []);
  }));

Deno.test("bumpVersion() takes the paragraph out of a README that says that nothing is published yet", () =>
  inCopy(async (root) => {
    const readme = join(root, "README.md");
    const notice = "The package is not published to a registry\nyet. Until it is, wait.";
    await Deno.writeTextFile(readme, `# Title\n\nFirst.\n\n${notice}\n\nWith Node:\n`);
    const unpublished = (problems: string[]) =>
      problems.filter((problem) => problem.includes("not published"));
    assert.ok(unpublished(await releaseProblems(`v${version}`, root))[0]?.startsWith("README.md "));
    const { to } = await bumpVersion("patch", { root, today: "2026-01-31" });
    assert.equal(await Deno.readTextFile(readme), "# Title\n\nFirst.\n\nWith Node:\n");
    assert.deepEqual(unpublished(await releaseProblems(`v${to}`, root)), []);
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
