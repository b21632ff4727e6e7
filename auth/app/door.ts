/**
 * Shared parts of the entries of frameworks: a request on its way in, and the refusal of forms of other sites.
 *
 * @module
 */

import { type AuthError, isAuthError } from "../errors.ts";
import { mediaType } from "../lib/body.ts";
import { processEnvironment, waitUntil } from "../lib/runtime.ts";
import type { RequestInfo } from "../core/client_address.ts";
import type { RequestStore } from "../core/contracts.ts";
import { findRequest } from "../core/request.ts";
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

const refused = new WeakSet<RequestStore>();

/** Notes what a guard throws in a request, of which the framework makes the answer. */
export function noteRefusal(thrown: unknown): void {
  const store = findRequest();
  if (store !== undefined && isAnswer(thrown)) refused.add(store);
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
      async next(context) {
        if (forms) refuseForms(auth, request, env, info);
        const given = await next!(context);
        if (!refused.has(findRequest()!)) return given;
        // What a page had said of itself to caches goes out with a refusal in its place, which they would keep for everybody.
        const own = new Response(given.body, given);
        own.headers.delete("cache-control");
        return own;
      },
    });
    sayBaseUrl(auth, env, request.url);
    return response;
  };
}
