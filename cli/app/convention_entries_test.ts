import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFolderEntries, entriesIfAny } from "./convention.ts";

Deno.test("createFolderEntries() shows a folder as it was at the first look", () => {
  const folder = mkdtempSync(join(tmpdir(), "framework-entries-"));
  try {
    writeFileSync(join(folder, "a"), "");
    const entries = createFolderEntries();
    assert.deepEqual(entries(folder).map(({ name }) => name), ["a"]);
    writeFileSync(join(folder, "b"), "");
    assert.deepEqual(entries(folder).map(({ name }) => name), ["a"]);
    assert.deepEqual(createFolderEntries()(folder).map(({ name }) => name).sort(), ["a", "b"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

Deno.test("entriesIfAny() finds nothing in a folder that is missing", () => {
  assert.deepEqual(entriesIfAny(createFolderEntries(), "/no/such/folder"), []);
});
