import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CliError } from "../terminal/exit.ts";
import { createMigration } from "./files.ts";
import { checkedStatements } from "./statements.ts";

async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "framework-create-"));
  try {
    await test(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

Deno.test("createMigration() writes both files and counts on from the highest number", () =>
  withFolder(async (folder) => {
    const migrations = join(folder, "new", "migrations");
    const first = await createMigration(migrations, "Init");
    assert.equal(first.up, join(migrations, "0001_init.sql"));
    assert.equal(first.down, join(migrations, "down", "0001_init.sql"));
    await writeFile(join(migrations, "0041_x.sql"), "");
    const second = await createMigration(migrations, "add posts");
    assert.equal(second.up, join(migrations, "0042_add_posts.sql"));
    const sql = await readFile(second.up, "utf8");
    assert.deepEqual(checkedStatements({ name: "x", sql }), []);
  }));

Deno.test("createMigration() overwrites nothing and leaves no half", () =>
  withFolder(async (folder) => {
    await mkdir(join(folder, "down"));
    await writeFile(join(folder, "down", "0001_init.sql"), "precious");
    await assert.rejects(createMigration(folder, "init"), { code: "EEXIST" });
    assert.equal(await readFile(join(folder, "down", "0001_init.sql"), "utf8"), "precious");
    assert.deepEqual(await readdir(folder), ["down"]);
  }));

// Tracks: R158
Deno.test("createMigration() writes nothing for a name that would leave the folder", () =>
  withFolder(async (folder) => {
    for (const name of ["../../x", "a/b", "a;b", "größe", "x".repeat(300)]) {
      await assert.rejects(createMigration(join(folder, "migrations"), name), CliError);
    }
    assert.deepEqual(await readdir(folder), []);
  }));
