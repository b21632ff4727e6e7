/**
 * The library in Astro.
 *
 * @module
 */

import type { Auth } from "../session/context_auth.ts";
import { getSession, getUser } from "../session/operations.ts";
import type { Session } from "../types/session.ts";
import type { User } from "../types/user.ts";
import { createDoor, isAnswer } from "./door.ts";
import { createGuard, type Guards } from "./guards.ts";

/** The part of Astro's context that is needed here. */
export interface AstroContext {
  /** The request. */
  readonly request: Request;
  /** The client's address, as the adapter knows it; reading it throws where pages are made once. */
  readonly clientAddress: string;
  /** True for pages that are made once, when the site is built. */
  readonly isPrerendered: boolean;
  /** Data that the middleware gives to pages. */
  readonly locals: object;
}

/** The part of `Astro.locals` that is the library's, for `App.Locals` in `src/env.d.ts`. */
export interface AstroLocals {
  /** The signed-in user, or null. A response of a page that reads it is kept by no shared cache. */
  readonly user: User | null;
  /** The session, or null. */
  readonly session: Session | null;
}

/** `ActionError` of `astro:actions`. */
export interface AstroActionError {
  /** Makes the error of a code. */
  // deno-lint-ignore no-explicit-any -- Astro has a type of all its codes
  new (params: { code: any; message: string }): Error;
  /** Finds the code of a status. */
  statusToCode(status: number): string;
}

/** Options of {@linkcode astroAuth}. */
export interface AstroAuthOptions {
  /** `ActionError` of `astro:actions`, for `guard()`. Default: the library's errors, which actions answer with 500. */
  ActionError?: AstroActionError;
}

/**
 * Middleware and guard of an application. Of {@linkcode Guards} it is `guard()` alone: in pages and endpoints the middleware
 * answers what the operations themselves throw, and there an `ActionError` would be answered with 500.
 */
export interface AstroAuth extends Pick<Guards, "guard"> {
  /** The export of `src/middleware.ts`: the endpoints below `/auth`, and the session around everything else. */
  onRequest(context: AstroContext, next: () => Promise<Response>): Promise<Response>;
}

/** Stands for all whose address is somebody's word, so that nobody has more attempts by another word. */
const UNSPECIFIED = "0.0.0.0";

/** The address of the connection. Astro tells in its place what X-Forwarded-For says, where `allowedDomains` is set. */
function addressOf({ request, clientAddress }: AstroContext): string {
  const claimed = request.headers.get("x-forwarded-for")?.split(",", 1).join().trim();
  return claimed === clientAddress ? UNSPECIFIED : clientAddress;
}

/**
 * The library in Astro: middleware that answers everything below `/auth` and puts the session around all other requests,
 * in whose pages, endpoints and actions `getUser()` and all other operations know the request; `Astro.locals` has `user`
 * and `session`. What `requireAuth()` and the like throw in a page or an endpoint is answered with a redirect, 401 or 403;
 * actions catch it first, so call them inside of `guard()`.
 *
 * Forms of other sites are refused by the own origin, which is `baseUrl`, as Astro's `checkOrigin` does by the `Host`.
 *
 * With `security.allowedDomains` Astro takes the client's address from `X-Forwarded-For`, into which clients write what they
 * like. An address that may be such a word is not believed, and all who send one count as one client, which the event
 * `proxy-not-trusted` of the log says once; `trustedProxies: trustPlatform(…)` of `createAuth()` names a header to believe.
 *
 * @param auth What `createAuth()` returned. Options that are a function of the environment are given the variables of
 * the process.
 * @param options `ActionError` for `guard()`.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, getUser } from "@framework/auth";
 * import { astroAuth } from "@framework/auth/astro";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage(), baseUrl: "https://app.example" });
 * const { onRequest } = astroAuth(auth);
 *
 * const response = await onRequest({
 *   request: new Request("https://app.example/"),
 *   clientAddress: "192.0.2.1",
 *   isPrerendered: false,
 *   locals: {},
 * }, () => Promise.resolve(new Response(`Hello ${getUser()?.name ?? "stranger"}`)));
 * equal(await response.text(), "Hello stranger");
 * ```
 */
export function astroAuth<Env>(auth: Auth<Env>, options: AstroAuthOptions = {}): AstroAuth {
  const enter = createDoor(auth);

  function translate(thrown: unknown): never {
    const { ActionError } = options;
    if (!ActionError || !isAnswer(thrown)) throw thrown;
    // An action is answered where it was called, not with a redirect.
    const code = ActionError.statusToCode(thrown.status < 400 ? 401 : thrown.status);
    throw new ActionError({ code, message: thrown.message });
  }

  return {
    async onRequest(context, next) {
      if (context.isPrerendered) return await next();
      Object.defineProperties(context.locals, {
        user: { configurable: true, enumerable: true, get: () => getUser() },
        session: { configurable: true, enumerable: true, get: () => getSession() },
      });
      return await enter(context.request, undefined, {
        clientAddress: addressOf(context),
        forms: true,
        next: () => next(), // which would take an argument for a page to show in place of this one
      });
    },
    guard: createGuard(translate),
  };
}
