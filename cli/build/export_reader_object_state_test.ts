import assert from "node:assert/strict";
import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stateOfObjects } from "./export_reader.ts";

Deno.test("stateOfObjects() changes with the files that objects are made of, and no others", async () => {
  const root = await mkdtemp(join(tmpdir(), "framework-objects-"));
  try {
    for (const name of ["room.ts", "shared.ts", "page.ts"]) await writeFile(join(root, name), "");
    const inputs = {
      "room.ts": { imports: [{ path: "shared.ts" }] },
      "shared.ts": { imports: [{ path: "room.ts" }] },
      "page.ts": { imports: [{ path: "shared.ts" }] },
    };
    const state = (): string =>
      stateOfObjects({ inputs, outputs: {} }, { root, objects: [join(root, "room.ts")] });
    const first = state();
    await utimes(join(root, "page.ts"), 1, 1);
    assert.equal(state(), first);
    await utimes(join(root, "shared.ts"), 1, 1);
    assert.notEqual(state(), first);
    assert.equal(stateOfObjects({ inputs, outputs: {} }, { root, objects: [] }), "");
  } finally {
    await rm(root, { recursive: true });
  }
});
