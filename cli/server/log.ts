import type { LogFields, Logger } from "@framework/auth";
import { createSafeLogger } from "@framework/auth/convention";
import { type ErrorListener, textOf } from "../runtime/errors.ts";

let logger: Logger = createSafeLogger(console);

/**
 * Has errors go to the logger of the authentication, which is the application's own or the console.
 *
 * @param given A logger that throws nothing and gets errors as plain data.
 */
export function useLogger(given: Logger): void {
  logger = given;
}

/** Logs a failure in one line: which it is, and the error with its causes. */
export function logFailure(event: string, error: unknown, fields: LogFields = {}): void {
  // Of what is no error a logger writes its type alone.
  const told = error instanceof Error ? error : new Error(`Thrown: ${textOf(error)}`);
  logger.error(event, { ...fields, error: told });
}

/** Logs what is no error, and to be looked at. */
export function logWarning(event: string, fields: LogFields): void {
  logger.warn(event, fields);
}

/** Logs the line that the request id of a 500 response leads to. Its query may hold tokens: only the path is logged. */
export const logRequestFailure: ErrorListener = (error, { request, requestId }) => {
  const { pathname } = new URL(request.url);
  logFailure("request-failed", error, { requestId, method: request.method, path: pathname });
};
