import { type AuthError, isAuthError } from "../errors/auth_error.ts";
import type { RedirectError } from "../errors/redirect_error.ts";
import type { RateLimitedError } from "../errors/rate_limited_error.ts";
import { RequestError } from "../errors/request_errors.ts";
import { serverErrorMessage } from "./error_messages.ts";
import { markup } from "./html.ts";
import { prefersJson } from "./negotiate.ts";
import { pageResponse, SECURITY_HEADERS } from "./page.ts";

/** What {@linkcode errorResponse} can be told. */
export interface ErrorResponseOptions {
  /** Names the request in the response of a server error, as the log does. Default: a random UUID. */
  requestId?: string;
}

interface PublicError {
  status: number;
  code: string;
  message: string;
}

/** What the client may know: below 500 the error's own words, from there on the code alone. */
function publicError(error: unknown): PublicError {
  if (
    !isAuthError(error) || !Number.isInteger(error.status) || error.status < 400 ||
    error.status > 599
  ) {
    return { status: 500, code: "INTERNAL_ERROR", message: serverErrorMessage("INTERNAL_ERROR") };
  }
  const { status, code, message } = error;
  return { status, code, message: status >= 500 ? serverErrorMessage(code) : message };
}

const TITLES: ReadonlyMap<number, string> = new Map([
  [401, "Sign in first"],
  [403, "Not allowed"],
  [404, "Not found"],
  [429, "Too many attempts"],
  [503, "Try again in a moment"],
]);

/** The headers that a response to this error has besides. */
export function extraHeaders(error: unknown, status: number): Record<string, string> {
  const headers: Record<string, string> = {};
  if (error instanceof RequestError && error.allow !== undefined) headers.allow = error.allow;
  if (isAuthError(error) && error.code === "RATE_LIMITED") {
    Object.assign(headers, (error as RateLimitedError).headers);
  }
  if (status === 503) headers["retry-after"] = "2";
  return headers;
}

/**
 * The response to an error: `{ code, message }` as JSON when the client prefers that, else a page. From
 * status 500 on it holds a `requestId` and nothing of what went wrong; whatever is no error of this
 * library is a 500. A `RedirectError` becomes its redirect. Nothing is logged here.
 *
 * @param error What was thrown.
 * @param request Its Accept header decides the form.
 *
 * @example
 * ```ts
 * import { errorResponse, ForbiddenError } from "@framework/auth";
 * import { deepEqual, equal } from "node:assert/strict";
 *
 * const request = new Request("https://app.example/", { headers: { accept: "application/json" } });
 * const response = errorResponse(new ForbiddenError(), request);
 * equal(response.status, 403);
 * deepEqual(await response.json(), {
 *   code: "FORBIDDEN",
 *   message: "You are not allowed to do this",
 * });
 * ```
 */
export function errorResponse(
  error: unknown,
  request: Request,
  options: ErrorResponseOptions = {},
): Response {
  if (isRedirect(error)) return error.toResponse();
  const { status, code, message } = publicError(error);
  const requestId = status >= 500 ? options.requestId ?? crypto.randomUUID() : null;
  const headers = extraHeaders(error, status);
  if (prefersJson(request)) {
    return Response.json(requestId === null ? { code, message } : { code, message, requestId }, {
      status,
      headers: { ...SECURITY_HEADERS, ...headers },
    });
  }
  const response = pageResponse({
    title: TITLES.get(status) ?? (status >= 500 ? "Something went wrong" : "This did not work"),
    status,
    body: markup`<p class="alert">${message}</p>
${requestId !== null && markup`<p class="quiet">Request ${requestId}</p>`}
<p><a href="/">Go to the start page</a></p>`,
  });
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

/** Also one that another copy of the library in the bundle made. */
function isRedirect(error: unknown): error is RedirectError {
  if (!isAuthError(error) || error.code !== "REDIRECT") return false;
  return typeof (error as AuthError & { toResponse?: unknown }).toResponse === "function";
}
