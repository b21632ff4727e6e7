import { authSchema } from "@framework/auth/storage";
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { SQLITE_VERSION_1 } from "../../auth/tests/schema_version_1.ts";
import { CliError } from "../terminal/exit.ts";
import { currentVersion, planAuthUpgrade } from "./auth.ts";
import type { AuthUpgrade } from "./auth_upgrades.ts";

const upgrades: AuthUpgrade[] = [
  {
    version: 2,
    up: "CREATE TABLE two (id);\nUPDATE auth_schema SET version = 2;\n",
    down: "DROP TABLE two;\nUPDATE auth_schema SET version = 1;\n",
  },
  {
    version: 3,
    up: "ALTER TABLE two ADD COLUMN name;\nUPDATE auth_schema SET version = 3;\n",
    down: "ALTER TABLE two DROP COLUMN name;\nUPDATE auth_schema SET version = 2;\n",
  },
];

Deno.test("currentVersion() is the version of the schema that @framework/auth has", () => {
  assert.equal(currentVersion(), authSchema.version);
});

Deno.test("planAuthUpgrade() puts all steps since the version found into one migration, and back", () => {
  const database = new DatabaseSync(":memory:");
  database.exec(authSchema.up);
  database.exec("UPDATE auth_schema SET version = 1");
  const upgrade = planAuthUpgrade(1, { current: 3, upgrades })!;
  const version = () => database.prepare("SELECT version FROM auth_schema").get()!["version"];
  database.exec(upgrade.up);
  assert.equal(version(), 3);
  database.exec("INSERT INTO two (id, name) VALUES (1, 'x')");
  database.exec(upgrade.down);
  assert.equal(version(), 1);
  assert.throws(() => database.exec("SELECT * FROM two"), /no such table/);
  database.close();
});

// Tracks: F48, OP-06
Deno.test("planAuthUpgrade() writes the steps that upgradeTables() runs", () => {
  const upgrade = planAuthUpgrade(1)!;
  assert.equal(upgrade.up, authSchema.steps.map(({ up }) => up).join("\n"));
  const database = new DatabaseSync(":memory:");
  database.exec(SQLITE_VERSION_1);
  const before = database.prepare("SELECT type, name FROM sqlite_schema ORDER BY name").all();
  database.exec(upgrade.up);
  const version = () => database.prepare("SELECT version FROM auth_schema").get()!["version"];
  assert.equal(version(), authSchema.version);
  database.exec(upgrade.down);
  assert.equal(version(), 1);
  const after = database.prepare("SELECT type, name FROM sqlite_schema ORDER BY name").all();
  assert.deepEqual(after, before);
  database.close();
});

Deno.test("planAuthUpgrade() has nothing to do for tables that are up to date", () => {
  assert.equal(planAuthUpgrade(3, { current: 3, upgrades }), null);
  assert.equal(planAuthUpgrade(currentVersion()), null);
  const last = planAuthUpgrade(2, { current: 3, upgrades })!;
  assert.equal(last.up.includes("CREATE TABLE two"), false);
});

Deno.test("planAuthUpgrade() refuses missing tables and tables of a newer release", () => {
  assert.throws(() => planAuthUpgrade(null), CliError);
  assert.throws(() => planAuthUpgrade(99), /version 99, but this release supports them only up to/);
});
