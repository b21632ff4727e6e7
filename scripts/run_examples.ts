/**
 * Runs examples, all in one isolate: `deno test --doc` starts one for each, which takes longer than what it runs.
 *
 * Usage: `deno test -A --no-check scripts/run_examples.ts -- FILES`
 *
 * @module
 */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Example, readExamples } from "./examples.ts";
import { repositoryRoot } from "./workspace.ts";

const folder = await Deno.makeTempDir({ prefix: "framework-examples-" });

Deno.test.afterAll(() => Deno.remove(folder, { recursive: true }));

const examples: (Example & { file: string })[] = [];
for (const file of Deno.args) {
  const text = await Deno.readTextFile(join(repositoryRoot, file));
  const found = readExamples(text, { markdown: file.endsWith(".md") });
  examples.push(...found.map((example) => ({ file, ...example })));
}

// What tests are written with waits for every module from its import on: it comes last.
const waits = ({ text }: Example) => text.includes("@framework/testing");
examples.sort((a, b) => Number(waits(a)) - Number(waits(b)));

for (const example of examples) {
  const { file, line, language, text } = example;
  const name = `${file.replaceAll("/", "+")}+${line}.${language}`;
  // Empty lines before it, so that an error tells the line of the file.
  await Deno.writeTextFile(join(folder, name), "\n".repeat(line - 1) + text);
  const run = async () => void await import(pathToFileURL(join(folder, name)).href);
  // One that has tests of its own is a file of tests.
  if (text.includes("Deno.test(")) await run();
  else Deno.test({ name: `${file}:${line}`, sanitizeOps: !waits(example), fn: run });
}
