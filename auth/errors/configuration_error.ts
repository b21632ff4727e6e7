import { AuthError, type AuthErrorFields } from "./auth_error.ts";

/** What a {@linkcode ConfigurationError} says about the option it concerns. */
export interface ConfigurationErrorFields extends AuthErrorFields {
  /** The option, as a path: `session.maxAge`. */
  field?: string;
}

/**
 * The application declared something that cannot work. It is thrown at the start where the shape is
 * known, else at the first request; `handle()` and `run()` let it pass, so that the host reports it.
 *
 * @example
 * ```ts
 * import { ConfigurationError, createAuth, createMemoryStorage } from "@framework/auth";
 * import { throws } from "node:assert/strict";
 *
 * throws(
 *   () => createAuth({ database: createMemoryStorage(), basePath: "auth" }),
 *   (error) => error instanceof ConfigurationError && error.field === "basePath",
 * );
 * ```
 */
export class ConfigurationError extends AuthError {
  /** `"ConfigurationError"`, also in minified code, where the class has another name. */
  override readonly name: string = "ConfigurationError";
  /** All that a response shows of it. */
  readonly code: "CONFIGURATION" = "CONFIGURATION";
  /** 500 Internal Server Error (RFC 9110, 15.6.1): clients learn nothing of the configuration. */
  readonly status: 500 = 500;
  /** The option, as a path: `session.maxAge`. */
  declare readonly field?: string;

  /**
   * Makes the error, for an adapter or a provider of your own.
   *
   * @param message What was found and what to write. For the developer; no response shows it.
   * @param fields `field`: which option, and `cause`.
   */
  constructor(
    message: string = "The configuration is wrong",
    fields?: ConfigurationErrorFields,
  ) {
    super(message, fields);
    if (fields?.field !== undefined) this.field = fields.field;
  }
}
