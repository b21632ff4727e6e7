import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exampleSecrets, readSecrets } from "./project.ts";

const platform = { vars: {} };

/** A folder with files of variables. */
async function folderWith(files: Record<string, string>) {
  const root = await mkdtemp(join(tmpdir(), "secrets-"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, name), text);
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true }) };
}

Deno.test("readSecrets() reads .dev.vars, and needs none", async () => {
  await using folder = await folderWith({});
  assert.deepEqual(readSecrets(folder.root, platform), {});
  await writeFile(join(folder.root, ".dev.vars"), "# secrets\nA=1\nB='two words' # why\n");
  assert.deepEqual(readSecrets(folder.root, platform), { A: "1", B: "two words" });
});

Deno.test("readSecrets() takes from .dev.vars.example the values that .dev.vars does not name", async () => {
  await using folder = await folderWith({
    ".dev.vars.example": "A=\nB=example\nC=other\n# D=4\n",
  });
  assert.deepEqual(readSecrets(folder.root, platform), { B: "example", C: "other" });
  await writeFile(join(folder.root, ".dev.vars"), "A=1\nB=\n");
  assert.deepEqual(readSecrets(folder.root, platform), { A: "1", B: "", C: "other" });
  assert.deepEqual(exampleSecrets(folder.root, platform), { C: "other" });
});

Deno.test("readSecrets() takes what vars of the platform file has from .dev.vars, and not from its example", async () => {
  await using folder = await folderWith({
    ".dev.vars.example": 'DOMAIN=localhost\nFLAGS={"beta":false}\nOTHER=1\n',
  });
  const vars = { DOMAIN: "app.example", FLAGS: { beta: true } };
  assert.deepEqual(readSecrets(folder.root, { vars }), { OTHER: "1" });
  await writeFile(join(folder.root, ".dev.vars"), "DOMAIN=own.example\n");
  assert.deepEqual(readSecrets(folder.root, { vars }), { DOMAIN: "own.example", OTHER: "1" });
});

Deno.test("readSecrets() takes no placeholder of an example for AUTH_SECRET, which the library would refuse", async () => {
  for (const [text, isSecret] of [["change-me", false], ["x".repeat(32), true]] as const) {
    await using folder = await folderWith({ ".dev.vars.example": `AUTH_SECRET=${text}\n` });
    assert.deepEqual(readSecrets(folder.root, platform), isSecret ? { AUTH_SECRET: text } : {});
    // What somebody has set is told to be wrong.
    await writeFile(join(folder.root, ".dev.vars"), "AUTH_SECRET=short\n");
    assert.deepEqual(readSecrets(folder.root, platform), { AUTH_SECRET: "short" });
  }
});
