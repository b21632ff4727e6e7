import type { User } from "../users/user.ts";
import { grantsFor } from "./permission.ts";
import type { RoleTable } from "./read_rbac.ts";

/** What is asked besides the permission. */
export interface PermissionOptions {
  /**
   * Id of the user who owns what is to be acted on; null or undefined when nobody does. With it, who holds
   * a permission for own resources only must be that user. Without it the question is whether the user may
   * do it to own resources at all.
   */
  ownerId?: string | null | undefined;
}

/** A question about a user, as the operations are called. */
export type PermissionQuestion = [permission: string, options?: PermissionOptions | undefined];

/** Answers what users may do. */
export interface Rbac {
  /** True when a role of the user permits it. Whatever is unknown permits nothing. */
  permits(user: User, ...question: PermissionQuestion): boolean;
}

function rolesOf({ role, roles }: User, defaultRole: string | null): readonly string[] {
  const own = [...(typeof role === "string" ? [role] : []), ...(Array.isArray(roles) ? roles : [])];
  if (own.length > 0) return own;
  return defaultRole === null ? [] : [defaultRole];
}

/** Makes what answers for a table of roles. What a role permits is put together when it is first asked for. */
export function createRbac({ permissions, hierarchy, defaultRole }: RoleTable): Rbac {
  const permitted = new Map<string, ReadonlySet<string>>();

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

  function permittedTo(role: string): ReadonlySet<string> | undefined {
    let known = permitted.get(role);
    if (known === undefined && permissions.has(role)) permitted.set(role, known = gather(role));
    return known;
  }

  return {
    permits(user, permission, options = {}) {
      const grants = grantsFor(permission);
      if (grants === null) return false;
      const { full, own } = grants;
      // Only a text can name an owner: what is missing on both sides is not the same.
      const isOwner = !("ownerId" in options) ||
        (typeof options.ownerId === "string" && options.ownerId === user.id);
      return rolesOf(user, defaultRole).some((role) => {
        const held = permittedTo(role);
        if (held === undefined) return false;
        return full.some((one) => held.has(one)) || (own !== null && isOwner && held.has(own));
      });
    },
  };
}
