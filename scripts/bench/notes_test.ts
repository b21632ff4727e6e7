import assert from "node:assert/strict";
import { NOTES } from "./notes.ts";

Deno.test("NOTES are about goals that the sections set", async () => {
  const folder = new URL("sections/", import.meta.url);
  let text = "";
  for await (const { name } of Deno.readDir(folder)) {
    text += await Deno.readTextFile(new URL(name, folder));
  }
  for (const what of Object.keys(NOTES)) {
    // The runtime's name stands in front, or is put there.
    const goal = what.slice(what.indexOf(": ") + 2);
    assert.ok(text.includes(goal), what);
  }
});
