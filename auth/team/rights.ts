/**
 * Rights in a team: its roles, and what a membership permits there.
 *
 * @module
 */

import type { Settings } from "../core/contracts.ts";
import { grantsFor, type TeamRole } from "../rbac/permissions.ts";

/** Role of those who own a team: one of them stays in it, and they may give every role. */
export const OWNER = "owner";

/** Permission to invite, which also shows the open invitations. */
export const INVITE = "team:invite";

/** Permission to change the roles of members and to remove them. */
export const MANAGE = "team:manage";

const DEFAULT_ROLES: readonly TeamRole[] = [
  { id: OWNER, name: "Owner", permissions: ["team:*"] },
  { id: "member", name: "Member", permissions: [] },
];

/** Roles that members of teams can have: those of `defineRBAC()`, or owner and member. */
export function teamRoles({ rbac }: Pick<Settings, "rbac">): readonly TeamRole[] {
  return rbac?.teamRoles ?? DEFAULT_ROLES;
}

function held(roles: readonly TeamRole[], ids: readonly string[]): Set<string> {
  return new Set(roles.flatMap(({ id, permissions }) => ids.includes(id) ? permissions : []));
}

function covers(permissions: ReadonlySet<string>, wanted: string): boolean {
  const grants = grantsFor(wanted);
  return grants !== null && (grants.full.some((one) => permissions.has(one)) ||
    grants.own !== null && permissions.has(grants.own));
}

/**
 * Tests if a membership with these roles permits something in its team, also in a request of another team or of none. The
 * roles that its user has on the site permit nothing here.
 */
export function mayInTeam(
  settings: Pick<Settings, "rbac">,
  ids: readonly string[],
  permission: string,
): boolean {
  return covers(held(teamRoles(settings), ids), permission);
}

/**
 * Tests if who has some roles may give others: only such as exist, and that permit nothing which the giver
 * may not do. The role of the owner is the owners' to give.
 */
export function mayGive(
  settings: Pick<Settings, "rbac">,
  own: readonly string[],
  wanted: readonly string[],
): boolean {
  const roles = teamRoles(settings);
  if (!wanted.every((id) => roles.some((role) => role.id === id))) return false;
  if (own.includes(OWNER)) return true;
  const permissions = held(roles, own);
  return !wanted.includes(OWNER) &&
    [...held(roles, wanted)].every((permission) => covers(permissions, permission));
}

/**
 * Tests if who has some roles may change somebody who has others, or what somebody was to have: nobody whom these permit
 * more. A role that is in the list no longer permits nothing.
 */
export function mayTake(
  settings: Pick<Settings, "rbac">,
  own: readonly string[],
  theirs: readonly string[],
): boolean {
  const roles = teamRoles(settings);
  return mayGive(settings, own, theirs.filter((id) => roles.some((role) => role.id === id)));
}
