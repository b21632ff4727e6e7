/**
 * define functions for the files of an application by convention.
 *
 * @module
 */

import type { EndpointModule, SignInMethod } from "../core/contracts.ts";
import { isProvider, type Provider, resolveMethod } from "../core/provider.ts";
import { type Definition, functionsOf, wrongOption } from "../lib/options.ts";
import type { AuthCallbacks } from "../types/callbacks.ts";
import { type AuthEvents, EVENT_TYPES } from "../types/events.ts";
import type { User } from "../types/user.ts";
import type { AuthConfig } from "./options.ts";

/**
 * Declares the configuration of an application: the default export of `app/auth/config.ts`.
 *
 * @param config The options, or a function that makes them from the environment.
 *
 * @example
 * ```ts
 * import { defineAuthConfig } from "@framework/auth/convention";
 * import { equal } from "node:assert/strict";
 *
 * const config = defineAuthConfig({ pages: { signIn: "/login" } });
 * equal(typeof config, "object");
 * ```
 */
export function defineAuthConfig<Env = never>(
  config: Definition<AuthConfig, Env>,
): Definition<AuthConfig, Env> {
  return config;
}

/**
 * Declares a way to sign in: the default export of `app/auth/providers/<id>.ts`.
 *
 * @param provider What a provider factory returned, or a function that calls one with the environment, or
 * returns null where the environment lacks what it takes: there is no such way to sign in then.
 * @throws {ConfigurationError} When it is no provider; of a function, at the first request.
 *
 * @example
 * ```ts
 * import { credentials } from "@framework/auth";
 * import { defineProvider } from "@framework/auth/convention";
 * import { equal } from "node:assert/strict";
 *
 * const provider = defineProvider((env: { PIN: string }) =>
 *   credentials({
 *     credentials: { pin: { label: "PIN", type: "password" } },
 *     authorize: ({ pin }) => Promise.resolve(pin === env.PIN ? { id: "owner" } : null),
 *   })
 * );
 * equal(provider.kind, "provider");
 * ```
 *
 * @example Only where it is set up
 * ```ts
 * import { github } from "@framework/auth";
 * import { defineProvider } from "@framework/auth/convention";
 *
 * export default defineProvider((env: { GITHUB_ID?: string; GITHUB_SECRET?: string }) =>
 *   env.GITHUB_ID && env.GITHUB_SECRET
 *     ? github({ clientId: env.GITHUB_ID, clientSecret: env.GITHUB_SECRET })
 *     : null
 * );
 * ```
 */
export function defineProvider<Env = never>(
  provider: Provider | ((env: Env) => Provider | null),
): Provider {
  if (typeof provider !== "function") {
    if (!isProvider(provider)) {
      throw wrongOption(
        "defineProvider()",
        provider,
        "what a provider function such as credentials() returns",
      );
    }
    return provider;
  }
  return {
    kind: "provider",
    definition(env: Env): SignInMethod | EndpointModule | null {
      const made: unknown = provider(env);
      if (made === null) return null;
      if (!isProvider(made)) {
        throw wrongOption(
          "defineProvider()",
          made,
          "what a provider function such as credentials() returns",
        );
      }
      return resolveMethod(made, env);
    },
  };
}

/**
 * Declares the application's say in who signs in, where redirects lead and what a session holds: the
 * default export of `app/auth/callbacks.ts`.
 *
 * @typeParam AppUser The application's own user type, when it knows more about its users.
 * @param callbacks The callbacks, or a function that makes them from the environment.
 * @throws {ConfigurationError} For an unknown callback; of a function, at the first request.
 *
 * @example
 * ```ts
 * import { verifiedEmail } from "@framework/auth";
 * import { defineAuthCallbacks } from "@framework/auth/convention";
 * import { equal } from "node:assert/strict";
 *
 * const callbacks = defineAuthCallbacks({
 *   signIn: ({ user }) => verifiedEmail(user)?.endsWith("@example.com") ?? false,
 *   redirect: ({ url, baseUrl }) => url === `${baseUrl}/` ? "/dashboard" : url,
 *   jwt: ({ token, user }) => user === undefined ? token : { ...token, plan: "free" },
 *   session: ({ session, token }) => ({ ...session, plan: token?.plan }),
 * });
 * equal(typeof callbacks, "object");
 * ```
 */
export function defineAuthCallbacks<AppUser extends User = User, Env = never>(
  callbacks: Definition<AuthCallbacks<AppUser>, Env>,
): Definition<AuthCallbacks<AppUser>, Env> {
  if (typeof callbacks !== "function") readCallbacks(callbacks);
  return callbacks;
}

/**
 * Checks the callbacks of an application.
 *
 * @throws {ConfigurationError} For an unknown name, or for what is no function.
 */
export function readCallbacks(value: unknown): AuthCallbacks {
  return functionsOf<AuthCallbacks>(value, "callbacks", ["signIn", "redirect", "session", "jwt"]);
}

/**
 * Declares listeners to what happens: the default export of `app/auth/events.ts`.
 *
 * @param events The listeners by type of event, or a function that makes them from the environment.
 * @throws {ConfigurationError} For an unknown type of event; of a function, at the first request.
 *
 * @example
 * ```ts
 * import { defineAuthEvents } from "@framework/auth/convention";
 * import { equal } from "node:assert/strict";
 *
 * const audit: string[] = [];
 * const events = defineAuthEvents({
 *   "sign-in": ({ userId, provider }) => audit.push(`${userId} by ${provider}`),
 *   "sign-in-failed": ({ code, address }) => audit.push(`${code} from ${address}`),
 * });
 * equal(typeof events, "object");
 * ```
 */
export function defineAuthEvents<Env = never>(
  events: Definition<AuthEvents, Env>,
): Definition<AuthEvents, Env> {
  if (typeof events !== "function") readEvents(events);
  return events;
}

/**
 * Checks the listeners of an application.
 *
 * @throws {ConfigurationError} For an unknown type of event, or for what is no function.
 */
export function readEvents(value: unknown): AuthEvents {
  return functionsOf<AuthEvents>(value, "events", ["*", ...EVENT_TYPES]);
}
