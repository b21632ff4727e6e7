import { AuthError, type AuthErrorFields } from "./auth_error.ts";

/**
 * The request belongs to no tenant, or to one that is unknown or suspended.
 *
 * @example
 * ```ts
 * import { TenantNotFoundError } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * equal(new TenantNotFoundError().status, 404);
 * ```
 */
export class TenantNotFoundError extends AuthError {
  override readonly name: string = "TenantNotFoundError";
  readonly code: "TENANT_NOT_FOUND" = "TENANT_NOT_FOUND";
  readonly status: 404 = 404;

  /** @param message Shown to the client, so it repeats nothing of the request. */
  constructor(message: string = "There is no such tenant", fields?: AuthErrorFields) {
    super(message, fields);
  }
}

/** A tenant with this id or slug exists already. */
export class TenantExistsError extends AuthError {
  override readonly name: string = "TenantExistsError";
  readonly code: "TENANT_EXISTS" = "TENANT_EXISTS";
  readonly status: 409 = 409;

  /** @param message Shown to the client. */
  constructor(message: string = "This name is taken already", fields?: AuthErrorFields) {
    super(message, fields);
  }
}

/** A field of a tenant cannot be what it is to be. */
export class InvalidTenantError extends AuthError {
  override readonly name: string = "InvalidTenantError";
  readonly code: "INVALID_TENANT" = "INVALID_TENANT";
  readonly status: 400 = 400;

  /** @param message Shown to the client. */
  constructor(message: string = "This cannot be a tenant", fields?: AuthErrorFields) {
    super(message, fields);
  }
}
