import assert from "node:assert/strict";
import { prose, readDocument } from "./markdown.ts";

const file = "docs/features.md";
const text = await readDocument(file);

/** Rows of all tables: the feature, and the cells of this framework and the others. */
const rows = prose(text).split("\n")
  .filter((line) => /^\| (?!feature |-)/.test(line))
  .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));

Deno.test("each row of the features says yes, in part or no, and leads to where it is shown or to the reason", () => {
  assert.ok(rows.length > 50, String(rows.length));
  const wrong = rows.filter(([, here = "", ...others]) => {
    const [, verdict, link] = /^(yes|in part|no)\b[^]*?\]\(([^)]+)\)/.exec(here) ?? [];
    const shows = verdict === "no"
      ? /^#what-is-not-here$/
      : /^(?:\w+|\.\.\/cli\/README)\.md(?:#|$)/;
    return others.length !== 3 || others.includes("") || link === undefined || !shows.test(link);
  });
  assert.deepEqual(wrong.map(([feature]) => feature), []);
  const names = rows.map(([feature]) => feature);
  assert.deepEqual(names.filter((name, index) => names.indexOf(name) !== index), []);
});

Deno.test("each feature that is missing has its reason in the last section", () => {
  const reasons = text.split("## What is not here")[1]!;
  const missing = rows.filter(([, here = ""]) => here.startsWith("no:"));
  assert.ok(missing.length >= 5);
  for (const [feature, here = ""] of missing) {
    const word = /\[(\w+)\]/.exec(here)![1]!;
    const titles = [...reasons.matchAll(/^- \*\*([^*]+)\*\*/gm)].map(([, title]) => title!);
    const found = titles.some((title) =>
      [word.slice(0, -1), ...feature!.split(/,? /).filter((part) => part.length > 4)]
        .some((part) => title.toLowerCase().includes(part.toLowerCase()))
    );
    assert.ok(found, `${feature}: no reason has a title with "${word}"`);
  }
});
