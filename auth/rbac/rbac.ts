import type { User } from "../users/user.ts";
import { grantsFor } from "./permission.ts";
import { type SerializedRbac, serializeTable } from "./serialized_rbac.ts";

/** What is asked besides the permission. */
export interface PermissionOptions {
  /**
   * Id of the user who owns what is to be acted on; null or undefined when nobody does. With it, who holds
   * a permission for own resources only must be that user. Without it the question is whether the user may
   * do it to own resources at all.
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

/** Answers what users may do. */
export interface Rbac {
  /** True when a role of the user permits it. Whatever is unknown permits nothing. */
  permits(user: RoleHolder, ...question: PermissionQuestion): boolean;
  /** The roles as JSON, all of them. */
  toJSON(): SerializedRbac;
}

/** For whom something is permitted. */
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
  const { permissions, hierarchy, defaultRole } = table;
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

  /** Whether one role of the user permits it. Nothing is allocated here: it is asked for every button of a page. */
  function allows(role: string, permission: string, user: RoleHolder, options?: PermissionOptions) {
    const reach = reachOf(role, permission);
    return reach === "everybody" || (reach === "owner" && isOwner(user, options));
  }

  function permitsOne(user: RoleHolder, permission: string, options?: PermissionOptions): boolean {
    const { role, roles } = user;
    const isNamed = typeof role === "string";
    if (isNamed && allows(role, permission, user, options)) return true;
    if (Array.isArray(roles) && roles.length > 0) {
      for (const one of roles) if (allows(one, permission, user, options)) return true;
      return false;
    }
    return !isNamed && defaultRole !== null && allows(defaultRole, permission, user, options);
  }

  return {
    permits(user, asked, options) {
      if (typeof asked === "string") return permitsOne(user, asked, options);
      return Array.isArray(asked) && asked.some((one) => permitsOne(user, one, options));
    },
    toJSON: () => serializeTable(table),
  };
}

/** The roles of an application, checked. */
export interface RoleTable {
  /** What each role permits by itself. */
  permissions: ReadonlyMap<string, readonly string[]>;
  /** The roles from which each inherits. */
  hierarchy: ReadonlyMap<string, readonly string[]>;
  /** The role of users who have none, or null. */
  defaultRole: string | null;
}
