import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { explainError } from "./explain.ts";

Deno.test("explainError() finds the first line of the stack that is the application's own", async () => {
  const root = await mkdtemp(join(tmpdir(), "explain-"));
  try {
    await mkdir(join(root, "app"));
    await writeFile(join(root, "app/page.tsx"), "one\n  throw two;\n");
    const text = [
      "TypeError: no two",
      "    at run (node_modules/x/index.js:1:1)",
      "    at gone (app/gone.tsx:1:1)",
      "    at loader (app/page.tsx:2:3)",
    ].join("\n");
    assert.deepEqual(explainError(text, root), {
      text,
      place: {
        message: "TypeError: no two",
        file: "app/page.tsx",
        line: 2,
        column: 3,
        lineText: "  throw two;",
        notes: [],
      },
    });
    assert.equal(explainError("Thrown: 1", root).place, null);
  } finally {
    await rm(root, { recursive: true });
  }
});
