import assert from "node:assert/strict";
import { AccountTakenError } from "../errors/account_errors.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { StorageUnavailableError, UserExistsError } from "../errors/storage_errors.ts";
import { isOwnerGone, storageError, transience } from "./sql_errors.ts";

Deno.test("storageError() tells what the application, the visitor and the database are to blame for", () => {
  const own = new Error("D1_ERROR: UNIQUE constraint failed: invites.code: SQLITE_CONSTRAINT");
  assert.equal(storageError(own, "x"), own);
  for (const column of ["id", "email_identity"]) {
    const taken = new Error(
      `D1_ERROR: UNIQUE constraint failed: users.${column}: SQLITE_CONSTRAINT`,
    );
    assert.ok(storageError(taken, "x") instanceof UserExistsError);
  }
  for (
    const text of [
      "no such table: sessions",
      "no such column: roles",
      "table users has no column named roles",
    ]
  ) {
    const error = storageError(new Error(`D1_ERROR: ${text}`), "read the session");
    assert.ok(error instanceof ConfigurationError);
    assert.match(error.message, /Cannot read the session.*framework migrate up.*authSchema\.up/);
  }
  for (const thrown of [new Error("Network connection lost"), "a text", null]) {
    const error = storageError(thrown, "read the session");
    assert.ok(error instanceof StorageUnavailableError);
    assert.equal(error.cause, thrown);
  }
});

Deno.test("storageError() understands PostgreSQL", () => {
  const own = new Error('duplicate key value violates unique constraint "invites_pkey"');
  assert.equal(storageError(own, "x"), own);
  for (
    const text of [
      'insert or update on table "posts" violates foreign key constraint "posts_author_fkey"',
      'null value in column "title" of relation "posts" violates not-null constraint',
      'new row for relation "posts" violates check constraint "posts_title_check"',
    ]
  ) {
    const error = new Error(text);
    assert.equal(storageError(error, "x"), error);
  }
  for (const name of ["users_pkey", "users_email_identity_key"]) {
    const taken = new Error(`duplicate key value violates unique constraint "${name}"`);
    assert.ok(storageError(taken, "x") instanceof UserExistsError);
  }
  for (const text of ['relation "sessions" does not exist', "column users.plan does not exist"]) {
    assert.ok(storageError(new Error(text), "x") instanceof ConfigurationError);
  }
});

Deno.test("storageError() tells that an account or a passkey is another user's", () => {
  for (
    const text of [
      "D1_ERROR: NOT NULL constraint failed: accounts.user_id: SQLITE_CONSTRAINT",
      "UNIQUE constraint failed: passkeys.id",
      'null value in column "user_id" of relation "accounts" violates not-null constraint',
      'duplicate key value violates unique constraint "passkeys_pkey"',
    ]
  ) {
    const error = storageError(new Error(text), "x");
    assert.ok(error instanceof AccountTakenError, text);
  }
  const own = new Error("NOT NULL constraint failed: posts.user_id");
  assert.equal(storageError(own, "x"), own);
});

// Tracks: F10, F12
Deno.test("transience() tells what may have been done, what was not, and what fails again", () => {
  const coded = (code: string) => Object.assign(new Error("refused"), { code });
  for (
    const error of [
      new Error("D1_ERROR: Network connection lost."),
      new Error("Internal error in D1 DB storage caused object to be reset."),
      new Error("D1 DB reset because its code was updated."),
      new Error("Cannot resolve D1 DB due to transient issue on remote node."),
      new Error("Connection terminated unexpectedly"),
      coded("ECONNRESET"),
      coded("57P01"),
    ]
  ) assert.equal(transience(error), "unknown", error.message);
  for (const error of [new Error("database is locked"), coded("40001"), coded("40P01")]) {
    assert.equal(transience(error), "undone", error.message);
  }
  for (
    const error of [
      new Error("D1 DB is overloaded. Requests queued for too long."),
      new Error("no such table: users"),
      new Error("UNIQUE constraint failed: users.id"),
      coded("23505"),
      coded("ECONNREFUSED"),
      "a text",
      null,
    ]
  ) assert.equal(transience(error), null, String(error));
});

Deno.test("isOwnerGone() knows the foreign keys of what belongs to a user, and of no other table", () => {
  const text = (name: string) =>
    new Error(`insert or update on table "sessions" violates foreign key constraint "${name}"`);
  for (const table of ["sessions", "accounts", "passkeys", "verifications"]) {
    assert.equal(isOwnerGone(text(`${table}_user_id_fkey`)), true);
  }
  assert.equal(isOwnerGone(text("posts_user_id_fkey")), false);
  assert.equal(isOwnerGone(text("sessions_tenant_fkey")), false);
});
