/**
 * Responses to errors, in the form that the client prefers.
 *
 * @module
 */

import {
  type AuthError,
  isAuthError,
  type OverloadedError,
  type RateLimitedError,
  type RedirectError,
  type RequestError,
} from "../errors.ts";
import type { PublicError, Theme } from "./contracts.ts";
import { findRequest, prefersJson } from "./request.ts";

/** Options for the response to an error. */
export interface ErrorAnswer {
  /** Names the request. Default: a random UUID. */
  requestId?: string;
  /** Theme that renders the error page. Default: the message as plain text. */
  theme?: Pick<Theme, "failure"> | null;
}

/** Headers of every response of the library. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "vary": "Accept, Cookie",
  "x-content-type-options": "nosniff",
  // With no-referrer the browser would send the page's own forms with `Origin: null`.
  "referrer-policy": "same-origin",
};

const OUR_FAULT = "Something went wrong on our side. Try again in a moment.";
const UNKNOWN: Pick<AuthError, "status" | "code" | "message" | "publicMessage"> = {
  status: 500,
  code: "INTERNAL_ERROR",
  message: "",
};

/** Below 500 the error's own words, from there on those that are meant for clients. */
function publicError(error: unknown, requestId: string | undefined): PublicError {
  const known = isAuthError(error) && Number.isInteger(error.status) && error.status >= 400 &&
    error.status <= 599;
  const { status, code, message, publicMessage = OUR_FAULT } = known ? error : UNKNOWN;
  if (status < 500) return { status, code, message };
  return { status, code, message: publicMessage, requestId: requestId ?? crypto.randomUUID() };
}

/** Adds the headers of an error to the response about it. */
export function withErrorHeaders(response: Response, error: unknown): Response {
  const { headers } = response;
  // By code and not by class: a bundle that makes no such error does not hold its class.
  const code = isAuthError(error) && error.code;
  if (code === "METHOD_NOT_ALLOWED") {
    const { allow } = error as RequestError;
    if (allow !== undefined) headers.set("allow", allow);
  }
  if (code === "RATE_LIMITED") {
    const limits = (error as RateLimitedError).headers;
    for (const [name, value] of Object.entries(limits)) headers.set(name, value);
  }
  if (response.status === 503) {
    const { retryAfter = 2 } = error as Partial<OverloadedError>;
    headers.set("retry-after", String(retryAfter));
  }
  return response;
}

function json({ status, ...body }: PublicError): Response {
  return Response.json(body, { status, headers: SECURITY_HEADERS });
}

function plainText({ status, message, requestId }: PublicError): Response {
  const named = requestId === undefined ? "" : `Request ${requestId}\n`;
  return new Response(`${message}\n${named}`, {
    status,
    headers: { ...SECURITY_HEADERS, "content-type": "text/plain; charset=utf-8" },
  });
}

/** The response to an error, in the form that the client prefers. Nothing is logged here. */
export function respondToError(
  error: unknown,
  request: Request,
  { requestId, theme }: ErrorAnswer,
): Response {
  if (isRedirect(error, request)) return error.toResponse();
  const answer: Theme["failure"] = prefersJson(request) ? json : theme?.failure ?? plainText;
  try {
    return withErrorHeaders(answer(publicError(error, requestId), request, error), error);
  } catch (another) {
    // A page links to the application's own address, which a host that is not allowed does not tell.
    if (!isAuthError(another)) throw another;
    return withErrorHeaders(plainText(publicError(another, requestId)), another);
  }
}

/** Also one that another copy of the library in the bundle made. One that asks for something is for pages alone. */
function isRedirect(error: unknown, request: Request): error is RedirectError {
  if (!isAuthError(error) || error.code !== "REDIRECT" && prefersJson(request)) return false;
  return typeof (error as AuthError & { toResponse?: unknown }).toResponse === "function";
}

const OAUTH_STATE = "This sign-in took too long or began elsewhere. Start again.";
const OAUTH_FAILED = "The other site could not sign you in. Try again in a moment.";

// The only codes that a page shows when an address names them. Whatever else stands there is not shown.
const MESSAGES: ReadonlyMap<string, string> = new Map([
  ["UNAUTHENTICATED", "Sign in to continue."],
  ["REAUTHENTICATION_REQUIRED", "Sign in again to continue."],
  ["FORBIDDEN", "You are not allowed to do this."],
  ["INVALID_CREDENTIALS", "That email or password is wrong."],
  ["ACCESS_DENIED", "You are not allowed to sign in."],
  ["SESSION_EXPIRED", "Your session ended. Sign in to go on."],
  ["USER_UNAVAILABLE", "This account cannot sign in."],
  ["USER_EXISTS", "An account with these details already exists."],
  ["INVALID_EMAIL", "Enter a whole email address, such as ada@example.com."],
  ["INVALID_NAME", "A name has at most 256 characters, and no control characters."],
  [
    "INVALID_IMAGE",
    "A profile picture URL begins with https:// and has at most 2,048 characters.",
  ],
  ["INVALID_LINK", "This link no longer works. Ask for a new one."],
  ["INVALID_CODE", "That code doesn’t match. Only the newest one works."],
  ["OTHER_BROWSER", "Open the link in the browser in which you asked for it."],
  ["EMAIL_NOT_SENT", "We could not send the email. Try again in a moment."],
  ["RATE_LIMITED", "There have been too many attempts. Try again later."],
  [
    "RATE_LIMITED_ACCOUNT",
    "There have been too many attempts to sign in to this account. Sign in by a link in an email, or set a new password.",
  ],
  [
    "RATE_LIMITED_PASSWORD",
    "There have been too many attempts to sign in to this account. Set a new password.",
  ],
  ["ACCOUNT_TAKEN", "This account already belongs to another user."],
  [
    "ACCOUNT_NOT_LINKED",
    "An account with this address already exists. Sign in the way you did before, then link this one.",
  ],
  ["LAST_WAY_IN", "This is your only way to sign in. Add another one first."],
  ["PASSKEY_REFUSED", "This passkey does not work here. Try another one."],
  ["PASSKEY_NOT_ADDED", "This passkey could not be added. Try again."],
  ["PASSKEY_EXPIRED", "That took too long. Try again."],
  ["OAUTH_STATE_MISSING", OAUTH_STATE],
  ["OAUTH_STATE_UNKNOWN", OAUTH_STATE],
  ["OAUTH_STATE_EXPIRED", OAUTH_STATE],
  ["OAUTH_STATE_FOREIGN", OAUTH_STATE],
  ["OAUTH_LINK_SESSION", OAUTH_STATE],
  ["OAUTH_DENIED", "The sign-in was cancelled."],
  ["OAUTH_PROVIDER_ERROR", OAUTH_FAILED],
  ["OAUTH_RESPONSE_INVALID", OAUTH_FAILED],
  ["OAUTH_PROFILE_INVALID", OAUTH_FAILED],
  ["OAUTH_UNAVAILABLE", OAUTH_FAILED],
  ["BAD_REQUEST", "Fill in every required field and try again."],
  ["CROSS_SITE_REQUEST", "This request came from another site and was refused."],
  ["OVERLOADED", "We are busy right now. Try again in a moment."],
  ["STORAGE_UNAVAILABLE", "We cannot do this right now. Try again in a moment."],
]);

/** The sentence for a code that an address names, or null for a code that is not known. */
export function knownErrorMessage(code: string | null): string | null {
  return code === null ? null : MESSAGES.get(code) ?? null;
}

/** The response to an error by whatever stands in front of the application, with the application's pages. */
export function answerError(error: unknown, request: Request): Response {
  const theme = findRequest()?.auth.settings.pages.theme ?? null;
  return respondToError(error, request, { theme });
}

const DEVELOPER_ERRORS = new Set(["CONFIGURATION", "OUTSIDE_REQUEST", "HEADERS_SENT"]);

/** An error that the client is to be told about, as opposed to one that the developer must see. */
export function isAnswerable(error: unknown): error is AuthError {
  return isAuthError(error) && !DEVELOPER_ERRORS.has(error.code);
}
