import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exampleSecrets, readSecrets } from "./project.ts";

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

Deno.test("readSecrets() takes from .dev.vars.example the values that .dev.vars does not name", async () => {
  const folder = await mkdtemp(join(tmpdir(), "secrets-"));
  try {
    await writeFile(join(folder, ".dev.vars.example"), "A=\nB=example\nC=other\n# D=4\n");
    assert.deepEqual(readSecrets(folder), { B: "example", C: "other" });
    await writeFile(join(folder, ".dev.vars"), "A=1\nB=\n");
    assert.deepEqual(readSecrets(folder), { A: "1", B: "", C: "other" });
    assert.deepEqual(exampleSecrets(folder), { C: "other" });
  } finally {
    await rm(folder, { recursive: true });
  }
});
