import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { SQLITE_VERSION_1 } from "../tests/schema_version_1.ts";
import { UPGRADE_CASES } from "../tests/upgrade_cases.ts";
import { authSchema } from "./schema.ts";
import { sqlite } from "./sqlite.ts";
import { upgradeTables } from "./upgrade.ts";

const { steps } = authSchema;

// Tracks: F48, OP-06
for (const [name, check] of Object.entries(UPGRADE_CASES)) {
  Deno.test(`${name}: SQLite`, async () => {
    using file = new DatabaseSync(":memory:");
    file.exec(SQLITE_VERSION_1);
    await check({ database: sqlite(file), steps });
  });
}

Deno.test("upgradeTables() of several connections to one file does each step once", async () => {
  const folder = await Deno.makeTempDir({ prefix: "framework-upgrade-" });
  const files = Array.from({ length: 4 }, () => new DatabaseSync(join(folder, "app.db")));
  try {
    files[0]!.exec(SQLITE_VERSION_1);
    const upgraded = await Promise.all(
      files.map((file) => upgradeTables(sqlite(file))),
    );
    for (const { to } of upgraded) assert.equal(to, authSchema.version);
  } finally {
    for (const file of files) file.close();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("upgradeTables() waits for whoever has the file in their hands", async () => {
  const folder = await Deno.makeTempDir({ prefix: "framework-upgrade-" });
  const [other, own] = [0, 1].map(() => new DatabaseSync(join(folder, "app.db")));
  try {
    const database = sqlite(own!, { busyTimeout: 0 });
    other!.exec("BEGIN IMMEDIATE");
    const upgrading = upgradeTables(database, {
      alongside: ["CREATE TABLE IF NOT EXISTS notes (text TEXT)"],
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    other!.exec("COMMIT");
    assert.deepEqual(await upgrading, { from: null, to: authSchema.version });
    assert.deepEqual(other!.prepare("SELECT * FROM notes").all(), []);
  } finally {
    for (const file of [other, own]) file!.close();
    await Deno.remove(folder, { recursive: true });
  }
});
