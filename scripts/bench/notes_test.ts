import assert from "node:assert/strict";
import { NOTES } from "./notes.ts";

Deno.test("NOTES are about goals that the page of the benchmarks has", async () => {
  const page = new URL("../../docs/benchmarks.md", import.meta.url);
  const text = (await Deno.readTextFile(page)).replace(/\s+/g, " ");
  for (const what of Object.keys(NOTES)) assert.ok(text.includes(`${what}: `), what);
});

Deno.test("every goal that the page says is missed has a note", async () => {
  const page = new URL("../../docs/benchmarks.md", import.meta.url);
  const text = await Deno.readTextFile(page);
  const items = text.split(/\n(?=- )|\n\n/).map((item) => item.replace(/\s+/g, " "));
  const missed = items.flatMap((item) =>
    /^- \*\*Missed\*\*: (.*?): [\d.,]+(?:×| [\wµ]+), goal at /.exec(item)?.[1] ?? []
  );
  assert.ok(missed.length > 0);
  const without = missed.filter((what) => !(what in NOTES));
  assert.deepEqual(without, []);
});
