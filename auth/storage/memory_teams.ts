// deno-lint-ignore-file require-await -- what an operation throws must be a rejection

/**
 * Teams of the memory storage.
 *
 * @module
 */

import type { User } from "../types/user.ts";
import type { InvitationRecord, TeamStorage } from "./teams.ts";
import { copyUser, keyOf, type MemoryState, removeFrom } from "./memory_state.ts";

function copy(invitation: InvitationRecord): InvitationRecord {
  return { ...invitation, roles: [...invitation.roles] };
}

/** Makes the operations on teams. No body waits, which is what makes it atomic. */
export function createMemoryTeams({ owners, invitations }: MemoryState): TeamStorage {
  function find(hash: string, now: number): InvitationRecord | undefined {
    return [...invitations.values()].find((one) => one.hash === hash && one.expiresAt > now);
  }

  function copyIn(id: string): User[] {
    const owner = owners.get(id);
    return owner === undefined ? [] : [copyUser(owner.user)];
  }

  return {
    async readUsers(ids) {
      return [...new Set(ids)].flatMap((id) => copyIn(id));
    },
    async putInvitation(invitation) {
      const { tenantId, emailIdentity, invitedBy, createdAt } = invitation;
      removeFrom(invitations, ({ expiresAt }) => expiresAt <= createdAt);
      if (!owners.has(invitedBy)) return;
      invitations.set(keyOf(tenantId, emailIdentity), copy(invitation));
    },
    async readInvitation(hash, now) {
      const invitation = find(hash, now);
      return invitation === undefined ? null : copy(invitation);
    },
    async findInvitation(tenantId, id, now) {
      const invitation = [...invitations.values()].find((one) =>
        one.id === id && one.tenantId === tenantId && one.expiresAt > now
      );
      return invitation === undefined ? null : copy(invitation);
    },
    async renameInvitation(hash, id, now) {
      const invitation = find(hash, now);
      if (invitation !== undefined) invitation.id = id;
      return invitation !== undefined;
    },
    async takeInvitation(hash, now) {
      const invitation = find(hash, now);
      return invitation !== undefined &&
        invitations.delete(keyOf(invitation.tenantId, invitation.emailIdentity));
    },
    async listInvitations(tenantId, { now, limit, after = "" }) {
      return [...invitations.values()]
        .filter((one) =>
          one.tenantId === tenantId && one.expiresAt > now && one.emailIdentity > after
        )
        .sort((a, b) => a.emailIdentity < b.emailIdentity ? -1 : 1)
        .slice(0, limit)
        .map(copy);
    },
    async removeInvitation(tenantId, id) {
      return removeFrom(invitations, (one) => one.tenantId === tenantId && one.id === id) > 0;
    },
    async removeInvitationsBy(tenantId, userId) {
      removeFrom(invitations, (one) => one.tenantId === tenantId && one.invitedBy === userId);
    },
  };
}
