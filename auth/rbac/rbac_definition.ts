import { readMade } from "../config/check.ts";
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
  const write = "what defineRBAC() returns";
  const made = readMade<RbacDefinition>(value, "rbac", { kind: "rbac", write });
  return made && resolveDefinition(made.definition, env);
}
