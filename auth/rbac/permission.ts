// A name is anything but white space, controls and the two signs that mean something. Letter case counts.
const PATTERN = /^(?:\*|[^\s:*\p{C}]+:(?:\*|[^\s:*\p{C}]+(?::own)?))$/u;

/** What may stand in the list of a role, for messages. */
export const PERMISSION_PATTERNS =
  '"resource:action", "resource:*", "resource:action:own" or "*"; a name holds no ":", "*" or space';

/** True for one of the four patterns of a permission, and for nothing else. */
export function isPermission(value: unknown): value is string {
  return typeof value === "string" && PATTERN.test(value);
}

/** What would permit something. */
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
