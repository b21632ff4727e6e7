import assert from "node:assert/strict";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { StorageUnavailableError, UserExistsError } from "../errors/storage_errors.ts";
import { storageError } from "./sql_errors.ts";

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
