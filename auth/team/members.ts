/**
 * Members of a team: removing them, changing their roles, leaving, handing over.
 *
 * @module
 */

import type { RequestStore, Settings } from "../core/contracts.ts";
import { reportChange } from "../core/report.ts";
import { ForbiddenError, LastOwnerError, RequestError } from "../errors.ts";
import { groupOf } from "../storage/storage.ts";
import { teamGroup } from "../storage/teams.ts";
import { endMembership } from "../tenant/operations.ts";
import type { Member } from "../types/tenant.ts";
import type { PageText } from "../pages/texts.ts";
import { MANAGE, mayGive, mayTake, OWNER, teamRoles } from "./rights.ts";
import { type Acting, requireFreshForOwner, requireRight, tenancyOf } from "./team.ts";

const NO_MEMBER: PageText = "They are not a member of this team.";
const NO_ACCOUNT: PageText = "This account cannot sign in.";

/** Sentence for who wants to leave a team without an owner. */
export const KEEPS_OWNER: PageText = "A team keeps an owner. Make somebody else the owner first.";

/** Tests if a team has an owner beside this user. */
export async function hasOtherOwner(
  settings: Settings,
  { tenantId, userId }: Pick<Member, "tenantId" | "userId">,
): Promise<boolean> {
  const { members } = tenancyOf(settings);
  if (members.hasOther) return await members.hasOther(tenantId, userId, OWNER);
  let cursor: string | null | undefined;
  do {
    const part = await members.listOfTenant(tenantId, { limit: 100, ...(cursor && { cursor }) });
    if (part.members.some((one) => one.userId !== userId && one.roles.includes(OWNER))) return true;
    cursor = part.cursor;
  } while (cursor !== null);
  return false;
}

/**
 * Gives a member other roles, or ends the membership. Of owners who give it up at the same moment one stays: the store does it
 * in one step, or each asks again afterwards, and whoever then finds no owner is one again.
 *
 * @param roles Roles in place of the present ones; null ends the membership.
 * @returns False when there is no such member.
 * @throws {LastOwnerError} When nobody else is an owner.
 */
export async function changeMember(
  settings: Settings,
  member: Member,
  roles: readonly string[] | null,
): Promise<boolean> {
  const { members } = tenancyOf(settings);
  const { tenantId, userId } = member;
  async function write(): Promise<boolean> {
    return roles === null
      ? await members.remove(tenantId, userId)
      : await members.setRoles(tenantId, userId, roles);
  }
  if (!member.roles.includes(OWNER) || roles?.includes(OWNER)) return await write();
  if (members.giveUp) {
    if (await members.giveUp(tenantId, userId, { role: OWNER, roles })) return true;
    throw new LastOwnerError();
  }
  if (!await hasOtherOwner(settings, member)) throw new LastOwnerError();
  const written = await write();
  if (await hasOtherOwner(settings, member)) return written;
  if (!await members.setRoles(tenantId, userId, member.roles)) await members.add(member);
  throw new LastOwnerError();
}

function notThere(): RequestError {
  return new RequestError(NO_MEMBER);
}

/**
 * The member who is to be changed.
 *
 * @throws {ForbiddenError} Without "team:manage", or for somebody who may do more.
 * @throws {RequestError} When the user is no member.
 */
async function readTarget(
  store: RequestStore,
  acting: Acting,
  userId: string,
): Promise<Member> {
  requireRight(store, acting, MANAGE);
  const { settings } = store.auth;
  const member = await tenancyOf(settings).members.get(acting.tenant.id, userId);
  if (member === null) throw notThere();
  if (!mayTake(settings, acting.member.roles, member.roles)) throw new ForbiddenError();
  if (userId !== acting.user.id) await requireFreshForOwner(store, member.roles);
  return member;
}

async function end(store: RequestStore, acting: Acting, member: Member): Promise<void> {
  const { settings } = store.auth;
  const { tenantId, userId } = member;
  await reportChange(store, {
    events: [{ type: "member-removed", userId, tenantId, actorId: acting.user.id }],
    happened: () => true,
  }, async () => {
    await endMembership(store, {
      tenantId,
      userId,
      remove: () => changeMember(settings, member, null),
    });
    // Nobody joins by the word of who is gone, also before: it is refused at acceptance.
    await groupOf(settings.storage, teamGroup).removeInvitationsBy(tenantId, userId);
  });
}

/**
 * Removes a member, whose sessions there end.
 *
 * @throws {ForbiddenError} Without "team:manage", or for somebody who may do more than who removes.
 * @throws {RequestError} When the user is no member.
 * @throws {LastOwnerError} For the last owner.
 */
export async function removeFromTeam(
  store: RequestStore,
  acting: Acting,
  userId: string,
): Promise<void> {
  await end(store, acting, await readTarget(store, acting, userId));
}

/** Ends the membership of who asks. */
export async function leaveTeam(store: RequestStore, acting: Acting): Promise<void> {
  await end(store, acting, acting.member);
}

/**
 * Changes the roles of a member.
 *
 * @throws {ForbiddenError} Without "team:manage", for somebody who may do more, or for roles that permit more.
 * @throws {RequestError} When the user is no member.
 * @throws {LastOwnerError} When that leaves no owner.
 */
export async function changeRoles(
  store: RequestStore,
  acting: Acting,
  { userId, roles }: Pick<Member, "userId" | "roles">,
): Promise<void> {
  const { settings } = store.auth;
  const member = await readTarget(store, acting, userId);
  if (!mayGive(settings, acting.member.roles, roles)) throw new ForbiddenError();
  await requireFreshForOwner(store, roles);
  const { tenantId } = member;
  const [before, actorId] = [member.roles, acting.user.id];
  await reportChange(store, {
    events: [{ type: "member-roles-changed", userId, tenantId, actorId, roles, before }],
    happened: () => true,
  }, () => changeMember(settings, member, roles));
}

/**
 * Makes another member the owner in place of who asks, who stays a member.
 *
 * @throws {ForbiddenError} For who is no owner.
 * @throws {RequestError} When the other one is no member, or disabled, or is who asks.
 */
export async function handOver(
  store: RequestStore,
  acting: Acting,
  userId: string,
): Promise<void> {
  const { settings } = store.auth;
  const { members } = tenancyOf(settings);
  const { tenant: { id: tenantId }, user, member } = acting;
  if (!member.roles.includes(OWNER)) throw new ForbiddenError();
  await requireFreshForOwner(store, member.roles);
  if (userId === user.id) throw new RequestError(KEEPS_OWNER);
  const next = await members.get(tenantId, userId);
  if (next === null) throw notThere();
  // Who is disabled could not hand it on.
  if (await settings.storage.getActiveUser(userId) === null) throw new RequestError(NO_ACCOUNT);
  const theirs = [...next.roles, OWNER];
  const rest = member.roles.filter((id) => id !== OWNER);
  const least = teamRoles(settings).findLast(({ id }) => id !== OWNER);
  const roles = rest.length > 0 || least === undefined ? rest : [least.id];
  const event = { type: "member-roles-changed", tenantId, actorId: user.id } as const;
  await reportChange(store, {
    events: [
      { ...event, userId, roles: theirs, before: next.roles },
      { ...event, userId: user.id, roles, before: member.roles },
    ],
  }, async () => {
    // In this order there is always an owner.
    if (!await members.setRoles(tenantId, userId, theirs)) throw notThere();
    await changeMember(settings, member, roles);
    return true;
  });
}
