import type { RoleHolder, RoleTable } from "./rbac.ts";

/** Roles as JSON, for a browser. */
export interface SerializedRbac {
  /** Each with what it permits by itself and the roles from which it inherits. */
  roles: [id: string, permissions: string[], inherits: string[]][];
  /** The role of users who have none, or null. */
  defaultRole: string | null;
}

/** Writes roles down. */
export function serializeTable({ permissions, hierarchy, defaultRole }: RoleTable): SerializedRbac {
  const roles = [...permissions].map(([id, own]): SerializedRbac["roles"][number] => [
    id,
    [...own],
    [...hierarchy.get(id) ?? []],
  ]);
  return { roles, defaultRole };
}

/** Reads what {@linkcode serializeTable} wrote. */
export function tableOf({ roles, defaultRole }: SerializedRbac): RoleTable {
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
  const reached = new Set(own.length === 0 && defaultRole !== null ? [defaultRole] : own);
  for (const id of reached) for (const parent of byId.get(id)?.[2] ?? []) reached.add(parent);
  return {
    roles: all.roles.filter(([id]) => reached.has(id)),
    defaultRole: defaultRole !== null && reached.has(defaultRole) ? defaultRole : null,
  };
}
