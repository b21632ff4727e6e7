/**
 * Writes `tests/security/README.md`: which test answers which security requirement, fault or advisory.
 *
 * Usage: `deno task security-table`
 *
 * A test says what it answers in a line `// Tracks: <id>, <id>` above it or at the beginning of its body;
 * the table is made of these lines and of nothing else.
 *
 * @module
 */

import { join, relative } from "node:path";
import { FINDINGS, isFindingId } from "./security_findings.ts";
import { repositoryRoot } from "./workspace.ts";

/** One test and an id that it answers. */
export interface TrackedTest {
  id: string;
  name: string;
  /** Path from the repository's root, with forward slashes. */
  file: string;
}

const tracksLine = /^[ \t]*\/\/ Tracks: (.+)$/gm;
// With what a template takes in, which may hold another template and end its line.
const literal = /(["'`])(?<name>(?:\\.|\$\{(?:[^{}`]|`[^`]*`)*\}|(?!\1).)+)\1/.source;
// A suite's case (a property named like the test), a test, or the tests of a table.
const testNames = [
  new RegExp(String.raw`^(?:[ \t]*//.*\n)*\s*${literal}\s*:`),
  new RegExp(String.raw`(?:Deno\.test|\.step|\bit|\btest)\((?:\s*\{\s*name:)?\s*${literal}`),
  new RegExp(String.raw`\]\)\(\s*${literal}`),
];

// A test whose body has just begun.
const openings = new RegExp(
  String
    .raw`(?:(?:Deno\.test|\.step|\bit|\btest|\])\(\s*(?:\{\s*name:\s*)?|^[ \t]*(?=["'][^"'\n]+["']\s*:))${literal}`,
  "gm",
);

function findOpenedName(text: string): string | undefined {
  const code = text.replace(/(?:\s*\/\/.*)*\s*$/, "");
  const opening = [...code.matchAll(openings)].at(-1);
  if (opening === undefined) return undefined;
  return /^[^;]*=>\s*\{$/.test(code.slice(opening.index + opening[0].length))
    ? opening.groups?.["name"]
    : undefined;
}

function findName(text: string): string | undefined {
  const matches = testNames.map((pattern) => pattern.exec(text)).filter((match) => match !== null);
  const name = matches.sort((a, b) => a.index - b.index)[0]?.groups?.["name"];
  // Why a test is skipped, as a condition, is no part of its claim.
  return name?.replace(/\$\{[^{}]*`[^]*`[^{}]*\}$/, "");
}

/**
 * Finds the tests of a file that answer something.
 *
 * @throws {Error} when a line has no test, whose name is a literal, around or behind it, or names a finding that
 * `security_findings.ts` does not have.
 */
export function readTrackedTests(text: string, file: string): TrackedTest[] {
  const found: TrackedTest[] = [];
  for (const match of text.matchAll(tracksLine)) {
    const rest = text.slice(match.index + match[0].length + 1);
    const name = findOpenedName(text.slice(0, match.index)) ??
      findName(rest.split("// Tracks:")[0]!);
    if (name === undefined) {
      throw new Error(`${file}: no test follows the line "${match[0].trim()}".`);
    }
    // What follows a full stop explains.
    const [ids = ""] = match[1]!.split(/\.(?:\s|$)/);
    for (const id of ids.split(",").map((text) => text.trim())) {
      if (isFindingId(id) && !Object.hasOwn(FINDINGS, id)) {
        throw new Error(
          `${file}: no finding has the id "${id}". See scripts/security_findings.ts.`,
        );
      }
      found.push({ id, name, file });
    }
  }
  return found;
}

/** Reads every test file of the repository. */
export async function findTrackedTests(root: string = repositoryRoot): Promise<TrackedTest[]> {
  const files: string[] = [];
  for (const folder of ["auth", "cli", "testing", "scripts", "tests"]) {
    await listTests(join(root, folder), files);
  }
  const found: TrackedTest[] = [];
  for (const file of files.sort()) {
    const path = relative(root, file).replaceAll("\\", "/");
    found.push(...readTrackedTests(await Deno.readTextFile(file), path));
  }
  return found;
}

async function listTests(folder: string, files: string[]): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) {
      if (name !== "node_modules" && name !== "output") await listTests(path, files);
    } else if (/(_test|_suite|_cases|\.test)\.tsx?$/.test(name)) files.push(path);
  }
}

/** The page as Markdown. */
export function renderTable(tests: readonly TrackedTest[]): string {
  const byId = Map.groupBy(tests, ({ id }) => id);
  const ids = [...byId.keys()].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const groups: [string, (id: string) => boolean][] = [
    ["Requirements", (id) => /^R\d/.test(id)],
    ["Faults", (id) => /^F\d/.test(id)],
    ["Invariants", (id) => /^K\d/.test(id)],
    ["Advisories and reports", (id) => !/^[RFK]\d/.test(id) && !isFindingId(id)],
  ];
  const sections = groups.flatMap(([title, belongs]) => {
    const lines = ids.filter(belongs).flatMap((id) =>
      byId.get(id)!.map(({ name, file }) =>
        `| ${id} | ${name.replaceAll("|", "\\|")} | \`${file}\` |`
      )
    );
    return lines.length === 0
      ? []
      : [`## ${title}\n\n| id | test | file |\n| --- | --- | --- |\n${lines.join("\n")}\n`];
  });
  const findings = Object.entries(FINDINGS).flatMap(([id, title]) => {
    const lines = (byId.get(id) ?? []).map(({ name, file }) => `- ${name} (\`${file}\`)`);
    return lines.length === 0 ? [] : [`### ${id}\n\n${title}:\n\n${lines.join("\n")}\n`];
  });
  if (findings.length > 0) sections.push("## Findings of reviews\n", ...findings);
  return "# Which test answers what\n\n" +
    "Made by `deno task security-table` from the `Tracks:` lines of the tests; a test fails when it is\n" +
    "not current.\n\n" + sections.join("\n");
}

/** Path of the page. */
export const tablePath: string = join(repositoryRoot, "tests", "security", "README.md");

if (import.meta.main) {
  await Deno.writeTextFile(tablePath, renderTable(await findTrackedTests()));
}
