import assert from "node:assert/strict";
import {
  AccountTakenError,
  ConfigurationError,
  StorageUnavailableError,
  UserExistsError,
} from "../errors.ts";
import type { SqlFailure } from "./sql_database.ts";
import { d1Error, sqliteFailureOf, storageError } from "./sql_executor.ts";

Deno.test("storageError() tells what the application, the visitor and the database are to blame for", () => {
  const operation = "read the session";
  const cause = new Error("what the database said");
  const errorFor = (failure: SqlFailure | null) => storageError(cause, { failure, operation });
  for (const failure of ["constraint", "owner-gone"] as const) {
    assert.equal(errorFor(failure), cause);
  }
  for (
    const [failure, type] of [
      ["user-taken", UserExistsError],
      ["account-taken", AccountTakenError],
      ["tables-missing", ConfigurationError],
      ["undone", StorageUnavailableError],
      ["lost", StorageUnavailableError],
      [null, StorageUnavailableError],
    ] as const
  ) {
    const error = errorFor(failure);
    assert.ok(error instanceof type, String(failure));
    assert.equal(error.cause, cause);
  }
  const missing = errorFor("tables-missing");
  assert.match(String(missing), /Cannot read the session.*Apply your migrations.*authSchema\.up/);
  const elsewhere = storageError(cause, { failure: "tables-missing", operation, schema: "that" });
  assert.match(String(elsewhere), /or run that on the database/);
});

Deno.test("storageError() names the column that users lacks, and the statement that adds it", () => {
  for (
    const said of [
      "no such column: users.plan", // SQLite, D1
      'no such column: users."plan"',
      "column users.plan does not exist", // PostgreSQL
      "Unknown column 'users.plan' in 'SELECT'", // MariaDB
    ]
  ) {
    const { message } = storageError(new Error(said), {
      failure: "tables-missing",
      operation: "read the user",
    }) as ConfigurationError;
    assert.match(message, /Cannot read the user: users has no column "plan"\. /, said);
    assert.match(message, /userColumns.*ALTER TABLE users ADD COLUMN plan TEXT;.*migrations/, said);
  }
});

// Tracks: F10, F12
Deno.test("sqliteFailureOf() tells what SQLite and D1 mean, and nothing about the rest", () => {
  const expected: [failure: SqlFailure | null, texts: unknown[]][] = [
    ["user-taken", [
      "D1_ERROR: UNIQUE constraint failed: users.id: SQLITE_CONSTRAINT",
      "UNIQUE constraint failed: users.email_identity",
    ]],
    ["account-taken", [
      "D1_ERROR: NOT NULL constraint failed: accounts.user_id: SQLITE_CONSTRAINT",
      "NOT NULL constraint failed: passkeys.user_id",
      "UNIQUE constraint failed: passkeys.id",
    ]],
    ["constraint", [
      "D1_ERROR: UNIQUE constraint failed: invites.code: SQLITE_CONSTRAINT",
      "UNIQUE constraint failed: users.id_card",
      "NOT NULL constraint failed: posts.user_id",
      "FOREIGN KEY constraint failed",
    ]],
    ["tables-missing", [
      "D1_ERROR: no such table: sessions",
      "no such column: roles",
      "table users has no column named roles",
    ]],
    ["undone", ["database is locked"]],
    ["lost", [
      "D1_ERROR: Network connection lost.",
      "Internal error in D1 DB storage caused object to be reset.",
      "D1 DB reset because its code was updated.",
      "Cannot resolve D1 DB due to transient issue on remote node.",
    ]],
    ["unavailable", [
      "D1 DB is overloaded. Requests queued for too long.",
      "database or disk is full",
      "attempt to write a readonly database",
    ]],
    [null, ["a text", null]],
  ];
  for (const [failure, texts] of expected) {
    for (const text of texts) {
      assert.equal(sqliteFailureOf(text), failure, String(text));
      assert.equal(sqliteFailureOf(new Error(String(text))), failure, String(text));
    }
  }
});

// Tracks: OP-09
Deno.test("d1Error() makes a 503 of what D1 cannot do now, and leaves every other error alone", () => {
  for (const text of ["D1_ERROR: Network connection lost.", "D1 DB is overloaded."]) {
    const error = new Error(text);
    const made = d1Error(error);
    assert.ok(made instanceof StorageUnavailableError);
    assert.equal(made.cause, error);
  }
  for (
    const error of [
      // What the platform says of a request to another server.
      new Error("Network connection lost."),
      new Error('D1_ERROR: near "SELEC": syntax error at offset 0: SQLITE_ERROR'),
      new Error("D1_ERROR: no such table: passwords"),
      "a text",
      undefined,
    ]
  ) {
    assert.equal(d1Error(error), error);
  }
});
