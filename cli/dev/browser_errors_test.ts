import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mapPlaces } from "./browser_errors.ts";

// Tracks: AB-18
Deno.test("mapPlaces() finds places of built scripts in the application's files, as each browser writes them", async () => {
  const root = await mkdtemp(join(tmpdir(), "places-"));
  const folders = { root, assets: join(root, ".framework", "assets") };
  try {
    const built = join(folders.assets, "_framework");
    await mkdir(built, { recursive: true });
    // Line 2, column 3 of the script is line 5, column 7 of the file.
    const sources = ["../../../app/_components/a.tsx"];
    const map = { version: 3, sources, names: [], mappings: ";EAIM" };
    await writeFile(join(built, "a-b.js.map"), JSON.stringify(map));
    const mapped = (line: string) => mapPlaces(`Error: x\n${line}`, folders).split("\n")[1];
    const address = "http://localhost:8787";
    const place = "app/_components/a.tsx:5:7";
    assert.equal(mapped(`    at f (${address}/_framework/a-b.js:2:3)`), `    at f (${place})`);
    assert.equal(mapped(`    at ${address}/_framework/a-b.js?x=1:2:3`), `    at ${place}`);
    assert.equal(mapped(`f@${address}/_framework/a-b.js:2:3`), `    at f (${place})`);
    assert.equal(mapped(`@${address}/_framework/a-b.js:2:3`), `    at ${place}`);
    // Scripts of other origin, and what no map knows, keep their path.
    assert.equal(mapped(`    at f (${address}/own.js:1:2)`), "    at f (/own.js:1:2)");
    assert.equal(
      mapped(`    at ${address}/.framework/live.js:1:2`),
      "    at .framework/live.js:1:2",
    );
    assert.equal(mapped(`at ${address}/_framework/gone.js:1:2`), "at /_framework/gone.js:1:2");
    assert.equal(mapped("mail me@example.com"), "mail me@example.com");
  } finally {
    await rm(root, { recursive: true });
  }
});
