import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { clearLeftovers, replaceFolder } from "./production.ts";

/** No process has it: it is above the highest that Linux and macOS give out. */
const DEAD = 2 ** 22 + 1;

async function withFolders(
  folders: Record<string, string>,
  test: (root: string) => Promise<void>,
): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "framework-output-"));
  try {
    for (const [name, text] of Object.entries(folders)) {
      await mkdir(join(root, name));
      await writeFile(join(root, name, "file"), text);
    }
    await test(root);
  } finally {
    await rm(root, { recursive: true });
  }
}

// Tracks: F43
Deno.test("clearLeftovers() puts back the last build of one that was killed while it replaced it", () =>
  withFolders({ [`dist.old-${DEAD}`]: "last", [`dist.new-${DEAD}`]: "half" }, async (root) => {
    await clearLeftovers(join(root, "dist"));
    assert.deepEqual(await readdir(root), ["dist"]);
    assert.equal(await readFile(join(root, "dist/file"), "utf8"), "last");
  }));

Deno.test("clearLeftovers() leaves alone what exists, what runs, and what is no leftover", () =>
  withFolders({
    dist: "last",
    [`dist.old-${DEAD}`]: "older",
    [`dist.new-${process.pid}`]: "under way",
    "dist.new-version": "of a person",
    [`other.new-${DEAD}`]: "of another folder",
  }, async (root) => {
    await clearLeftovers(join(root, "dist"));
    assert.deepEqual((await readdir(root)).sort(), [
      "dist",
      `dist.new-${process.pid}`,
      "dist.new-version",
      `other.new-${DEAD}`,
    ]);
    assert.equal(await readFile(join(root, "dist/file"), "utf8"), "last");
    await clearLeftovers(join(root, "no/such/dist"));
  }));

Deno.test("replaceFolder() puts the new folder in the place of the old one, or leaves that", () =>
  withFolders({ dist: "last", fresh: "new" }, async (root) => {
    await assert.rejects(replaceFolder(join(root, "dist"), join(root, "missing")));
    assert.equal(await readFile(join(root, "dist/file"), "utf8"), "last");
    await replaceFolder(join(root, "dist"), join(root, "fresh"));
    assert.deepEqual(await readdir(root), ["dist"]);
    assert.equal(await readFile(join(root, "dist/file"), "utf8"), "new");
  }));
