import type { User } from "../users/user.ts";

/** True when the user has the role, or any of several, literally: in `role` or among `roles`. */
export function userHasRole(user: User, role: string | readonly string[]): boolean {
  if (typeof role !== "string") return role.some((one) => userHasRole(user, one));
  if (user.role === role) return true;
  // A text has `includes` too, and would find a role in the middle of another one's name.
  return Array.isArray(user.roles) && user.roles.includes(role);
}
