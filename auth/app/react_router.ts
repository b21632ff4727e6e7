/**
 * The library in React Router, framework mode.
 *
 * @module
 */

import { RedirectError } from "../errors.ts";
import type { Auth } from "../session/context_auth.ts";
import { createDoor, isAnswer } from "./door.ts";
import { createGuards, type Guards } from "./guards.ts";

/** Arguments that React Router gives to middleware, loaders and actions, as far as they are needed here. */
export interface ReactRouterArgs {
  /** The request. */
  readonly request: Request;
  /** The context of the request, which the application's own server fills. */
  readonly context: unknown;
}

/** Options of {@linkcode reactRouterAuth}. */
export interface ReactRouterAuthOptions<Env> {
  /** Tells the client's address, which React Router does not: from the context that a server of your own fills. */
  clientAddress?(args: ReactRouterArgs): string | null | undefined;
  /** Finds the bindings of a worker in the context. Default: the variables of the process. */
  env?(args: ReactRouterArgs): Env;
}

/** Result of {@linkcode reactRouterAuth} for an application: middleware, and guards whose errors are responses. */
export interface ReactRouterAuth extends Guards {
  /** Middleware of the root route: the endpoints below `/auth`, and the session around everything else. */
  middleware(args: ReactRouterArgs, next: () => Promise<unknown>): Promise<Response>;
}

/** The request for a page, also where the browser asks for its data alone: else who must sign in would come back to those. */
function pageRequest(request: Request): Request {
  const url = new URL(request.url);
  if (!url.pathname.endsWith(".data")) return request;
  url.pathname = url.pathname.replace(
    /\/_(?:root)?\.data$|\.data$/,
    (end) => end[1] === "_" ? "/" : "",
  );
  url.searchParams.delete("_routes");
  return new Request(url, request);
}

/** React Router catches whatever a loader or an action throws; a response it answers with. */
function translate(thrown: unknown): never {
  if (thrown instanceof RedirectError) {
    const response = thrown.toResponse();
    // The pages below /auth are documents, which the router in the browser does not draw.
    response.headers.set("x-remix-reload-document", "true");
    throw response;
  }
  if (!isAnswer(thrown)) throw thrown;
  throw new Response(thrown.message, {
    status: thrown.status,
    headers: { "cache-control": "no-store", "vary": "Cookie" },
  });
}

/**
 * The library in React Router: middleware of the root route that answers everything below `/auth` and puts the session
 * around all other requests, in whose loaders, actions and middleware `getUser()` and all other operations know the request.
 * React Router catches what they throw before the middleware can, so those that require something are here once more: they
 * throw responses, a redirect or 401 and 403 for the nearest `ErrorBoundary`.
 *
 * Forms of other sites are refused by the own origin, which is `baseUrl`, also where React Router lets them in.
 *
 * @param auth What `createAuth()` returned. Options that are a function of the environment are given what `env` finds, by
 * default the variables of the process.
 * @param options `clientAddress`: who tells the client's address; without it nobody is counted by address. `env`: where the
 * bindings of a worker are.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, getUser } from "@framework/auth";
 * import { reactRouterAuth } from "@framework/auth/react-router";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage(), pages: { signIn: "/login" } });
 * const accounts = reactRouterAuth(auth);
 *
 * const response = await accounts.middleware(
 *   { request: new Request("http://localhost/"), context: undefined },
 *   () => Promise.resolve(new Response(`Hello ${getUser()?.name ?? "stranger"}`)),
 * );
 * equal(await response.text(), "Hello stranger");
 * ```
 */
export function reactRouterAuth<Env>(
  auth: Auth<Env>,
  options: ReactRouterAuthOptions<Env> = {},
): ReactRouterAuth {
  const enter = createDoor(auth);

  return {
    ...createGuards(translate),
    async middleware(args, next) {
      return await enter(pageRequest(args.request), options.env?.(args), {
        clientAddress: options.clientAddress?.(args) ?? undefined,
        // React Router refuses those for pages, by the Host, and none for resource routes.
        forms: true,
        next: async () => await next() as Response,
      });
    },
  };
}
