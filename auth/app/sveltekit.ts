/**
 * The library in SvelteKit.
 *
 * @module
 */

import { RedirectError } from "../errors.ts";
import { isWorkerPlatform, runMode } from "../lib/runtime.ts";
import type { Auth } from "../session/context_auth.ts";
import { createDoor, isAnswer } from "./door.ts";
import { createGuards, type Guards } from "./guards.ts";
import { isCut } from "./node_exchange.ts";
import { checkAtStart } from "./production.ts";

/** The part of SvelteKit's event that is needed here. */
export interface SvelteKitEvent {
  /** The request. */
  readonly request: Request;
  /** The address of the page, also where the request is for its data alone. */
  readonly url: URL;
  /** True where the browser asks for the data of a page. */
  readonly isDataRequest: boolean;
  /** Bindings and the context of a worker; of `adapter-node` the request of Node. */
  // deno-lint-ignore no-explicit-any -- the application's own type
  readonly platform?: any;
  /** Returns the address of the connection, as the adapter knows it. */
  getClientAddress(): string;
}

/** The functions of SvelteKit that {@linkcode svelteKitAuth} is given, so that it imports nothing of it. */
export interface SvelteKitFunctions {
  /** `error` of `@sveltejs/kit`. */
  error(status: number, message: string): never;
  /** `redirect` of `@sveltejs/kit`. */
  redirect(status: 303, location: string, options?: { external: string[] }): never;
  /** `building` of `$app/env`, in SvelteKit 2 of `$app/environment`: pages that are made once know nobody. */
  readonly building: boolean;
}

/** Result of {@linkcode svelteKitAuth} for an application: the hook, and guards for `load` functions and actions. */
export interface SvelteKitAuth extends Guards {
  /** The hook of `hooks.server.ts`: the endpoints below `/auth`, and the session around everything else. */
  handle<Event extends SvelteKitEvent>(
    input: { event: Event; resolve(event: Event): Response | Promise<Response> },
  ): Promise<Response>;
}

/**
 * The library in SvelteKit: a hook that answers everything below `/auth` and puts the session around all other requests,
 * in whose `load` functions, actions and endpoints `getUser()` and all other operations know the request. SvelteKit
 * catches what they throw before the hook can, so those that require something are here once more, with its own errors.
 *
 * The address of the connection is the one of SvelteKit's adapter. Forms of other sites are refused by the own origin, which
 * is `baseUrl`, in development too, where SvelteKit asks nobody.
 *
 * @param auth What `createAuth()` returned. Options that are a function of the environment are given the bindings of a
 * worker, and on servers the variables of the process.
 * @param kit Functions of SvelteKit, as the application imports them.
 * @throws {ConfigurationError} In production, for wrong options and without `baseUrl` or `allowedHosts`.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, getUser } from "@framework/auth";
 * import { svelteKitAuth } from "@framework/auth/sveltekit";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage(), pages: { signIn: "/login" } });
 * // In an application: import { error, redirect } from "@sveltejs/kit", and building from "$app/env".
 * const error = (status: number): never => { throw new Error(String(status)); };
 * const redirect = (_status: number, location: string): never => { throw new Error(location); };
 * const { handle } = svelteKitAuth(auth, { error, redirect, building: false });
 *
 * const request = new Request("http://localhost/");
 * const response = await handle({
 *   event: {
 *     request,
 *     url: new URL(request.url),
 *     isDataRequest: false,
 *     getClientAddress: () => "192.0.2.1",
 *   },
 *   resolve: () => new Response(`Hello ${getUser()?.name ?? "stranger"}`),
 * });
 * equal(await response.text(), "Hello stranger");
 * ```
 */
export function svelteKitAuth<Env>(auth: Auth<Env>, kit: SvelteKitFunctions): SvelteKitAuth {
  // Not while the pages are built, without the variables of the server.
  if (!kit.building && runMode() === "production") checkAtStart(auth);

  const enter = createDoor(auth);

  function translate(thrown: unknown): never {
    if (thrown instanceof RedirectError) {
      // Whole addresses are strangers to SvelteKit; this one has passed the redirect guard.
      const { origin, href } = new URL(thrown.location);
      kit.redirect(303, href, { external: [origin] });
    }
    if (isAnswer(thrown)) kit.error(thrown.status, thrown.message);
    throw thrown;
  }

  return {
    ...createGuards(translate),
    async handle({ event, resolve }) {
      if (kit.building) return await resolve(event);
      const { platform, url, isDataRequest } = event;
      // Else who must sign in first would come back to the data of the page.
      const request = isDataRequest ? new Request(url, event.request) : event.request;
      const work = { forms: true, next: () => resolve(event) };
      if (!isWorkerPlatform()) {
        if (isCut(platform?.req)) return new Response("Too many headers", { status: 431 });
        const clientAddress = event.getClientAddress();
        return await enter(request, undefined, { ...work, clientAddress });
      }
      const context = platform?.ctx ?? platform?.context;
      const waitUntil = (work: Promise<unknown>) => context?.waitUntil(work);
      return await enter(request, platform?.env, { ...work, waitUntil });
    },
  };
}
