import { checkKeys, describe, isOptions, optionsAt, tableAt } from "../config/check.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { findCycle } from "./find_cycle.ts";
import { isPermission, PERMISSION_PATTERNS } from "./permission.ts";
import type { RoleTable } from "./rbac.ts";

function wrong(field: string, found: unknown, write: string, role?: unknown): ConfigurationError {
  const whose = typeof role === "string" ? ` (role ${describe(role)})` : "";
  return new ConfigurationError(
    `Wrong option "rbac.${field}"${whose}: found ${describe(found)}; write ${write}`,
    { field: `rbac.${field}` },
  );
}

function readRole(value: unknown, field: string): { id: string; permissions: string[] } {
  if (!isOptions(value)) {
    throw wrong(field, value, '{ id: "editor", name: "Editor", permissions: ["posts:*"] }');
  }
  checkKeys(value, ["id", "name", "permissions", "description"], `rbac.${field}`);
  const { id, name, permissions, description } = value;
  if (typeof id !== "string" || id === "") throw wrong(`${field}.id`, id, "the id of a role");
  if (typeof name !== "string" || name === "") {
    throw wrong(`${field}.name`, name, "a display name", id);
  }
  if (description !== undefined && typeof description !== "string") {
    throw wrong(`${field}.description`, description, "a text", id);
  }
  if (!Array.isArray(permissions)) {
    throw wrong(`${field}.permissions`, permissions, "a list, which may be empty", id);
  }
  for (const [index, permission] of permissions.entries()) {
    if (isPermission(permission)) continue;
    throw wrong(`${field}.permissions[${index}]`, permission, PERMISSION_PATTERNS, id);
  }
  return { id, permissions: [...permissions] };
}

function readRoles(value: unknown): Map<string, string[]> {
  if (!Array.isArray(value)) throw wrong("roles", value, "a list of roles");
  const roles = new Map<string, string[]>();
  for (const [index, item] of value.entries()) {
    const { id, permissions } = readRole(item, `roles[${index}]`);
    if (roles.has(id)) throw wrong(`roles[${index}].id`, id, "an id that no other role has");
    roles.set(id, permissions);
  }
  return roles;
}

function readHierarchy(
  value: unknown,
  roles: ReadonlyMap<string, unknown>,
): Map<string, string[]> {
  const hierarchy = new Map<string, string[]>();
  const known = describeRoles(roles);
  for (const [id, inherited] of Object.entries(tableAt(value, "rbac.hierarchy"))) {
    if (!roles.has(id)) throw wrong("hierarchy", id, known);
    if (!Array.isArray(inherited)) throw wrong("hierarchy", inherited, "a list of role ids", id);
    for (const parent of inherited) {
      if (!roles.has(parent)) throw wrong("hierarchy", parent, known, id);
    }
    hierarchy.set(id, [...inherited]);
  }
  const cycle = findCycle(hierarchy);
  if (cycle !== null) {
    const shown = cycle.length > 9 ? [...cycle.slice(0, 4), "…", ...cycle.slice(-4)] : cycle;
    throw new ConfigurationError(
      `Wrong option "rbac.hierarchy": the role ${describe(cycle[0])} inherits from itself ` +
        `(${shown.join(" → ")}); take one of these away`,
      { field: "rbac.hierarchy" },
    );
  }
  return hierarchy;
}

function describeRoles(roles: ReadonlyMap<string, unknown>): string {
  const names = [...roles.keys()].slice(0, 20);
  const more = roles.size > names.length ? ", …" : "";
  return `the id of one of the roles: ${names.join(", ") || "there is none"}${more}`;
}

/**
 * Checks the roles of an application.
 *
 * @throws {ConfigurationError} Naming the role, what was found and what to write: for a permission that is
 * none of the four patterns, an id that is taken or that no role has, a role that inherits from itself.
 */
export function readRbac(value: unknown): RoleTable {
  const options = optionsAt(value, "rbac", ["roles", "defaultRole", "hierarchy"]);
  const permissions = readRoles(options.roles);
  const { defaultRole } = options;
  if (defaultRole !== undefined && !permissions.has(defaultRole as string)) {
    throw wrong("defaultRole", defaultRole, describeRoles(permissions));
  }
  return {
    permissions,
    hierarchy: readHierarchy(options.hierarchy, permissions),
    defaultRole: (defaultRole as string | undefined) ?? null,
  };
}
