import assert from "node:assert/strict";
import { postgresDialect } from "./postgres_dialect.ts";
import { postgresSchema } from "./schema.ts";

const { failureOf } = postgresDialect;

/** An error as the server sends it. */
function serverError(code: string, fields: Record<string, string> = {}): Error {
  return Object.assign(new Error("refused"), { code, ...fields });
}

Deno.test("postgresDialect tells by the constraint what is taken, and whose owner is gone", () => {
  const constrained = (code: string, constraint: string) =>
    failureOf(serverError(code, { constraint }));
  for (const name of ["users_pkey", "users_email_identity_key"]) {
    assert.equal(constrained("23505", name), "user-taken");
  }
  assert.equal(constrained("23505", "passkeys_pkey"), "account-taken");
  for (const table of ["sessions", "accounts", "passkeys", "verifications", "account_activity"]) {
    assert.ok(postgresSchema.up.includes(`CREATE TABLE ${table} (`));
    assert.equal(constrained("23503", `${table}_user_id_fkey`), "owner-gone");
  }
  const missing = { table: "accounts", column: "user_id" };
  assert.equal(failureOf(serverError("23502", missing)), "account-taken");
});

Deno.test("postgresDialect knows the fields by both names that drivers give them", () => {
  const taken = serverError("23505", { constraint_name: "users_email_identity_key" });
  assert.equal(failureOf(taken), "user-taken");
  const missing = serverError("23502", { table_name: "accounts", column_name: "user_id" });
  assert.equal(failureOf(missing), "account-taken");
  assert.equal(failureOf(serverError("23505", { constraint_name: "invites_pkey" })), "constraint");
});

Deno.test("postgresDialect leaves the constraints of the application to the application", () => {
  for (
    const error of [
      serverError("23505", { constraint: "invites_pkey" }),
      serverError("23503", { constraint: "posts_author_fkey" }),
      serverError("23503", { constraint: "sessions_tenant_fkey" }),
      serverError("23514", { constraint: "posts_title_check" }),
      serverError("23502", { table: "posts", column: "user_id" }),
      serverError("23502", { table: "accounts", column: "type" }),
    ]
  ) assert.equal(failureOf(error), "constraint");
});

// Tracks: F10, F12
Deno.test("postgresDialect tells what may have been done, what was not, and what fails again", () => {
  for (const code of ["25006", "40001", "40P01", "55P03"]) {
    assert.equal(failureOf(serverError(code)), "undone");
  }
  for (const code of ["57P01", "57P02", "ECONNRESET", "EPIPE", "ETIMEDOUT"]) {
    assert.equal(failureOf(serverError(code)), "lost");
  }
  for (
    const text of [
      "Connection terminated unexpectedly",
      "Client has encountered a connection error and is not queryable",
      "Client was closed and is not queryable",
    ]
  ) assert.equal(failureOf(new Error(text)), "lost");
  for (const code of ["42P01", "42703"]) {
    assert.equal(failureOf(serverError(code)), "tables-missing");
  }
  for (const code of ["ECONNREFUSED", "53100", "53300", "57014", "57P03", "08006"]) {
    assert.equal(failureOf(serverError(code)), "unavailable", code);
  }
  for (const error of [serverError("42601"), serverError("22012"), "a text", null]) {
    assert.equal(failureOf(error), null);
  }
});
