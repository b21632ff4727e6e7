import { OutsideRequestError } from "../errors/state_errors.ts";
import type { CookiesOut } from "./cookies_out.ts";
import type { RequestAuth } from "./request_auth.ts";
import { findRunningRequest } from "./running_request.ts";
import type { Report } from "../events/events.ts";

/** What travels with a request. */
export interface RequestStore {
  /** The request. */
  request: Request;
  /** The environment of the application. */
  env: unknown;
  /** The address of the client in its canonical form; null when nobody says. */
  address(): string | null;
  /** Takes work that the response does not wait for. */
  waitUntil(work: Promise<unknown>): void;
  /** The session. */
  auth: RequestAuth;
  /** The cookies of the response to come. */
  cookiesOut: CookiesOut;
  /** Logs what happened and tells the application's listeners. */
  report: Report;
}

/** The request in which the caller runs, or undefined. */
export function findRequest(): RequestStore | undefined {
  // `runWithRequest()` is given nothing else.
  return findRunningRequest() as RequestStore | undefined;
}

/**
 * The request in which the caller runs.
 *
 * @param operation Who asks, for the message.
 * @throws {OutsideRequestError} When there is none.
 */
export function currentRequest(operation: string): RequestStore {
  const store = findRequest();
  if (store === undefined) {
    throw new OutsideRequestError(
      `Cannot call ${operation}() here: there is no request. Call it inside auth.run(). Where that cannot be ` +
        "around the work, as in a server component of Next.js, ask readAuth(auth, request, env).",
    );
  }
  return store;
}
