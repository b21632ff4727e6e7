import { describeError, type ErrorListener } from "./errors.ts";

/** The line in the worker's log that a 500 response's request id leads to. */
export const logError: ErrorListener = (error, { request, requestId }) => {
  // The query may hold tokens: only the path is logged.
  const { pathname } = new URL(request.url);
  // deno-lint-ignore no-console -- a worker's log is its console.
  console.error(`[${requestId}] ${request.method} ${pathname} failed. ${describeError(error)}`);
};
