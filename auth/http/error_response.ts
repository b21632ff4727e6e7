import { failedPage } from "./failed_page.ts";
import { respondToError } from "./respond_to_error.ts";

/** What {@linkcode errorResponse} can be told. */
export interface ErrorResponseOptions {
  /** Names the request in the response of a server error, as the log does. Default: a random UUID. */
  requestId?: string;
}

/**
 * The response to an error: `{ code, message }` as JSON when the client prefers that, else a page. From
 * status 500 on it holds a `requestId` and nothing of what went wrong; whatever is no error of this
 * library is a 500. A `RedirectError` becomes its redirect. Nothing is logged here.
 *
 * @param error What was thrown.
 * @param request Its Accept header decides the form.
 * @param options `requestId`: names the request as the log does. Default: a random UUID.
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
  return respondToError(error, request, { ...options, theme: { failure: failedPage } });
}
