import { AuthError, type AuthErrorFields } from "./auth_error.ts";

/** An operation that needs the current request was called where there is none. */
export class OutsideRequestError extends AuthError {
  override readonly name: string = "OutsideRequestError";
  readonly code: "OUTSIDE_REQUEST" = "OUTSIDE_REQUEST";
  readonly status: 500 = 500;

  /** @param message Names the operation and the way out. */
  constructor(
    message: string = "This operation needs a request: call it inside auth.run() or auth.handle()",
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
  }
}

/** A cookie was to be set after the response's headers had gone. */
export class HeadersSentError extends AuthError {
  override readonly name: string = "HeadersSentError";
  readonly code: "HEADERS_SENT" = "HEADERS_SENT";
  readonly status: 500 = 500;

  /** @param message Names the operation and the way out. */
  constructor(
    message: string =
      "Cannot set a cookie: the headers of this response have gone. Start or end sessions before you return the response.",
    fields?: AuthErrorFields,
  ) {
    super(message, fields);
  }
}
