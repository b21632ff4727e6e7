import { createRbac, type PermissionOptions, type RoleHolder } from "./rbac.ts";
import { type SerializedRbac, tableOf } from "./serialized_rbac.ts";

/** Answers what a user may do, as `hasPermission()` does on the server. Nobody may do anything. */
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
  const rbac = createRbac(tableOf(rules));
  return (user, permission, options) => user !== null && rbac.permits(user, permission, options);
}
