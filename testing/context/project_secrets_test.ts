import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSecrets } from "./project.ts";

Deno.test("readSecrets() reads .dev.vars, and needs none", async () => {
  const folder = await mkdtemp(join(tmpdir(), "secrets-"));
  try {
    assert.deepEqual(readSecrets(folder), {});
    await writeFile(join(folder, ".dev.vars"), "# secrets\nA=1\nB='two words' # why\n");
    assert.deepEqual(readSecrets(folder), { A: "1", B: "two words" });
  } finally {
    await rm(folder, { recursive: true });
  }
});
