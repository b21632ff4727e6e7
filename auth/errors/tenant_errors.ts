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
  /** `"TenantNotFoundError"`, also in minified code, where the class has another name. */
  override readonly name: string = "TenantNotFoundError";
  /** The same for a tenant that is unknown and one that is suspended. */
  readonly code: "TENANT_NOT_FOUND" = "TENANT_NOT_FOUND";
  /** 404 Not Found (RFC 9110, 15.5.5). */
  readonly status: 404 = 404;

  /**
   * Makes the error, for a route of your own that belongs to a tenant.
   *
   * @param message Shown to the client, so it repeats nothing of the request. Default "There is no
   * such tenant".
   * @param fields `cause`: what led to it, for logs.
   */
  constructor(message: string = "There is no such tenant", fields?: AuthErrorFields) {
    super(message, fields);
  }
}

/**
 * A tenant with this id or slug exists already.
 *
 * @example
 * ```ts
 * import { createMemoryTenantStorage, TenantExistsError } from "@framework/auth/tenant";
 * import { rejects } from "node:assert/strict";
 *
 * const storage = createMemoryTenantStorage();
 * await storage.create({ slug: "acme", name: "Acme Ltd" });
 * await rejects(storage.create({ slug: "acme", name: "Another" }), TenantExistsError);
 * ```
 */
export class TenantExistsError extends AuthError {
  /** `"TenantExistsError"`, also in minified code, where the class has another name. */
  override readonly name: string = "TenantExistsError";
  /** A form that reads it marks its slug field. */
  readonly code: "TENANT_EXISTS" = "TENANT_EXISTS";
  /** 409 Conflict (RFC 9110, 15.5.10). */
  readonly status: 409 = 409;

  /**
   * Makes the error, for a tenant storage of your own.
   *
   * @param message Shown to the client. Default "This name is taken already".
   * @param fields `cause`: what the store said, for logs.
   */
  constructor(message: string = "This name is taken already", fields?: AuthErrorFields) {
    super(message, fields);
  }
}

/**
 * A field of a tenant cannot be what it is to be.
 *
 * @example
 * ```ts
 * import { createMemoryTenantStorage, InvalidTenantError } from "@framework/auth/tenant";
 * import { rejects } from "node:assert/strict";
 *
 * const storage = createMemoryTenantStorage();
 * await rejects(storage.create({ slug: "Not a slug", name: "Acme Ltd" }), InvalidTenantError);
 * ```
 */
export class InvalidTenantError extends AuthError {
  /** `"InvalidTenantError"`, also in minified code, where the class has another name. */
  override readonly name: string = "InvalidTenantError";
  /** A form that reads it shows the message beside the field. */
  readonly code: "INVALID_TENANT" = "INVALID_TENANT";
  /** 400 Bad Request (RFC 9110, 15.5.1). */
  readonly status: 400 = 400;

  /**
   * Makes the error, for rules of your own.
   *
   * @param message Shown to the client: which field, and what it may hold. Default "This cannot be
   * a tenant".
   * @param fields `cause`: what led to it, for logs.
   */
  constructor(message: string = "This cannot be a tenant", fields?: AuthErrorFields) {
    super(message, fields);
  }
}
