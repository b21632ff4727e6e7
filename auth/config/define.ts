import { isProvider, type Provider, resolveMethod } from "../providers/provider.ts";
import { wrongOption } from "./check.ts";
import type { Definition } from "./definition.ts";
import type { AuthConfig } from "./options.ts";
import type { EndpointModule, SignInMethod } from "../http/contracts.ts";

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
