import assert from "node:assert/strict";
import { join } from "node:path";
import * as auth from "../../auth/mod.ts";
import { InvalidInputError, NotFoundError } from "../../cli/runtime.ts";
import { readErrorCodes } from "../../scripts/docs_error_codes.ts";
import { listFiles, repositoryRoot } from "../../scripts/workspace.ts";

const entries = readErrorCodes(
  await Deno.readTextFile(join(repositoryRoot, "docs/error_codes.md")),
);

/** Codes that no error of the packages has, though the text of a source looks like one. */
const OTHERS = new Set([
  // Causes, as drivers have them.
  "ECONNRESET",
  "ETIMEDOUT",
  "NO_CONNECTION",
]);

/** Source files of the packages by path, without tests, templates and comments. */
async function readSources(): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const folder of ["auth", "cli", "testing"]) {
    for (const file of await listFiles(join(repositoryRoot, folder))) {
      const isSource = /\.tsx?$/.test(file) &&
        !/_test\.tsx?$|_cases\.ts$|(?:^|\/)(?:tests|templates|fixtures|node_modules)\//.test(file);
      if (!isSource) continue;
      const text = await Deno.readTextFile(join(repositoryRoot, folder, file));
      texts.set(
        `${folder}/${file}`,
        text.replace(/\/\*\*[^]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, ""),
      );
    }
  }
  return texts;
}

/** Codes by what makes errors of them: classes, their unions, results and answers; in the browser's side whatever looks like one. */
function codesIn([path, text]: [path: string, text: string]): string[] {
  if (path.startsWith("auth/client/")) {
    return [...text.matchAll(/"([A-Z]+(?:_[A-Z]+)+)"/g)].map(([, code]) => code!);
  }
  const unions = [
    ...text.matchAll(/\bcode: ((?:\s*\|?\s*"[A-Z_]+")+)/g),
    ...text.matchAll(/\btype \w+Code =((?:\s*\|?\s*"[A-Z_]+")+);/g),
  ].flatMap(([, union]) => [...union!.matchAll(/"([A-Z_]+)"/g)].map(([, code]) => code!));
  const made = [
    ...text.matchAll(/\bcode \?\? "([A-Z_]+)"/g),
    ...text.matchAll(/\b(?:new \w*Error|super)\(\s*"([A-Z_]+)"/g),
  ].map(([, code]) => code!);
  return [...unions, ...made];
}

Deno.test("every code of an error has an entry, and every entry is the code of an error", async () => {
  const found = new Set([...await readSources()].flatMap(codesIn));
  for (const other of OTHERS) assert.ok(found.delete(other), `${other} is in no source any more`);
  assert.ok(found.size > 100, `${found.size} codes were found`);
  assert.deepEqual([...found].sort(), entries.map(({ code }) => code).sort());
});

/** Makes an error of a class by a code; null where the class does not have it. */
function withCode(Class: unknown, code: string): auth.AuthError | null {
  const Constructor = Class as new (...values: unknown[]) => auth.AuthError;
  for (const values of [[undefined, { code }], [code]]) {
    try {
      const error = new Constructor(...values);
      if (error.code === code && error.status > 0 && error.message !== "") return error;
    } catch {
      // A class knows only the codes of its own table.
    }
  }
  return null;
}

/** Class and status of every code of `@framework/auth`. */
function statuses(): Map<string, { name: string; status: number }> {
  const classes = Object.entries(auth).filter(([name]) => /Error$/.test(name));
  return new Map(entries.flatMap(({ code }) =>
    classes.flatMap(([name, Class]) => {
      const error = withCode(Class, code);
      return error === null ? [] : [[code, { name, status: error.status }] as const];
    })
  ));
}

Deno.test("the entry of each error of authentication has its class and its status", () => {
  const known = statuses();
  assert.ok(known.size > 65, `${known.size} codes have a class`);
  for (const { code, classes, status } of entries) {
    const wanted = known.get(code);
    if (wanted === undefined) continue;
    assert.deepEqual({ code, status }, { code, status: wanted.status });
    assert.ok(classes.some(({ name }) => name === wanted.name), `${code}: ${wanted.name}`);
  }
});

Deno.test("the entries of an application's errors have their statuses", () => {
  for (const { code, status } of [new InvalidInputError({}), new NotFoundError()]) {
    assert.equal(entries.find((entry) => entry.code === code)?.status, status);
  }
});

Deno.test("every entry says what happened, what its developer can do, and which page tells more", () => {
  for (const { code, happened, advice, facts } of entries) {
    assert.ok(happened.length > 20, code);
    assert.match(advice, /^- \*\*Developer:\*\* \S/m, code);
    assert.match(facts, /\. See\s+\[[^\]]+\]\([^)]+\)\.$/, code);
  }
});
