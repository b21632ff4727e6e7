import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { SQLITE_VERSION_1 } from "../tests/schema_version_1.ts";
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
    "api_keys",
    "audit_entries",
    "audit_people",
    "audit_seals",
    "auth_outbox",
    "auth_schema",
    "known_browsers",
    "passkeys",
    "password_hashes",
    "pending_sign_ups",
    "rate_limits",
    "recovery_codes",
    "revocations",
    "second_factors",
    "session_factors",
    "sessions",
    "tenant_invitations",
    "tenant_members",
    "tenants",
    "trusted_browsers",
    "user_roles",
    "users",
    "verifications",
    "webhook_endpoints",
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
    INSERT INTO audit_entries VALUES ('e', 1, 'sign-in', 'ada', 'ada', '{}');
    INSERT INTO users (id, role) VALUES ('ada', 'admin');
    INSERT INTO sessions VALUES ('s', 'h', 'ada', NULL, NULL, 1, 1, 1, 1, NULL);
    INSERT INTO accounts (provider, provider_account_id, user_id, type, created_at, updated_at)
      VALUES ('github', '1', 'ada', 'oauth', 1, 1);
    INSERT INTO verifications (purpose, hash, user_id, created_at, expires_at) VALUES ('email', 'h', 'ada', 1, 1);
    INSERT INTO passkeys (id, user_id, user_handle, public_key, counter, device_type, backed_up, created_at)
      VALUES ('p', 'ada', 'u', 'k', 0, 'singleDevice', 0, 1);
    INSERT INTO known_browsers VALUES ('b', 'ada', 1, 1);
    INSERT INTO password_hashes VALUES ('ada', 'h', 1);
    INSERT INTO second_factors VALUES ('ada', 's', 1, 0, 0, 1);
    INSERT INTO recovery_codes VALUES ('h', 'ada', 1);
    INSERT INTO trusted_browsers VALUES ('h', 'ada', NULL, 1, 1);
    INSERT INTO session_factors VALUES ('s', 'ada', 'totp', 1, 1);
    INSERT INTO account_activity (id, user_id, type, at) VALUES ('a', 'ada', 'sign-in', 1);
    INSERT INTO tenants (id, slug, name, created_at, updated_at) VALUES ('t', 'acme', 'Acme', 1, 1);
    INSERT INTO tenant_members (tenant_id, user_id, created_at) VALUES ('t', 'ada', 1);
    INSERT INTO audit_people VALUES ('e', 'user', 'ada', 's', '{}');
    DELETE FROM users;
  `);
  for (
    const table of [
      "sessions",
      "accounts",
      "verifications",
      "passkeys",
      "account_activity",
      "known_browsers",
      "password_hashes",
      "second_factors",
      "recovery_codes",
      "trusted_browsers",
      "session_factors",
      "tenant_members",
      "user_roles",
      "audit_people",
    ]
  ) {
    assert.equal(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()!.n, 0, table);
  }
  database.close();
});

Deno.test("authSchema holds the roles of users whoever writes them, and those of before the step", () => {
  using database = new DatabaseSync(":memory:");
  database.exec(SQLITE_VERSION_1);
  database.exec(
    "INSERT INTO users (id, role, roles) VALUES ('old', 'admin', '[\"editor\",\"admin\"]')",
  );
  for (const { up } of authSchema.steps) database.exec(up);
  database.exec("INSERT INTO users (id, roles) VALUES ('new', '[\"author\"]'), ('none', '[]')");
  const roles = () =>
    database.prepare("SELECT user_id, role FROM user_roles ORDER BY user_id, role").all()
      .map((row) => `${row.user_id} ${row.role}`);
  assert.deepEqual(roles(), ["new author", "old admin", "old editor"]);
  // As the command line of the database does it; what is no list of texts is none.
  database.exec("UPDATE users SET roles = '[\"owner\"]', role = NULL WHERE id = 'old'");
  for (const broken of ["no list", '{"a":"b"}', "[1, null]", ""]) {
    database.prepare("UPDATE users SET roles = ? WHERE id = 'new'").run(broken);
  }
  assert.deepEqual(roles(), ["old owner"]);
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

/** Everything that a database is made of, but for the texts. */
function structure(database: DatabaseSync): unknown {
  return database.prepare("SELECT type, name FROM sqlite_schema ORDER BY type, name").all().map(
    ({ type, name }) => [
      ...[type, name],
      database.prepare(`PRAGMA table_info(${name})`).all(),
      database.prepare(`PRAGMA index_info(${name})`).all(),
      database.prepare(`PRAGMA foreign_key_list(${name})`).all(),
    ],
  );
}

// Tracks: F48, OP-06
Deno.test("the steps of authSchema make of the first tables what a new database has, and back", () => {
  using first = new DatabaseSync(":memory:");
  first.exec(SQLITE_VERSION_1);
  using stepped = new DatabaseSync(":memory:");
  stepped.exec(SQLITE_VERSION_1);
  for (const { version, compatible, up } of authSchema.steps) {
    stepped.exec(up);
    const { key, ...numbers } = stepped.prepare("SELECT * FROM auth_schema").get()!;
    assert.deepEqual({ ...numbers }, { version, compatible });
    assert.match(String(key), /^[0-9a-f]{64}$/);
  }
  using fresh = new DatabaseSync(":memory:");
  fresh.exec(authSchema.up);
  assert.deepEqual(structure(stepped), structure(fresh));
  const { version, compatible } = authSchema.steps.at(-1)!;
  const marker = fresh.prepare("SELECT * FROM auth_schema").get()!;
  assert.deepEqual([marker.version, marker.compatible], [version, compatible]);
  assert.equal(version, authSchema.version);
  assert.match(String(marker.key), /^[0-9a-f]{64}$/);
  for (const { down } of authSchema.steps.toReversed()) stepped.exec(down);
  assert.deepEqual(structure(stepped), structure(first));
});

Deno.test("every database has a key of its own", () => {
  const keys = Array.from({ length: 5 }, () => {
    using database = new DatabaseSync(":memory:");
    database.exec(authSchema.up);
    return database.prepare("SELECT key FROM auth_schema").get()!.key;
  });
  assert.equal(new Set(keys).size, 5);
});
