/** What every error of this library accepts besides its message. */
export interface AuthErrorFields {
  /** The error that led to this one. It is for logs; no response shows it. */
  cause?: unknown;
}

const BRAND: unique symbol = Symbol.for("framework.auth.error");

/**
 * The base of every error that this library throws: a stable `code` for programs, an HTTP `status`
 * for responses. Derive from it for an error of your own that `errorResponse()` answers by its status.
 *
 * @example
 * ```ts
 * import { AuthError, errorResponse } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * class PlanRequiredError extends AuthError {
 *   override readonly name = "PlanRequiredError";
 *   readonly code = "PLAN_REQUIRED";
 *   readonly status = 402;
 * }
 * const error = new PlanRequiredError("This page needs a paid plan");
 * equal(errorResponse(error, new Request("https://app.example/")).status, 402);
 * ```
 */
export abstract class AuthError extends Error {
  /** Stable, upper-case name of the condition. */
  abstract readonly code: string;
  /** The HTTP status that a response to this error carries. */
  abstract readonly status: number;
  /** What a client is told from status 500 on, where the message is not for clients. Default: that it was our fault. */
  declare readonly publicMessage?: string;

  /**
   * Called by the classes that derive from this one.
   *
   * @param message What failed and what to do. Below status 500 it is shown to the client.
   * @param fields `cause`: what led to it, for logs; and what the subclass adds.
   */
  constructor(message?: string, fields: AuthErrorFields = {}) {
    super(message, "cause" in fields ? { cause: fields.cause } : undefined);
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/**
 * Whether something that was thrown is an error of this library, or derives from one. Also when another copy
 * of the library made it, as a bundle or a test runner may hold two, where `instanceof` says no.
 *
 * @param error Whatever was thrown.
 *
 * @example
 * ```ts
 * import { isAuthError, requireAuth } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * try {
 *   requireAuth(); // outside of any request
 * } catch (error) {
 *   equal(isAuthError(error) && error.code, "OUTSIDE_REQUEST");
 * }
 * equal(isAuthError(new TypeError("Of somebody else")), false);
 * ```
 */
export function isAuthError(error: unknown): error is AuthError {
  return error instanceof Error && (error as { [BRAND]?: unknown })[BRAND] === true;
}
