/**
 * Roles and permissions.
 *
 * @module
 */

import type { User } from "../types/user.ts";

/** Options for a permission check. */
export interface PermissionOptions {
  /**
   * Id of the resource's owner; null or undefined when there is none. With it, who holds a
   * permission for own resources only must be that user. Without it the question is whether the
   * user may do it to own resources at all.
   */
  ownerId?: string | null | undefined;
}

/** A question about a user, as the operations are called: one permission, or several of which any suffices. */
export type PermissionQuestion = [
  permission: string | readonly string[],
  options?: PermissionOptions | undefined,
];

/** A user as far as roles are concerned. */
export type RoleHolder = Pick<User, "id" | "role" | "roles">;

/**
 * Beginning of the name under which a role of a team stands among the roles of a user, for requests of that team alone. No
 * role of the site begins with it.
 */
export const TEAM_SCOPE = "team:";

/**
 * A user with the roles of the site alone, where teams have a list of their own: those count by a membership and in its team,
 * whatever stands in the row of the user.
 */
export function withSiteRoles<Holder extends RoleHolder>(rbac: Rbac, user: Holder): Holder {
  if (rbac.teamRoles === undefined) return user;
  const { role, roles, ...rest } = user;
  const isOfSite = (one: string) => !one.startsWith(TEAM_SCOPE);
  return {
    ...rest,
    ...typeof role === "string" && isOfSite(role) && { role },
    ...Array.isArray(roles) && { roles: roles.filter(isOfSite) },
  } as Holder;
}

/** Answers what users may do. */
export interface Rbac {
  /** Roles of teams, as they were declared. Default: one list serves site and teams. */
  readonly teamRoles?: readonly TeamRole[] | undefined;
  /** True when a role of the user permits it. Whatever is unknown permits nothing, and nobody may do anything. */
  permits(user: RoleHolder | null, ...question: PermissionQuestion): boolean;
  /** The roles as JSON, all of them. */
  toJSON(): SerializedRbac;
}

/** Role that members of a team can have: `Role` without its description. */
export interface TeamRole {
  /** Unique among the roles of teams. */
  id: string;
  /** Display name. */
  name: string;
  /** Permissions in that team. */
  permissions: readonly string[];
}

/** Users for whom a permission holds. */
type Reach = "nobody" | "owner" | "everybody";

// Questions that are remembered for each role. An application asks few; whoever makes one ask many, with
// names from a request, gets no more room than this.
const MAX_REMEMBERED = 1000;
const MAX_LENGTH = 200;

function isOwner({ id }: RoleHolder, options: PermissionOptions | undefined): boolean {
  if (options === undefined || !("ownerId" in options)) return true;
  // Only a text can name an owner: what is missing on both sides is not the same.
  return typeof options.ownerId === "string" && options.ownerId === id;
}

/** Makes what answers for a table of roles. What a role permits is put together when it is first asked for. */
export function createRbac(table: RoleTable): Rbac {
  return { permits: createPermits(table), toJSON: () => serializeTable(table) };
}

/** The answers alone: a browser writes no roles down. */
function createPermits({ permissions, hierarchy, defaultRole }: RoleTable): Rbac["permits"] {
  const permitted = new Map<string, ReadonlySet<string>>();
  const remembered = new Map<string, Map<string, Reach>>();
  // Most questions of a page are about one role.
  let recent: { role: string; answers: Map<string, Reach> } | undefined;

  function gather(role: string): Set<string> {
    const gathered = new Set<string>();
    // A set is walked in the order of addition, also over what is added on the way.
    const reached = new Set([role]);
    for (const id of reached) {
      for (const permission of permissions.get(id) ?? []) gathered.add(permission);
      for (const inherited of hierarchy.get(id) ?? []) reached.add(inherited);
    }
    return gathered;
  }

  function decide(role: string, permission: string): Reach {
    const grants = grantsFor(permission);
    if (grants === null) return "nobody";
    let held = permitted.get(role);
    if (held === undefined) permitted.set(role, held = gather(role));
    if (grants.full.some((one) => held.has(one))) return "everybody";
    return grants.own !== null && held.has(grants.own) ? "owner" : "nobody";
  }

  function reachOf(role: string, permission: string): Reach {
    if (recent === undefined || recent.role !== role) {
      if (!permissions.has(role)) return "nobody";
      const answers = remembered.get(role) ?? new Map<string, Reach>();
      remembered.set(role, answers);
      recent = { role, answers };
    }
    const { answers } = recent;
    const known = answers.get(permission);
    if (known !== undefined) return known;
    const decided = decide(role, permission);
    if (permission.length <= MAX_LENGTH) {
      if (answers.size >= MAX_REMEMBERED) answers.clear();
      answers.set(permission, decided);
    }
    return decided;
  }

  /**
   * Tests if one role of the user grants the permission. It allocates nothing, since a page asks
   * for every button.
   */
  function allows(role: string, permission: string, user: RoleHolder, options?: PermissionOptions) {
    const reach = reachOf(role, permission);
    return reach === "everybody" || (reach === "owner" && isOwner(user, options));
  }

  function permitsOne(user: RoleHolder, permission: string, options?: PermissionOptions): boolean {
    const { role } = user;
    const isNamed = typeof role === "string";
    if (isNamed && allows(role, permission, user, options)) return true;
    const { roles } = user;
    if (Array.isArray(roles) && roles.length > 0) {
      let isPlaced = false;
      for (const one of roles) {
        if (allows(one, permission, user, options)) return true;
        // A role in a team is none of the site: who has no other keeps the default one.
        isPlaced ||= !String(one).startsWith(TEAM_SCOPE);
      }
      if (isPlaced) return false;
    }
    return !isNamed && defaultRole !== null && allows(defaultRole, permission, user, options);
  }

  return (user, asked, options) => {
    if (user === null) return false;
    if (typeof asked === "string") return permitsOne(user, asked, options);
    return Array.isArray(asked) && asked.some((one) => permitsOne(user, one, options));
  };
}

/** The roles of an application, checked. */
export interface RoleTable {
  /** Permissions of each role without inheritance. */
  permissions: ReadonlyMap<string, readonly string[]>;
  /** The roles from which each inherits. */
  hierarchy: ReadonlyMap<string, readonly string[]>;
  /** The role of users who have none, or null. */
  defaultRole: string | null;
}

/** Roles as JSON, for a browser. */
export interface SerializedRbac {
  /** Each with what it permits by itself and the roles from which it inherits. */
  roles: [id: string, permissions: string[], inherits: string[]][];
  /** The role of users who have none, or null. */
  defaultRole: string | null;
}

/** Writes roles down. */
function serializeTable({ permissions, hierarchy, defaultRole }: RoleTable): SerializedRbac {
  const roles = [...permissions].map(([id, own]): SerializedRbac["roles"][number] => [
    id,
    [...own],
    [...hierarchy.get(id) ?? []],
  ]);
  return { roles, defaultRole };
}

/** Reads what {@linkcode serializeTable} wrote. */
function tableOf({ roles, defaultRole }: SerializedRbac): RoleTable {
  return {
    permissions: new Map(roles.map(([id, permissions]) => [id, permissions])),
    hierarchy: new Map(roles.map(([id, , inherits]) => [id, inherits])),
    defaultRole,
  };
}

/** The part of the roles that decides about one user: a browser need not know what others may do. */
export function rulesFor(all: SerializedRbac, user: RoleHolder | null): SerializedRbac {
  if (user === null) return { roles: [], defaultRole: null };
  const byId = new Map(all.roles.map((role) => [role[0], role]));
  const { role, roles } = user;
  const own = [...(typeof role === "string" ? [role] : []), ...(Array.isArray(roles) ? roles : [])];
  const { defaultRole } = all;
  // A set is walked in the order of addition, also over what is added on the way.
  const isPlaced = own.some((one) => !String(one).startsWith(TEAM_SCOPE));
  const reached = new Set(isPlaced || defaultRole === null ? own : [...own, defaultRole]);
  for (const id of reached) for (const parent of byId.get(id)?.[2] ?? []) reached.add(parent);
  return {
    roles: all.roles.filter(([id]) => reached.has(id)),
    defaultRole: defaultRole !== null && reached.has(defaultRole) ? defaultRole : null,
  };
}

// A name is anything but white space, controls and the two signs that mean something. Letter case counts.
const PATTERN = /^(?:\*|[^\s:*\p{C}]+:(?:\*|[^\s:*\p{C}]+(?::own)?))$/u;

/** Permission syntax for messages. */
export const PERMISSION_PATTERNS =
  '"resource:action", "resource:*", "resource:action:own" or "*"; a name holds no ":", "*" or space';

/** True for one of the four patterns of a permission, and for nothing else. */
export function isPermission(value: unknown): value is string {
  return typeof value === "string" && PATTERN.test(value);
}

/** Grants that would permit an action. */
export interface Grants {
  /** Permissions of which each suffices. */
  full: readonly string[];
  /** The permission that suffices for the owner, or null. */
  own: string | null;
}

/**
 * The permissions that cover one. `a:b:own` asks for less than `a:b`, and `a:*` for less than `*`; nothing
 * else follows from anything, so the answer is a handful of names to look up and no pattern is ever
 * matched against another.
 *
 * @returns Null for what is no permission; nobody has it.
 */
export function grantsFor(permission: unknown): Grants | null {
  if (!isPermission(permission)) return null;
  if (permission === "*") return { full: ["*"], own: null };
  const [resource, action, own] = permission.split(":");
  const full = ["*", `${resource}:*`];
  if (action !== "*") full.push(`${resource}:${action}`);
  return { full, own: own === undefined ? null : permission };
}

/** Checks a permission as `hasPermission()` does on the server. Nobody may do anything. */
export type PermissionChecker = (
  user: RoleHolder | null,
  permission: string | readonly string[],
  options?: PermissionOptions,
) => boolean;

/**
 * Makes what answers from the roles that a server wrote down. It runs in a browser and has nothing of the
 * server in it. What it says is for showing and hiding; whether something happens is decided where it
 * happens.
 *
 * @param rules What `serializeRbac()` returned, also after a way as JSON.
 */
export function createPermissionChecker(rules: SerializedRbac): PermissionChecker {
  return createPermits(tableOf(rules));
}

/** Roles that the user has, literally, each once: `role` and those of `roles`. */
export function rolesOf({ role, roles = [] }: RoleHolder): string[] {
  return [...new Set([...role === undefined ? [] : [role], ...roles])];
}

/** True when the user has the role, or any of several, literally: in `role` or among `roles`. */
export function userHasRole(user: User, role: string | readonly string[]): boolean {
  if (typeof role !== "string") return role.some((one) => userHasRole(user, one));
  if (user.role === role) return true;
  // A text has `includes` too, and would find a role in the middle of another one's name.
  return Array.isArray(user.roles) && user.roles.includes(role);
}
