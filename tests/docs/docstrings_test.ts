import assert from "node:assert/strict";
import { basename, join } from "node:path";
import { listFiles, repositoryRoot } from "../../scripts/workspace.ts";

/** Folders whose documentation is held; files and folders of tests are none of it. */
const FOLDERS = ["auth", "cli", "testing", "scripts"];
const NOT_SOURCE = ["node_modules", "tests", "fixtures"];
const DOCSTRING = /^[ \t]*\/\*\*[\s*]*(\S[^]*?)\*\//gm;
const QUESTION =
  /^(?:(?:At|By|For|From|In|Of|On|Since|To|Under|Until|With) (?:what|which|whom?|whose|when)|What|Whether|Where|Who|Whose|Whom|How|Which|When|Why)\b/i;
const LARGEST_SHARE = 0.002;

/** Beginnings of a file's docstrings, with the lines that they stand in. */
function beginnings(text: string): { line: number; start: string }[] {
  return [...text.matchAll(DOCSTRING)].map(({ 0: whole, 1: body, index }) => ({
    line: text.slice(0, index + whole.search(/\S/)).split("\n").length,
    start: body!.split("\n")[0]!.trim(),
  }));
}

Deno.test("docstrings name a thing or say what it does; few begin with a question's word", async () => {
  let count = 0;
  const questions: string[] = [];
  for (const folder of FOLDERS) {
    const root = join(repositoryRoot, folder);
    for (const file of await listFiles(root, (path) => !NOT_SOURCE.includes(basename(path)))) {
      if (!/\.tsx?$/.test(file) || /_test\.tsx?$|starter_files\.ts$/.test(file)) continue;
      for (const { line, start } of beginnings(await Deno.readTextFile(join(root, file)))) {
        count++;
        if (QUESTION.test(start)) questions.push(`${folder}/${file}:${line}: ${start}`);
      }
    }
  }
  assert.ok(count > 3000, `only ${count} docstrings were found`);
  const share = questions.length / count;
  assert.ok(share <= LARGEST_SHARE, `${(100 * share).toFixed(1)} %:\n${questions.join("\n")}`);
});

/** Folders that are no text of this project, or one of the past. */
const NOT_READ = ["node_modules", "output", "releases"];

Deno.test("sources, documents and tests spell email in one way", async () => {
  const found: string[] = [];
  for (const place of [...FOLDERS, "docs", "tests"]) {
    const root = join(repositoryRoot, place);
    for (const file of await listFiles(root, (path) => !NOT_READ.includes(basename(path)))) {
      if (!/\.(?:tsx?|md)$/.test(file) || /languages\/\w+\.ts$/.test(file)) continue;
      for (
        const [index, line] of (await Deno.readTextFile(join(root, file))).split("\n").entries()
      ) {
        if (/\b[Ee]-mail/.test(line)) found.push(`${place}/${file}:${index + 1}: ${line.trim()}`);
      }
    }
  }
  assert.deepEqual(found, []);
});
