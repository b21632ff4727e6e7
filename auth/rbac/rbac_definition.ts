import { isOptions, wrongOption } from "../config/check.ts";
import { type Definition, resolveDefinition } from "../config/definition.ts";
import type { Rbac } from "./rbac.ts";

/** The roles of an application, as `defineRBAC()` makes them. */
export interface RbacDefinition {
  /** Tells roles from other objects. */
  readonly kind: "rbac";
  /** What they are made of; a function is called with the environment. */
  readonly definition: Definition<Rbac>;
}

/**
 * Reads the option `rbac`; null without it. Nothing here knows how roles are compiled, so that an
 * application without roles does not carry what does.
 */
export function readRbacOption(value: unknown, env: unknown): Rbac | null {
  if (value === undefined) return null;
  if (!isOptions(value) || value.kind !== "rbac") {
    throw wrongOption("rbac", value, "what defineRBAC() returns");
  }
  return resolveDefinition((value as unknown as RbacDefinition).definition, env);
}
