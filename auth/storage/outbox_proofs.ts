/**
 * Changes that events tell of, as conditions on rows: whether an event has happened is asked in the transaction of its
 * change.
 *
 * @module
 */

import type { Occurrence } from "../types/events.ts";
import type { SqlValue } from "./sql_database.ts";

/** A condition that holds once the change of an event is made. */
export interface Proof {
  /** True when a row has to go: before the change it is there, and afterwards it is not. */
  gone: boolean;
  /** Writes the condition that the row is there, with the places of its values after `used` others. */
  exists(used: number): string;
  /** Values of its places, in order. */
  values: readonly SqlValue[];
}

/** An event, and what of its change no field says: a session, an account, an address. */
type Change = Occurrence & { subject?: string | undefined };

/** A row: its table, what its columns have to be, and the column of a time that is not before `since`. */
type Rows = [table: string, columns: Record<string, SqlValue>, since?: string];

interface Description {
  made?: Rows;
  gone?: Rows;
}

type Describe = {
  readonly [Type in Occurrence["type"]]?: (
    event: Extract<Occurrence, { type: Type }>,
    subject: string,
  ) => Description;
};

/** The change of each event that a row of the library tells of. */
const CHANGES: Describe = {
  "sign-up": ({ userId }) => ({ made: ["users", { id: userId }, "created_at"] }),
  "sign-in": ({ userId }) => ({ made: ["sessions", { user_id: userId }, "created_at"] }),
  "sign-out": ({ userId }, id) => ({ gone: ["sessions", { id, user_id: userId }] }),
  "session-revoked": ({ userId, sessionId }) =>
    sessionId === undefined
      // Of any number of sessions, none included.
      ? { made: ["users", { id: userId }] }
      : { gone: ["sessions", { id: sessionId, user_id: userId }] },
  "user-disabled": ({ userId }) => ({ made: ["users", { id: userId }, "disabled_at"] }),
  "user-enabled": ({ userId }) => ({ made: ["users", { id: userId }, "updated_at"] }),
  "user-deleted": ({ userId }) => ({ gone: ["users", { id: userId }] }),
  "roles-changed": ({ userId }) => ({ made: ["users", { id: userId }, "updated_at"] }),
  "email-verified": ({ userId }) => ({ made: ["users", { id: userId }, "email_verified"] }),
  "email-changed": ({ userId }, email) => ({
    made: ["users", { id: userId, email }, "updated_at"],
  }),
  "password-changed": ({ userId }) => ({ made: ["users", { id: userId }, "credentials_after"] }),
  "account-linked": ({ userId, provider }) => ({
    made: ["accounts", { provider, user_id: userId }, "created_at"],
  }),
  "account-unlinked": ({ userId, provider }, id) => ({
    gone: ["accounts", { provider, provider_account_id: id, user_id: userId }],
  }),
  "passkey-added": ({ userId, passkeyId }) => ({
    made: ["passkeys", { id: passkeyId, user_id: userId }],
  }),
  "passkey-removed": ({ userId, passkeyId }) => ({
    gone: ["passkeys", { id: passkeyId, user_id: userId }],
  }),
  "second-factor-added": ({ userId }) => ({
    made: ["second_factors", { user_id: userId }, "created_at"],
  }),
  "second-factor-removed": ({ userId }) => ({ gone: ["second_factors", { user_id: userId }] }),
  "api-key-added": ({ keyId }) => ({ made: ["api_keys", { id: keyId }] }),
  "api-key-rotated": ({ keyId }, hash) => ({ made: ["api_keys", { id: keyId, hash }] }),
  "api-key-removed": ({ keyId }) => ({ gone: ["api_keys", { id: keyId }] }),
  "member-invited": ({ tenantId }, id) => ({
    made: ["tenant_invitations", { id, tenant_id: tenantId }],
  }),
  "member-added": (event) => ({ made: ["tenant_members", memberOf(event), "created_at"] }),
  "member-removed": (event) => ({ gone: ["tenant_members", memberOf(event)] }),
  "member-roles-changed": (event) => ({
    made: ["tenant_members", { ...memberOf(event), roles: JSON.stringify(event.roles) }],
  }),
};

/** Types of the events that tell of a change which the database can prove. */
export const CHANGE_EVENTS: readonly string[] = /* @__PURE__ */ Object.keys(CHANGES);

function memberOf({ tenantId, userId }: { tenantId: string; userId: string }) {
  return { tenant_id: tenantId, user_id: userId };
}

/**
 * Says by which row the change of an event is known; null for an event that no row of the library tells of.
 *
 * @param since Time before which the change was not made, in milliseconds since 1970.
 */
export function proofOf(event: Change, since: number): Proof | null {
  const { subject = "", ...occurrence } = event;
  const describe = CHANGES[event.type] as
    | ((event: Occurrence, subject: string) => Description)
    | undefined;
  if (describe === undefined) return null;
  const change = describe(occurrence as Occurrence, subject);
  const gone = change.gone !== undefined;
  const [table, columns, time] = (change.gone ?? change.made)!;
  const names = Object.keys(columns);
  return {
    gone,
    exists(used) {
      const conditions = names.map((name, index) => `proved.${name} = ?${used + 1 + index}`);
      if (time !== undefined) conditions.push(`proved.${time} >= ?${used + 1 + names.length}`);
      return `EXISTS (SELECT 1 FROM ${table} AS proved WHERE ${conditions.join(" AND ")})`;
    },
    values: [...Object.values(columns), ...time === undefined ? [] : [since]],
  };
}
