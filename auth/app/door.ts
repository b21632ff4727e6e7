/**
 * Shared parts of the entries of frameworks: a request on its way in, and the refusal of forms of other sites.
 *
 * @module
 */

import { type AuthError, isAuthError } from "../errors.ts";
import { mediaType } from "../lib/body.ts";
import { processEnvironment, waitUntil } from "../lib/runtime.ts";
import type { RequestInfo } from "../core/client_address.ts";
import type { Auth, FetchInfo } from "../session/context_auth.ts";
import { checkAtStart, sayBaseUrl } from "./production.ts";

/** True for an error of the library that is an answer to the client, not one for the developer. */
export function isAnswer(thrown: unknown): thrown is AuthError {
  return isAuthError(thrown) && thrown.status < 500;
}

/**
 * Refuses forms of other sites, by the own origin. What is no form is sent by a page of another site after its leave was
 * asked for (CORS) alone.
 *
 * @throws {CrossSiteRequestError} When the request is refused.
 */
export function refuseForms<Env>(
  auth: Auth<Env>,
  request: Request,
  env: Env,
  info: RequestInfo,
): void {
  if (mediaType(request) !== "application/json") auth.assertSameOrigin(request, env, info);
}

/** Answers a request of a framework, whose own work is `next`. Without an environment it is that of the process. */
export type Door<Env> = (
  request: Request,
  env: Env | undefined,
  info: FetchInfo & {
    /** Refuses forms of other sites that are for the framework. Default: false, it does so itself. */
    forms?: boolean;
  },
) => Promise<Response>;

/**
 * Opens a framework's way in. In production the options are checked at the first request and not before: builds load every
 * module, without the variables of the server.
 *
 * @param auth What `createAuth()` returned.
 */
export function createDoor<Env>(auth: Auth<Env>): Door<Env> {
  let isChecked = false;
  return async (request, given, { forms, next, ...known }) => {
    const env = given ?? processEnvironment() as Env;
    if (!isChecked) checkAtStart(auth);
    isChecked = true;
    const info = { waitUntil, ...known };
    const response = await auth.fetch(request, env, {
      ...info,
      next(context) {
        if (forms) refuseForms(auth, request, env, info);
        return next!(context);
      },
    });
    sayBaseUrl(auth, env, request.url);
    return response;
  };
}
