import { resolveDefinition } from "../config/definition.ts";
import { createSafeLogger } from "../config/logger.ts";
import type { AuthOptions } from "../config/options.ts";
import { readSettings } from "../config/settings.ts";
import { createEndpointTable } from "./endpoints.ts";
import type { EndpointTable } from "./dispatch.ts";
import type { Settings } from "./contracts.ts";

/** An application's options, checked, and its endpoints. */
export interface Compiled {
  /** The options. */
  settings: Settings;
  /** The endpoints. */
  table: EndpointTable;
}

function compile(options: AuthOptions, env: unknown): Compiled {
  const settings = readSettings(options, env);
  return { settings, table: createEndpointTable(settings) };
}

/** Whether any part is made from the environment. What is no list of parts is for the check to find. */
function dependsOnEnvironment(options: AuthOptions): boolean {
  const { providers, rbac, tenancy } = options ?? {};
  const parts = [...(Array.isArray(providers) ? providers : []), rbac, tenancy];
  return parts.some((part) => typeof part?.definition === "function");
}

/** Compiles once: at the start where nothing depends on the environment, else once per environment object. */
export function createCompiler<Env>(
  source: AuthOptions | ((env: Env) => AuthOptions),
): (env: Env) => Compiled {
  const byEnv = new WeakMap<object, Compiled>();
  // One that is no object, such as `undefined`, is not another one either.
  const byValue = new Map<unknown, Compiled>();
  let single: Compiled | undefined;
  if (typeof source !== "function") {
    if (!dependsOnEnvironment(source)) single = compile(source, undefined);
  }
  return function compiled(env) {
    if (single !== undefined) return single;
    const isObject = typeof env === "object" && env !== null;
    const known = (isObject ? byEnv : byValue) as Pick<typeof byValue, "get" | "set">;
    let found = known.get(env);
    if (found === undefined) {
      let options: AuthOptions | undefined;
      try {
        options = resolveDefinition<AuthOptions>(source, env);
        found = compile(options, env);
      } catch (error) {
        // Some hosts drop what a request throws. A logger that is not yet checked may be none.
        const logger = typeof options?.logger?.error === "function" ? options.logger : undefined;
        createSafeLogger(logger).error("configuration-failed", { error });
        throw error;
      }
      known.set(env, found);
    }
    return found;
  };
}
