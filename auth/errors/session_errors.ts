import { AuthError, type AuthErrorFields } from "./auth_error.ts";

/**
 * A session holds more than cookies can carry: browsers drop larger ones in silence, and the visitor
 * would never be signed in. Thrown at the sign-in, before any cookie is set.
 */
export class SessionTooLargeError extends AuthError {
  override readonly name: string = "SessionTooLargeError";
  readonly code: "SESSION_TOO_LARGE" = "SESSION_TOO_LARGE";
  readonly status: 500 = 500;

  /** @param message For logs: how much was found, and how much may be. */
  constructor(
    message: string = "The session does not fit into cookies",
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
  }
}
