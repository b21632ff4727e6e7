import assert from "node:assert/strict";
import * as auth from "./mod.ts";
import { isAuthError, type SafeRedirect } from "./errors.ts";

const ERRORS: [auth.AuthError, string, string, number][] = [
  [new auth.UnauthenticatedError(), "UnauthenticatedError", "UNAUTHENTICATED", 401],
  [new auth.ForbiddenError(), "ForbiddenError", "FORBIDDEN", 403],
  [new auth.InvalidCredentialsError(), "InvalidCredentialsError", "INVALID_CREDENTIALS", 401],
  [new auth.SessionExpiredError(), "SessionExpiredError", "SESSION_EXPIRED", 401],
  [new auth.ConfigurationError(), "ConfigurationError", "CONFIGURATION", 500],
  [new auth.StorageUnavailableError(), "StorageUnavailableError", "STORAGE_UNAVAILABLE", 503],
  [new auth.UserExistsError(), "UserExistsError", "USER_EXISTS", 409],
  [new auth.UserUnavailableError(), "UserUnavailableError", "USER_UNAVAILABLE", 403],
  [new auth.CrossSiteRequestError(), "CrossSiteRequestError", "CROSS_SITE_REQUEST", 403],
  [new auth.InvalidEmailError(), "InvalidEmailError", "INVALID_EMAIL", 400],
  [new auth.InvalidPasswordError(), "InvalidPasswordError", "INVALID_PASSWORD", 400],
  [new auth.EmailProofError(), "EmailProofError", "INVALID_LINK", 400],
  [new auth.EmailNotSentError(), "EmailNotSentError", "EMAIL_NOT_SENT", 503],
  [new auth.OverloadedError(), "OverloadedError", "OVERLOADED", 503],
  [new auth.SessionTooLargeError(), "SessionTooLargeError", "SESSION_TOO_LARGE", 500],
  [new auth.OutsideRequestError(), "OutsideRequestError", "OUTSIDE_REQUEST", 500],
  [new auth.HeadersSentError(), "HeadersSentError", "HEADERS_SENT", 500],
  [new auth.RequestError(), "RequestError", "BAD_REQUEST", 400],
  [new auth.RedirectError("https://a.example/" as SafeRedirect), "RedirectError", "REDIRECT", 303],
];

Deno.test("every error has its name, code, status and a message of its own", () => {
  for (const [error, name, code, status] of ERRORS) {
    assert.ok(error instanceof Error && error instanceof auth.AuthError);
    assert.deepEqual([error.name, error.code, error.status], [name, code, status]);
    assert.notEqual(error.message, "");
    assert.ok(isAuthError(error));
  }
});

// Tracks: SP-A2
Deno.test("SessionExpiredError is caught as what it is, nobody signed in", () => {
  const error = new auth.SessionExpiredError();
  assert.ok(error instanceof auth.UnauthenticatedError);
  assert.deepEqual([error.name, error.code], ["SessionExpiredError", "SESSION_EXPIRED"]);
});

Deno.test("every error takes a message and a cause", () => {
  const cause = new Error("below");
  const error = new auth.StorageUnavailableError("above", { cause });
  assert.deepEqual([error.message, error.cause], ["above", cause]);
  assert.equal("cause" in new auth.StorageUnavailableError("above"), false);
});

Deno.test("ForbiddenError keeps what was required apart from its message", () => {
  const error = new auth.ForbiddenError(undefined, {
    requiredRole: "admin",
    requiredPermission: "a:b",
  });
  assert.deepEqual([error.requiredRole, error.requiredPermission], ["admin", "a:b"]);
  assert.equal(error.message.includes("admin"), false);
});

Deno.test("RequestError takes the status of its code", () => {
  const statuses = {
    BAD_REQUEST: 400,
    NOT_FOUND: 404,
    METHOD_NOT_ALLOWED: 405,
    PAYLOAD_TOO_LARGE: 413,
    UNSUPPORTED_MEDIA_TYPE: 415,
    HOST_NOT_ALLOWED: 421,
  } as const;
  for (const [code, status] of Object.entries(statuses)) {
    const error = new auth.RequestError(undefined, { code: code as keyof typeof statuses });
    assert.deepEqual([error.code, error.status], [code, status]);
  }
});

Deno.test("isAuthError() is false for what only looks like one", () => {
  assert.equal(isAuthError({ code: "FORBIDDEN", status: 403 }), false);
  assert.equal(isAuthError(new Error("no")), false);
  assert.equal(isAuthError(null), false);
});

// Tracks: AU-14
Deno.test("RateLimitedError says when to try again, never sooner than that", () => {
  const rows: [string | undefined, string][] = [
    [undefined, "later"],
    ["soon", "later"],
    ["1", "in a minute"],
    ["60", "in a minute"],
    ["61", "in 2 minutes"],
    ["900", "in 15 minutes"],
    ["5400", "in 90 minutes"],
    ["5401", "in 2 hours"],
    ["86400", "in 24 hours"],
  ];
  for (const [wait, when] of rows) {
    const headers: Record<string, string> = wait === undefined ? {} : { "retry-after": wait };
    const { message } = new auth.RateLimitedError(undefined, { headers });
    assert.equal(message, `There have been too many attempts. Try again ${when}.`);
  }
  assert.equal(new auth.RateLimitedError("Come back").message, "Come back");
});
