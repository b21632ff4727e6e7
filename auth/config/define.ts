import {
  isProvider,
  type Provider,
  resolveMethod,
  type SignInMethod,
} from "../providers/provider.ts";
import { wrongOption } from "./check.ts";
import type { Definition } from "./definition.ts";
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
 * @param provider What a provider factory returned, or a function that calls one with the environment.
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
 */
export function defineProvider<Env = never>(provider: Definition<Provider, Env>): Provider {
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
    definition(env: Env): SignInMethod {
      const made: unknown = provider(env);
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
