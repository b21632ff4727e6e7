import type { Definition } from "../config/definition.ts";
import { createRbac, type Rbac } from "./rbac.ts";
import type { RbacConfig } from "./rbac_config.ts";
import type { RbacDefinition } from "./rbac_definition.ts";
import { readRbac } from "./read_rbac.ts";

/**
 * Declares the roles of an application and what they permit: the default export of `app/auth/rbac.ts`, or
 * the option `rbac` of `createAuth()`. They are checked and compiled here, once.
 *
 * @param rbac The roles, or a function that makes them from the environment.
 * @throws {ConfigurationError} For a role, a permission or a hierarchy that is wrong; of a function, at the
 * first request.
 *
 * @example
 * ```ts
 * import { defineRBAC } from "@framework/auth/convention";
 * import { equal } from "node:assert/strict";
 *
 * const rbac = defineRBAC({
 *   roles: [
 *     { id: "reader", name: "Reader", permissions: ["posts:read"] },
 *     { id: "author", name: "Author", permissions: ["posts:create", "posts:update:own"] },
 *     { id: "admin", name: "Administrator", permissions: ["*"] },
 *   ],
 *   defaultRole: "reader",
 *   hierarchy: { author: ["reader"] },
 * });
 * equal(rbac.kind, "rbac");
 * ```
 */
export function defineRBAC<Env = never>(rbac: Definition<RbacConfig, Env>): RbacDefinition {
  if (typeof rbac !== "function") return { kind: "rbac", definition: compile(rbac) };
  return { kind: "rbac", definition: (env: Env) => compile(rbac(env)) };
}

function compile(config: RbacConfig): Rbac {
  return createRbac(readRbac(config));
}
