// The rules against those of Git itself, which the format is defined by.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseIgnoreRules } from "./ignore_rules.ts";

/** Paths that Git ignores by a text. */
async function ignoredByGit(text: string, paths: string[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "ignore-"));
  try {
    const git = (args: string[], input = ""): string =>
      spawnSync("git", args, { cwd: folder, input, encoding: "utf8" }).stdout;
    git(["init", "-q"]);
    git(["config", "core.ignorecase", "true"]);
    await writeFile(join(folder, ".gitignore"), text);
    // Without -v a path that is taken in again would be in the list too.
    const out = git(["check-ignore", "-z", "-v", "-n", "--no-index", "--stdin"], paths.join("\0"));
    const fields = out.split("\0");
    assert.equal(fields.length, paths.length * 4 + 1);
    return paths.filter((_, index) => {
      const pattern = fields[index * 4 + 2]!;
      return pattern !== "" && !pattern.startsWith("!");
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

const NAMES = ["a", "b", "a.ts", "B", "ab", "a b", "#a", "!a", "a-b", "[a]", "a*", "x.map"];
const PATHS = NAMES.flatMap((
  name,
) => [name, ...NAMES.slice(0, 5).map((folder) => `${folder}/${name}`)])
  .concat(NAMES.map((name) => `a/b/${name}`), NAMES.map((name) => `b/a/a/${name}`));

const TEXTS = [
  "a",
  "/a",
  "a/",
  "a/b",
  "/b/a/",
  "*.map\n!a/x.map",
  "*\n!a/\n!a/b",
  "/*\n!/a\n/a/*\n!/a/b",
  "**/a",
  "**/a/b",
  "a/**",
  "b/**/a",
  "b/**/x.map",
  "**",
  "a**b",
  "?",
  "a?b",
  "[ab]",
  "[!a]",
  "[^a].map",
  "[a-b].ts\n[[:upper:]]",
  "\\#a\n\\!a",
  "# a comment\n\na b  ",
  "a\\ b\\ ",
  "\\[a\\]\na\\*",
  "a*\n!a.ts",
  "!a",
  "A.TS\r\nx.MAP",
  "[",
  "[z-a]",
  "a//b",
];

Deno.test("wildcards stand for characters, not for their bytes as in Git", () => {
  for (const text of ["é", "?", "[à-ü]", "[!a]"]) assert.ok(parseIgnoreRules(text)("b/é"), text);
});

Deno.test("ignored files are those that Git ignores", async (t) => {
  for (const text of TEXTS) {
    await t.step(JSON.stringify(text), async () => {
      const isIgnored = parseIgnoreRules(text);
      assert.deepEqual(PATHS.filter(isIgnored), await ignoredByGit(text, PATHS));
    });
  }
});
