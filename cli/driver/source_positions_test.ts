import assert from "node:assert/strict";
import { createPositionMapper } from "./source_positions.ts";

/** Line 2, column 3 of the bundle is line 5, column 7 of app/page.tsx. */
const map = JSON.stringify({
  version: 3,
  sources: ["../../app/page.tsx"],
  names: [],
  mappings: ";EAIM",
});
const folders = { map: "/p/.framework/memory", root: "/p" };

Deno.test("createPositionMapper() names the place in the application's file", () => {
  const mapText = createPositionMapper({ "worker.js": map }, folders);
  assert.equal(
    mapText("Error: x\n    at Object.fetch (worker.js:2:3)"),
    "Error: x\n    at Object.fetch (app/page.tsx:5:7)",
  );
  assert.equal(mapText("at file:///worker.js:2:3"), "at app/page.tsx:5:7");
});

Deno.test("createPositionMapper() leaves other text as it is", () => {
  assert.equal(createPositionMapper({ "worker.js": map }, folders)("other.js:2:3"), "other.js:2:3");
  assert.equal(
    createPositionMapper({ "worker.js": null }, folders)("worker.js:2:3"),
    "worker.js:2:3",
  );
});
