// `deno task rehearse`: the release as a whole, and the transcripts of its last run.
import assert from "node:assert/strict";
import { join } from "node:path";
import { parts, rehearse, transcripts } from "../../scripts/rehearse.ts";
import { listFiles } from "../../scripts/workspace.ts";
import { inMatrix } from "../support/matrix.ts";
import { nodeIsAvailable } from "../support/node.ts";

const noNode = nodeIsAvailable ? "" : " [unavoidable: the registry has no Node for this machine]";

/** What a transcript would have of one machine or day alone. */
const PRIVATE =
  /\/(?:tmp|root|home|work|usr)\/|127\.0\.0\.1|\blocalhost\b|\d\d:\d\d|\d{4}-\d\d-\d\d/;

const BEGINNERS = ["Node 22", "Node 24", "Deno"].map((name) =>
  `auth/README.md and cli/README.md, line by line, with ${name} alone`
);

const HEADINGS: Record<string, string[]> = {
  release: ["What is no release yet", "The release", "Once more"],
  people: ["The present source is published", ...BEGINNERS],
  upgrade: [
    "The present source is published",
    "An application with x",
    "A version with other tables: minor",
    "From x to x, while x serves",
    "A version with other tables: preminor",
    "From x to x, and no way back to x",
    "From the tables of old releases to x",
  ],
};

function headingsOf(transcript: string): string[] {
  // Versions are those of the day.
  return [...transcript.matchAll(/^== (.*)/gm)].map(([, text]) =>
    text!.replace(/\d+\.\d+\.\d+(?:-\d+)?/g, "x")
  );
}

Deno.test("the transcripts of the rehearsal are whole, and have nothing of the machine", async () => {
  const files = await listFiles(transcripts);
  assert.ok(files.length > 0);
  for (const file of files) {
    const transcript = await Deno.readTextFile(join(transcripts, file));
    assert.doesNotMatch(transcript, PRIVATE, file);
    assert.deepEqual(headingsOf(transcript), HEADINGS[file.replace(/\.txt$/, "")], file);
  }
});

for (const part of inMatrix ? parts : []) {
  Deno.test({
    name: `the rehearsal's part "${part}" goes as the documents say${noNode}`,
    ignore: !nodeIsAvailable,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const transcript = await rehearse(part, () => {});
      assert.doesNotMatch(transcript, PRIVATE);
      assert.deepEqual(headingsOf(transcript), HEADINGS[part]);
    },
  });
}

Deno.test("rehearse() names the parts that there are", async () => {
  await assert.rejects(rehearse("nonsense", () => {}), /Choose from: release, people, upgrade\./);
});
