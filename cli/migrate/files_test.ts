import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compareMigrationNames, leadingNumber, readMigrations } from "./files.ts";

Deno.test("compareMigrationNames() counts numbers, then compares names", () => {
  const names = ["b.sql", "10_a.sql", "0002_b.sql", "2_a.sql", "a.sql", "0001_z.sql", "9_a.sql"];
  assert.deepEqual(names.sort(compareMigrationNames), [
    "0001_z.sql",
    "0002_b.sql",
    "2_a.sql",
    "9_a.sql",
    "10_a.sql",
    "a.sql",
    "b.sql",
  ]);
});

Deno.test("leadingNumber() is what wrangler reads", () => {
  assert.equal(leadingNumber("0012_a.sql"), 12);
  assert.equal(leadingNumber("20260101120000_a.sql"), 20260101120000);
  assert.equal(leadingNumber("a_1.sql"), undefined);
});

Deno.test("readMigrations() reads what wrangler reads, in order, without byte order mark", async () => {
  const folder = await mkdtemp(join(tmpdir(), "framework-migrations-"));
  try {
    await mkdir(join(folder, "down"));
    await mkdir(join(folder, "0009_folder.sql"));
    await writeFile(join(folder, "down", "0001_a.sql"), "DROP");
    await writeFile(join(folder, "0010_b.sql"), "B");
    await writeFile(join(folder, "0002_a.sql"), "\ufeffA");
    await writeFile(join(folder, ".0003_hidden.sql"), "X");
    await writeFile(join(folder, "notes.md"), "X");
    await symlink(join(folder, "0002_a.sql"), join(folder, "0004_link.sql"));
    assert.deepEqual(await readMigrations(folder), [
      { name: "0002_a.sql", sql: "A" },
      { name: "0010_b.sql", sql: "B" },
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

Deno.test("readMigrations() of a missing folder is empty", async () => {
  assert.deepEqual(await readMigrations(join(tmpdir(), "framework-no-such-folder")), []);
});
