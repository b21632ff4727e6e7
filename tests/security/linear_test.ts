import assert from "node:assert/strict";
import { join } from "node:path";
import { listFiles, repositoryRoot } from "../../scripts/workspace.ts";

// What is repeated inside of what is repeated, and why it is linear all the same.
const SEPARATED: ReadonlyMap<string, string> = new Map([
  [String.raw`^(?:\/[A-Za-z0-9._~-]+)+$`, "each part begins with a slash, which no part holds"],
  [String.raw`^\/(?:[A-Za-z0-9._~-]+\/)*$`, "each part ends with a slash, which no part holds"],
  [
    String.raw`^[\w!#$%&'*+\-/=?^\`{|}~]+(?:\.[\w!#$%&'*+\-/=?^\`{|}~]+)*$`.replaceAll("\\`", "`"),
    "each part begins with a dot, which no part holds",
  ],
]);

/** Regular expressions in a module, as they are written. */
function expressionsOf(code: string): string[] {
  const text = code.replace(/\/\*[^]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const literal =
    /(?<=[=(,:!&|?;\s]|return )\/(?![*/\s])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+)\/[dgimsuvy]*(?=[\s.,;)\]:]|$)/gm;
  return [...text.matchAll(literal)].map(([, source]) => source!);
}

/**
 * Returns true when an unlimited repetition is inside of a group that is itself repeated without
 * limit.
 */
function isNested(source: string): boolean {
  const bare = source.replace(/\\./g, "x").replace(/\[[^\]]*\]/g, "x");
  const open: { repeats: boolean }[] = [{ repeats: false }];
  for (let index = 0; index < bare.length; index++) {
    const character = bare[index]!;
    if (character === "(") open.push({ repeats: false });
    const isEndless = /^(?:[*+]|\{\d+,\})/.test(bare.slice(index + 1));
    if (character === ")") {
      const group = open.pop()!;
      if (group.repeats && isEndless) return true;
      open.at(-1)!.repeats ||= group.repeats || isEndless;
    } else if (isEndless && !"(|".includes(character)) {
      open.at(-1)!.repeats = true;
    }
  }
  return false;
}

// Tracks: R155
Deno.test("no regular expression of the library repeats what repeats, so none takes exponential time", async () => {
  assert.equal(isNested("^(a+)+$"), true);
  assert.equal(isNested("(?:x*y){2,}"), true);
  assert.equal(isNested("(?:a{1,3}b)*c+"), false);
  const root = join(repositoryRoot, "auth");
  const files = await listFiles(root, (folder) => folder !== "tests" && folder !== "node_modules");
  const found: string[] = [];
  let count = 0;
  for (const file of files.filter((name) => name.endsWith(".ts") && !name.endsWith("_test.ts"))) {
    for (const source of expressionsOf(await Deno.readTextFile(join(root, file)))) {
      count++;
      if (isNested(source) && !SEPARATED.has(source)) found.push(`${file}: ${source}`);
    }
  }
  assert.ok(count > 40, `${count} expressions were found`);
  assert.deepEqual(found, []);
});
