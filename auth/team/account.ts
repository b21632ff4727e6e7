/**
 * The teams of a user who takes a copy of the account, or deletes it.
 *
 * @module
 */

import type { Leave, RequestStore, Settings } from "../core/contracts.ts";
import { ownRedirect } from "../core/redirect.ts";
import { prefersJson } from "../core/request.ts";
import { LastOwnerError, RedirectError } from "../errors.ts";
import type { Member } from "../types/tenant.ts";
import { changeMember, hasOtherOwner } from "./members.ts";
import { OWNER } from "./rights.ts";
import { TEAM_PATH, tenancyOf } from "./team.ts";

async function membershipsOf(settings: Settings, userId: string): Promise<Member[]> {
  const { members } = tenancyOf(settings);
  const found: Member[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await members.listOfUser(userId, cursor ? { cursor } : {});
    found.push(...page.members);
    cursor = page.cursor;
  } while (cursor !== null);
  return found;
}

/** Memberships of the user of a request, for the copy of what is stored about them. */
export async function exportTeams({ auth }: RequestStore): Promise<Record<string, unknown>> {
  const state = await auth.load();
  if (state.status !== "valid") return {};
  const { settings } = auth;
  const teams = [];
  for (
    const { tenantId, roles, createdAt } of await membershipsOf(settings, state.session.user.id)
  ) {
    const tenant = await tenancyOf(settings).storage.get(tenantId);
    teams.push({ id: tenantId, name: tenant?.name ?? null, roles, since: createdAt });
  }
  return { teams };
}

async function isAlone(settings: Settings, { tenantId, userId }: Member): Promise<boolean> {
  const page = await tenancyOf(settings).members.listOfTenant(tenantId, { limit: 2 });
  return page.members.every((one) => one.userId === userId);
}

/**
 * Refuses a deletion that would leave a team's other members without an owner: the page of the team says so. A suspended team
 * keeps its owner as well, since it is to have one when it comes back; there only an administrator can make another one.
 *
 * @throws {LastOwnerError} Always, unless the team is gone; a browser is led to its page.
 */
async function refuseLastOwner({ auth, request }: RequestStore, tenantId: string): Promise<void> {
  const { settings: { basePath } } = auth;
  const team = await tenancyOf(auth.settings).storage.get(tenantId);
  if (team === null) return;
  if (prefersJson(request)) throw new LastOwnerError();
  const shown = team.suspendedAt === undefined
    ? { team: team.slug, error: "LAST_OWNER" }
    : { error: "SUSPENDED_OWNER" };
  throw new RedirectError(ownRedirect(basePath + TEAM_PATH, auth.origin(), shown));
}

/**
 * Asks whether every team of a user has another owner, or nobody else in it.
 *
 * @returns Gives the ownership up before the user goes, since owners may go at the same moment, and returns what takes that back.
 * @throws {LastOwnerError} When the other members of a team would be left without an owner; a browser is led to its page.
 */
export async function giveTeamsUp(
  store: RequestStore,
  userId: string,
): Promise<Leave> {
  const { settings } = store.auth;
  const shared: Member[] = [];
  for (const member of await membershipsOf(settings, userId)) {
    if (!member.roles.includes(OWNER)) continue;
    if (await hasOtherOwner(settings, member)) shared.push(member);
    else if (!await isAlone(settings, member)) await refuseLastOwner(store, member.tenantId);
  }
  return async () => {
    const given: Member[] = [];
    async function takeBack(): Promise<void> {
      for (const { tenantId, roles } of given) {
        await tenancyOf(settings).members.setRoles(tenantId, userId, roles);
      }
    }
    for (const member of shared) {
      const rest = member.roles.filter((role) => role !== OWNER);
      try {
        await changeMember(settings, member, rest);
      } catch (error) {
        await takeBack();
        if (error instanceof LastOwnerError) await refuseLastOwner(store, member.tenantId);
        throw error;
      }
      given.push(member);
    }
    return takeBack;
  };
}
