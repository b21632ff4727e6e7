/**
 * Definition of roles, checked.
 *
 * @module
 */

import { ConfigurationError } from "../errors.ts";
import {
  checkKeys,
  type Definition,
  describe,
  isOptions,
  optionsAt,
  readMade,
  resolveDefinition,
  tableAt,
} from "../lib/options.ts";
import {
  createRbac,
  isPermission,
  PERMISSION_PATTERNS,
  type Rbac,
  type RoleTable,
  TEAM_SCOPE,
  type TeamRole,
} from "./permissions.ts";

/**
 * Declares the roles of an application and their permissions: the default export of
 * `app/auth/rbac.ts`, or the option `rbac` of `createAuth()`. They are checked and compiled here,
 * once.
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
  const { teamRoles, ...table } = readRbac(config);
  return { ...createRbac(table), teamRoles };
}

/** Role with its permissions. */
export interface Role {
  /** Unique; it is what `user.role` and `user.roles` hold. */
  id: string;
  /** Display name. */
  name: string;
  /**
   * Permissions: `resource:action`, `resource:*` for all actions on a resource,
   * `resource:action:own` for an action on the user's own resources only, or `*` for everything.
   */
  permissions: string[];
  /** Purpose of the role, for the administrator who assigns it. */
  description?: string;
}

/** The roles of an application. */
export interface RbacConfig {
  /** Every role. A role that is not listed permits nothing. */
  roles: Role[];
  /**
   * Id of the role whose permissions users have who have no role at all. They do not have the role: `hasRole()` of it
   * is false. Default: none, they may do nothing.
   */
  defaultRole?: string;
  /** For a role, the roles whose permissions it has besides its own, with all that those inherit. */
  hierarchy?: Record<string, string[]>;
  /**
   * Roles that members of a tenant can have there: a list of their own, so that no role of a team is ever one of the
   * site. In requests of that tenant a member with the role "editor" has the role "team:editor". They permit named
   * actions, never "*", which would open the pages of the site too. Default: one list serves both, and a member has
   * the site's role of that name.
   */
  teamRoles?: Role[];
}

/** The roles of an application, as `defineRBAC()` makes them. */
export interface RbacDefinition {
  /** Tells roles from other objects. */
  readonly kind: "rbac";
  /** Roles, or a function that makes them from the environment. */
  readonly definition: Definition<Rbac>;
}

/**
 * Reads the option `rbac`; null without it. Nothing here knows how roles are compiled, so that an
 * application without roles does not bundle the check.
 */
export function readRbacOption(value: unknown, env: unknown): Rbac | null {
  const write = "what defineRBAC() returns";
  const made = readMade<RbacDefinition>(value, "rbac", { kind: "rbac", write });
  return made && resolveDefinition(made.definition, env);
}

function wrong(field: string, found: unknown, write: string, role?: unknown): ConfigurationError {
  const whose = typeof role === "string" ? ` (role ${describe(role)})` : "";
  return new ConfigurationError(
    `Wrong option "rbac.${field}"${whose}: found ${describe(found)}; write ${write}`,
    { field: `rbac.${field}` },
  );
}

interface CheckedRole extends TeamRole {
  permissions: string[];
}

function readRole(value: unknown, field: string): CheckedRole {
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
  return { id, name, permissions: [...permissions] };
}

function readRoles(value: unknown): Map<string, string[]> {
  if (!Array.isArray(value)) throw wrong("roles", value, "a list of roles");
  const roles = new Map<string, string[]>();
  for (const [index, item] of value.entries()) {
    const { id, permissions } = readRole(item, `roles[${index}]`);
    if (id.startsWith(TEAM_SCOPE)) {
      throw wrong(`roles[${index}].id`, id, `an id that does not begin with "${TEAM_SCOPE}"`);
    }
    if (roles.has(id)) throw wrong(`roles[${index}].id`, id, "an id that no other role has");
    roles.set(id, permissions);
  }
  return roles;
}

function readTeamRoles(value: unknown): CheckedRole[] {
  if (!Array.isArray(value)) throw wrong("teamRoles", value, "a list of roles");
  const ids = new Set<string>();
  return value.map((item, index) => {
    const role = readRole(item, `teamRoles[${index}]`);
    const { id, permissions } = role;
    if (ids.has(id)) {
      throw wrong(`teamRoles[${index}].id`, id, "an id that no other role of teams has");
    }
    ids.add(id);
    // In requests of a team its roles count beside those of the site: with "*" an owner of any team would be let into
    // every page of the site that asks for a permission.
    const all = permissions.indexOf("*");
    if (all !== -1) {
      throw wrong(`teamRoles[${index}].permissions[${all}]`, "*", 'actions by name: "posts:*"', id);
    }
    return role;
  });
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
export function readRbac(value: unknown): RoleTable & Pick<Rbac, "teamRoles"> {
  const options = optionsAt(value, "rbac", ["roles", "defaultRole", "hierarchy", "teamRoles"]);
  const permissions = readRoles(options.roles);
  const { defaultRole } = options;
  if (defaultRole !== undefined && !permissions.has(defaultRole as string)) {
    throw wrong("defaultRole", defaultRole, describeRoles(permissions));
  }
  const hierarchy = readHierarchy(options.hierarchy, permissions);
  const teamRoles = options.teamRoles === undefined ? undefined : readTeamRoles(options.teamRoles);
  for (const role of teamRoles ?? []) permissions.set(TEAM_SCOPE + role.id, role.permissions);
  return {
    permissions,
    hierarchy,
    defaultRole: (defaultRole as string | undefined) ?? null,
    teamRoles,
  };
}

/** The way that is being tried, from where it began to where it is. */
interface Way {
  nodes: string[];
  /** For each node, what is still to be tried from there. */
  untried: string[][];
  /** The same nodes, for asking. */
  members: Set<string>;
}

function advance(way: Way, node: string, next: readonly string[]): void {
  way.nodes.push(node);
  way.untried.push([...next]);
  way.members.add(node);
}

/**
 * Finds a way from a node back to itself. It does not recurse, so depth costs no stack, and it goes along
 * every edge once.
 *
 * @returns The nodes on the way, the first again at the end; null when there is none.
 */
export function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] | null {
  const done = new Set<string>();
  for (const start of graph.keys()) {
    if (done.has(start)) continue;
    const way: Way = { nodes: [], untried: [], members: new Set() };
    advance(way, start, graph.get(start)!);
    while (way.nodes.length > 0) {
      const next = way.untried.at(-1)!.pop();
      if (next === undefined) {
        const left = way.nodes.pop()!;
        way.untried.pop();
        way.members.delete(left);
        done.add(left);
      } else if (way.members.has(next)) {
        return [...way.nodes.slice(way.nodes.indexOf(next)), next];
      } else if (!done.has(next)) {
        advance(way, next, graph.get(next) ?? []);
      }
    }
  }
  return null;
}
