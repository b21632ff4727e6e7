import { OutsideRequestError } from "../errors/state_errors.ts";
import { findRunningRequest } from "./running_request.ts";
import type { RequestStore } from "../http/contracts.ts";

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
