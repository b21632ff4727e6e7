import assert from "node:assert/strict";
import { join } from "node:path";
import { commandsOf, runStep } from "./rehearse_release.ts";
import { repositoryRoot } from "./workspace.ts";

const workflow = await Deno.readTextFile(
  join(repositoryRoot, ".github", "workflows", "release.yml"),
);

Deno.test("commandsOf() finds the commands of a job, on one line and on several", () => {
  assert.deepEqual(commandsOf(workflow, "jsr"), ["deno ci", "deno publish"]);
  const repository = '--repository "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY"';
  assert.deepEqual(commandsOf(workflow, "npm"), [
    "deno ci",
    `deno task npm ${repository}`,
    `deno run -A scripts/publish.ts --provenance ${repository}`,
  ]);
  const page = commandsOf(workflow, "assets").at(-1)!.split("\n");
  assert.equal(page.length, 4);
  assert.match(page[2]!, /^gh release create .* \\$/);
  assert.equal(page[3], "  compiled/* npm/sbom/*.cdx.json");
});

Deno.test("the page of a release is the newest one's or a prerelease's, with the changelog's section", async () => {
  const folder = await Deno.makeTempDir({ prefix: "framework-page-" });
  try {
    // Programs that say what they are given.
    for (const name of ["deno", "gh"]) {
      await Deno.writeTextFile(join(folder, name), `#!/bin/sh\necho ${name} "$@"\n`, {
        mode: 0o755,
      });
    }
    for (const [tag, kind] of [["v1.2.0", "--latest"], ["v1.2.0-1", "--prerelease"]] as const) {
      const { code, stdout, stderr } = await runStep(
        folder,
        commandsOf(workflow, "assets").at(-1)!,
        {
          GITHUB_REF_NAME: tag,
          PATH: `${folder}:${Deno.env.get("PATH")}`,
        },
      );
      assert.equal(code, 0, stderr);
      assert.equal(
        stdout,
        `gh release create ${tag} --verify-tag ${kind} --notes-file notes.md compiled/* npm/sbom/*.cdx.json\n`,
      );
      const notes = await Deno.readTextFile(join(folder, "notes.md"));
      assert.equal(notes, `deno run --allow-read scripts/changelog.ts ${tag}\n`);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
