import type { User } from "../users/user.ts";

/** True when the user has the role, or any of several, literally: in `role` or among `roles`. */
export function userHasRole(user: User, role: string | readonly string[]): boolean {
  if (typeof role !== "string") return role.some((one) => userHasRole(user, one));
  return user.role === role || user.roles?.includes(role) === true;
}
