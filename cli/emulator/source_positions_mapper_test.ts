import assert from "node:assert/strict";
import { createPositionMapper } from "./source_positions.ts";

/** Line 2, column 3 of the bundle is line 5, column 7 of app/page.tsx. */
const map = JSON.stringify({
  version: 3,
  sources: ["../../app/page.tsx"],
  names: [],
  mappings: ";EAIM",
});
const maps = new Map([["f/worker1.js", map], ["f/other.js", null]]);
const folders = { map: "/p/.framework/memory", root: "/p" };

Deno.test("createPositionMapper() names the place in the application's file", () => {
  const mapText = createPositionMapper(maps, folders);
  assert.equal(
    mapText("Error: x\n    at Object.fetch (f/worker1.js:2:3)"),
    "Error: x\n    at Object.fetch (app/page.tsx:5:7)",
  );
  assert.equal(mapText("at file:///f/worker1.js:2:3"), "at app/page.tsx:5:7");
  assert.equal(mapText("at file:///bundle/f/worker1.js:2:3"), "at app/page.tsx:5:7");
});

Deno.test("createPositionMapper() knows a module that came later, and forgets one that went", () => {
  const changing = new Map([["f/worker1.js", map]]);
  const mapText = createPositionMapper(changing, folders);
  assert.equal(mapText("f/worker1.js:2:3"), "app/page.tsx:5:7");
  changing.clear();
  changing.set("f/worker2.js", map);
  assert.equal(mapText("f/worker1.js:2:3"), "f/worker1.js:2:3");
  assert.equal(mapText("f/worker2.js:2:3"), "app/page.tsx:5:7");
});

Deno.test("createPositionMapper() leaves other text as it is", () => {
  const mapText = createPositionMapper(maps, folders);
  for (
    const text of ["f/other.js:2:3", "worker1.js:2:3", "g/worker1.js:2:3", "f/worker1.js:90:1"]
  ) {
    assert.equal(mapText(text), text);
  }
});
