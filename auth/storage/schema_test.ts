import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { authSchema } from "./schema.ts";

function tables(database: DatabaseSync): string[] {
  const rows = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .all();
  return rows.map(({ name }) => String(name));
}

Deno.test("authSchema makes its tables and removes them again", () => {
  const database = new DatabaseSync(":memory:");
  database.exec(authSchema.up);
  assert.deepEqual(tables(database), [
    "account_activity",
    "accounts",
    "auth_schema",
    "passkeys",
    "rate_limits",
    "revocations",
    "sessions",
    "tenant_members",
    "tenants",
    "users",
    "verifications",
  ]);
  assert.equal(
    database.prepare("SELECT version FROM auth_schema").get()!.version,
    authSchema.version,
  );
  database.exec(authSchema.down);
  assert.deepEqual(tables(database), []);
  database.close();
});

// Tracks: GHSA-2vg6
Deno.test("authSchema deletes what belongs to a user with the user", () => {
  const database = new DatabaseSync(":memory:");
  database.exec(authSchema.up);
  database.exec(`
    INSERT INTO users (id) VALUES ('ada');
    INSERT INTO sessions VALUES ('s', 'h', 'ada', NULL, NULL, 1, 1, 1, 1);
    INSERT INTO accounts (provider, provider_account_id, user_id, type, created_at, updated_at)
      VALUES ('github', '1', 'ada', 'oauth', 1, 1);
    INSERT INTO verifications (purpose, hash, user_id, created_at, expires_at) VALUES ('email', 'h', 'ada', 1, 1);
    INSERT INTO passkeys (id, user_id, user_handle, public_key, counter, device_type, backed_up, created_at)
      VALUES ('p', 'ada', 'u', 'k', 0, 'singleDevice', 0, 1);
    INSERT INTO account_activity (id, user_id, type, at) VALUES ('a', 'ada', 'sign-in', 1);
    INSERT INTO tenants (id, slug, name, created_at, updated_at) VALUES ('t', 'acme', 'Acme', 1, 1);
    INSERT INTO tenant_members (tenant_id, user_id, created_at) VALUES ('t', 'ada', 1);
    DELETE FROM users;
  `);
  for (
    const table of [
      "sessions",
      "accounts",
      "verifications",
      "passkeys",
      "account_activity",
      "tenant_members",
    ]
  ) {
    assert.equal(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()!.n, 0, table);
  }
  database.close();
});

Deno.test("authSchema gives a user that a test or a script inserts its times", () => {
  const database = new DatabaseSync(":memory:");
  database.exec(authSchema.up);
  database.exec("INSERT INTO users (id) VALUES ('ada')");
  const row = database.prepare("SELECT created_at, roles FROM users").get()!;
  assert.ok(Number(row.created_at) > Date.UTC(2020, 0, 1));
  assert.equal(row.roles, "[]");
  database.close();
});

// Tracks: F08
Deno.test("authSchema keeps one account per provider and provider's id", () => {
  const database = new DatabaseSync(":memory:");
  database.exec(authSchema.up);
  database.exec("INSERT INTO users (id) VALUES ('ada')");
  const insert = database.prepare(
    `INSERT INTO accounts (provider, provider_account_id, user_id, type, created_at, updated_at)
     VALUES (?, '1', 'ada', 'oauth', 1, 1)`,
  );
  insert.run("github");
  insert.run("google");
  assert.throws(() => insert.run("github"), /UNIQUE/);
  database.close();
});
