import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { embedFiles, starterFolder, starterModule, writtenPath } from "./templates.ts";

Deno.test("starter_files.ts is what `deno task templates` makes of the starter", async () => {
  assert.equal(
    await readFile(starterModule, "utf8"),
    await embedFiles(starterFolder),
    "the starter has changed: run `deno task templates`",
  );
});

Deno.test("writtenPath() knows the stored names", () => {
  assert.equal(writtenPath("_gitignore"), ".gitignore");
  assert.equal(writtenPath("_dev.vars.example"), ".dev.vars.example");
  assert.equal(writtenPath("_package.json"), "package.json");
  assert.equal(writtenPath("_deno.json"), "deno.json");
  assert.equal(writtenPath("_tsconfig.json"), "tsconfig.json");
  assert.equal(writtenPath("app/_components/field.tsx"), "app/_components/field.tsx");
  assert.throws(() => writtenPath("_eslintrc"), /no written name is known/);
});

Deno.test("embedFiles() sorts paths, keeps text exactly and refuses what is not text", async () => {
  const folder = await mkdtemp(join(tmpdir(), "framework-embed-"));
  try {
    await mkdir(join(folder, "a"));
    await writeFile(join(folder, "z.ts"), "`${x}` \\ \"'\u2028\r\n");
    await writeFile(join(folder, "a", "_gitignore"), "x");
    const source = await embedFiles(folder);
    const module = await import(
      `data:text/javascript,${encodeURIComponent(source.replace(": Record<string, string>", ""))}`
    );
    assert.deepEqual(Object.entries(module.starterFiles), [
      ["a/.gitignore", "x"],
      ["z.ts", "`${x}` \\ \"'\u2028\r\n"],
    ]);
    await writeFile(join(folder, "image.png"), new Uint8Array([0x89, 0xff]));
    await assert.rejects(embedFiles(folder), /image\.png cannot be embedded/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
