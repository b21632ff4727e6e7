import type { Definition } from "../config/definition.ts";
import type { Provider, SignInMethod } from "./provider.ts";

/** The provider for a configuration, or for a function that makes one from the environment. */
export function defineMethod<Config, Env>(
  config: Config | ((env: Env) => Config),
  create: (config: Config) => SignInMethod,
): Provider {
  if (typeof config !== "function") return { kind: "provider", definition: create(config) };
  const make = config as (env: Env) => Config;
  const definition: Definition<SignInMethod, Env> = (env) => create(make(env));
  return { kind: "provider", definition };
}
