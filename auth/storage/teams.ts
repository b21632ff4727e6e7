/**
 * Teams: invitations to tenants and the people of a part of their members. Port, SQL and accessor.
 *
 * @module
 */

import type { User } from "../types/user.ts";
import type { SqlParts, StorageGroup } from "./group.ts";
import type { Row } from "./rows.ts";
import { changesOf, inBackground, sweepRows, sweepText } from "./sql_executor.ts";

/** An invitation that nobody has accepted yet. Its secret is in the invited mailbox and nowhere else. */
export interface InvitationRecord {
  /** Public name, for lists. */
  id: string;
  /** Id of the tenant. */
  tenantId: string;
  /** Invited mailbox, see `parseEmailAddress()`. */
  emailIdentity: string;
  /** Its address as it was typed. */
  email: string;
  /** SHA-256 of the secret, base64url. */
  hash: string;
  /** Roles that the membership is to have. */
  roles: string[];
  /** Id of the user who invites. The invitation is deleted with them. */
  invitedBy: string;
  /** Time at which it was made, in milliseconds since 1970. */
  createdAt: number;
  /** Expiry, in milliseconds since 1970. */
  expiresAt: number;
}

/** Options for a part of the list of invitations. */
export interface ListInvitationsOptions {
  /** Now, in milliseconds since 1970. */
  now: number;
  /** Maximum number. */
  limit: number;
  /** Last mailbox of the part before. Default: the beginning. */
  after?: string;
}

/** Operations on teams beside those of the memberships. */
export interface TeamStorage {
  /** Reads the users with these ids, at most {@linkcode MOST_USERS}, in any order; who is not there is left out. Safe to repeat. */
  readUsers(ids: readonly string[]): Promise<User[]>;
  /**
   * Stores an invitation, in place of the one that this mailbox has to this tenant, with its id and its hash: the link of
   * that one ends. Nothing is stored when its inviter does not exist. Unique: tenant and mailbox, also of several at once.
   * Safe to repeat.
   */
  putInvitation(invitation: InvitationRecord): Promise<void>;
  /** Reads the invitation with this hash that has not expired. Safe to repeat. */
  readInvitation(hash: string, now: number): Promise<InvitationRecord | null>;
  /** Reads the invitation of this name to this tenant that has not expired. Safe to repeat. */
  findInvitation(tenantId: string, id: string, now: number): Promise<InvitationRecord | null>;
  /**
   * Gives it another id as its acceptance begins, so that nobody revokes it who knew the one before; false when there is
   * none. Safe to repeat.
   */
  renameInvitation(hash: string, id: string, now: number): Promise<boolean>;
  /** Removes it as it is accepted; of any number at once, one is told true. Not to be repeated. */
  takeInvitation(hash: string, now: number): Promise<boolean>;
  /** Lists the invitations to a tenant that have not expired, in the order of their mailboxes. Safe to repeat. */
  listInvitations(tenantId: string, options: ListInvitationsOptions): Promise<InvitationRecord[]>;
  /** Removes an invitation to this tenant; false when there is none of that name. Safe to repeat. */
  removeInvitation(tenantId: string, id: string): Promise<boolean>;
  /** Removes what a user has invited to a tenant. Safe to repeat. */
  removeInvitationsBy(tenantId: string, userId: string): Promise<void>;
}

/** Most users that are read at once. */
export const MOST_USERS = 50;

// Rows that a write takes away whose time is over.
const SWEEP_ROWS = 20;
const COLUMNS =
  "id, tenant_id, email_identity, email, hash, roles, invited_by, created_at, expires_at";

/** The statements that name all columns. */
function writeStatements() {
  return {
    put: `INSERT INTO tenant_invitations (${COLUMNS})
SELECT ?1, ?2, ?3, ?4, ?5, ?6, users.id, CAST(?8 AS BIGINT), CAST(?9 AS BIGINT) FROM users WHERE users.id = ?7
ON CONFLICT (tenant_id, email_identity) DO UPDATE SET id = excluded.id, email = excluded.email,
  hash = excluded.hash, roles = excluded.roles, invited_by = excluded.invited_by,
  created_at = excluded.created_at, expires_at = excluded.expires_at`,
    read: `SELECT ${COLUMNS} FROM tenant_invitations WHERE hash = ?1 AND expires_at > ?2`,
    find:
      `SELECT ${COLUMNS} FROM tenant_invitations WHERE id = ?2 AND tenant_id = ?1 AND expires_at > ?3`,
    list: `SELECT ${COLUMNS} FROM tenant_invitations
WHERE tenant_id = ?1 AND email_identity > ?2 AND expires_at > ?3 ORDER BY email_identity LIMIT ?4`,
  };
}

// Pure, so that a bundle which has no use for them leaves them out.
const text = /* @__PURE__ */ writeStatements();
const RENAME = "UPDATE tenant_invitations SET id = ?2 WHERE hash = ?1 AND expires_at > ?3";
const TAKE = "DELETE FROM tenant_invitations WHERE hash = ?1 AND expires_at > ?2";
const REMOVE = "DELETE FROM tenant_invitations WHERE id = ?2 AND tenant_id = ?1";
const REMOVE_BY = "DELETE FROM tenant_invitations WHERE invited_by = ?2 AND tenant_id = ?1";

/** The invitation in a row; one whose row cannot be read is none. */
function readRow(row: Row): InvitationRecord | null {
  const texts = [row.id, row.tenant_id, row.email_identity, row.email, row.hash, row.invited_by];
  if (!texts.every((text) => typeof text === "string")) return null;
  const [id, tenantId, emailIdentity, email, hash, invitedBy] = texts as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const [createdAt, expiresAt] = [Number(row.created_at), Number(row.expires_at)];
  if (!Number.isSafeInteger(createdAt) || !Number.isSafeInteger(expiresAt)) return null;
  try {
    const roles: unknown = JSON.parse(row.roles as string);
    if (!Array.isArray(roles) || !roles.every((role) => typeof role === "string")) return null;
    return { id, tenantId, emailIdentity, email, hash, roles, invitedBy, createdAt, expiresAt };
  } catch {
    return null;
  }
}

/** Makes the operations on teams. */
function createTeamOperations(
  { executor, dialect, reader, statements: { columns } }: SqlParts,
): TeamStorage {
  const { prepare, repeat, once } = executor;
  const places = Array.from({ length: MOST_USERS }, (_, index) => `?${index + 1}`).join(", ");
  // One text for any number of users, so that the database knows it.
  const people = `SELECT ${columns} FROM users WHERE id IN (${places})`;
  const sweep = sweepText("tenant_invitations", dialect);
  return {
    async readUsers(ids) {
      const [first] = ids;
      if (first === undefined) return [];
      const all = Array.from({ length: MOST_USERS }, (_, index) => ids[index] ?? first);
      return await repeat("read the users", async () => {
        const { results } = await prepare(people).bind(...all).all<Row>();
        return results.map((row) => reader.user(row)).filter((one) => one !== null);
      });
    },
    async putInvitation(invitation) {
      const { id, tenantId, emailIdentity, email, hash, roles, invitedBy } = invitation;
      const { createdAt, expiresAt } = invitation;
      inBackground(sweepRows(executor, sweep, { now: createdAt, limit: SWEEP_ROWS }));
      await repeat("store the invitation", () =>
        prepare(text.put).bind(
          id,
          tenantId,
          emailIdentity,
          email,
          hash,
          JSON.stringify(roles),
          invitedBy,
          createdAt,
          expiresAt,
        ).run());
    },
    readInvitation(hash, now) {
      return repeat("read the invitation", async () => {
        const row = await prepare(text.read).bind(hash, now).first<Row>();
        return row === null ? null : readRow(row);
      });
    },
    findInvitation(tenantId, id, now) {
      return repeat("read the invitation", async () => {
        const row = await prepare(text.find).bind(tenantId, id, now).first<Row>();
        return row === null ? null : readRow(row);
      });
    },
    renameInvitation(hash, id, now) {
      return repeat("rename the invitation", async () => {
        return changesOf(await prepare(RENAME).bind(hash, id, now).run()) > 0;
      });
    },
    takeInvitation(hash, now) {
      return once("take the invitation", async () => {
        return changesOf(await prepare(TAKE).bind(hash, now).run()) > 0;
      });
    },
    listInvitations(tenantId, { now, limit, after = "" }) {
      return repeat("list the invitations", async () => {
        const { results } = await prepare(text.list).bind(tenantId, after, now, limit).all<Row>();
        return results.map(readRow).filter((one) => one !== null);
      });
    },
    removeInvitation(tenantId, id) {
      return repeat("remove the invitation", async () => {
        return changesOf(await prepare(REMOVE).bind(tenantId, id).run()) > 0;
      });
    },
    async removeInvitationsBy(tenantId, userId) {
      await repeat(
        "remove the invitations",
        () => prepare(REMOVE_BY).bind(tenantId, userId).run(),
      );
    },
  };
}

/**
 * Group of operations on teams, for `groupOf()`.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, groupOf, teamGroup } from "@framework/auth/storage";
 * import { deepEqual } from "node:assert/strict";
 *
 * const invitations = groupOf(createMemoryStorage(), teamGroup);
 * deepEqual(await invitations.listInvitations("t1", { now: Date.now(), limit: 10 }), []);
 * ```
 */
export const teamGroup: StorageGroup<TeamStorage> = {
  name: "teams",
  sql: createTeamOperations,
};
