/**
 * Providers as applications pass them, and the lookups of what the parts of an application bring.
 *
 * @module
 */

import { ConfigurationError, RequestError } from "../errors.ts";
import { type Definition, resolveDefinition } from "../lib/options.ts";
import type { EndpointModule, Linking, Settings, SignInMethod, Stateless } from "./contracts.ts";

/** True for what a page can offer to sign in with. */
export function isMethod(module: SignInMethod | EndpointModule): module is SignInMethod {
  return "form" in module;
}

/** A way to sign in, as the provider factories make it. */
export interface Provider {
  /** Tells a provider from other objects. */
  readonly kind: "provider";
  /**
   * Definition for internal use: a {@linkcode SignInMethod}, or a function that makes it from the
   * environment, where null is none.
   */
  readonly definition: unknown;
}

/** The provider of one way to sign in, by its configuration or by a function that makes one from the environment. */
export function defineMethod<Config, Env>(
  config: Config | ((env: Env) => Config),
  read: (config: Config) => SignInMethod,
): Provider {
  if (typeof config !== "function") return { kind: "provider", definition: read(config) };
  const make = config as (env: Env) => Config;
  return { kind: "provider", definition: (env: Env): SignInMethod => read(make(env)) };
}

/** The checked method of a provider in this environment; null when it is not set up there. */
export function resolveMethod(
  provider: Provider,
  env: unknown,
): SignInMethod | EndpointModule | null {
  return resolveDefinition(
    provider.definition as Definition<SignInMethod | EndpointModule | null>,
    env,
  );
}

/** True for what a provider factory returned. */
export function isProvider(value: unknown): value is Provider {
  return typeof value === "object" && value !== null && "kind" in value &&
    value.kind === "provider" &&
    "definition" in value;
}

/**
 * Storage substitute of a stateless strategy.
 *
 * @throws {ConfigurationError} When there is nothing, as with a storage that lacks a group.
 */
export function statelessOf({ strategy }: Pick<Settings, "strategy">): Stateless {
  if (strategy.stateless !== undefined) return strategy.stateless;
  throw new ConfigurationError(
    'The storage has no group "rateLimits": give it `group: provideGroups({ rateLimits })`, or set `rateLimit.storage`',
    { field: "rateLimit.storage" },
  );
}

/**
 * Account linking of this application.
 *
 * @throws {RequestError} When it does not.
 */
export function linkingOf({ modules }: Settings): Linking {
  for (const module of modules) {
    if ("linking" in module && module.linking) return module.linking;
  }
  throw new RequestError(
    "This application links no accounts: accountEndpoints() or accountPage() among its `providers` does",
  );
}
