/**
 * Secrets that are taken once: port, SQL and accessor.
 *
 * @module
 */

import type { SqlParts, StorageGroup } from "./group.ts";
import {
  columnsOf,
  type Fields,
  isText,
  isTextOrNull,
  isTime,
  type Row,
  valuesOf,
} from "./rows.ts";
import type { SqlStatement } from "./sql_database.ts";
import { sweepTable } from "./sql_executor.ts";

/** A one-time secret to be stored: a token in an email, a challenge, the transaction of a sign-in. */
export interface SecretRecord {
  /** Purpose of the secret, which is valid for no other. */
  purpose: string;
  /** SHA-256 of the secret, base64url. The secret itself is stored nowhere. */
  hash: string;
  /** Subject of the secret, such as the mailbox that it was sent to; null for none. */
  identifier: string | null;
  /**
   * Id of the user it belongs to; null when not known yet. Deleted with the user. A link or code that signs in whoever
   * has a mailbox has none: `links` of {@linkcode Endings} ends it by its `identifier`.
   */
  userId: string | null;
  /** Data that is returned when the secret is redeemed; null for none. */
  payload: string | null;
  /** Mailbox that it was sent to, as `parseEmailAddress()` says, which whoever has it proves; default null. */
  sentTo?: string | null;
  /** Public name of the session in which its owner asked for it, to confirm their own mailbox; default null. */
  sessionId?: string | null;
  /** Creation time, in milliseconds since 1970. */
  createdAt: number;
  /** Expiry, in milliseconds since 1970. */
  expiresAt: number;
}

/** A one-time secret as it is stored. */
export interface StoredSecret extends Required<SecretRecord> {
  /** Number of attempts, see `countAttempt()`. */
  attempts: number;
}

/** Default values of a secret. */
export const UNSENT = { sentTo: null, sessionId: null, attempts: 0 } as const;

/** Options for taking a secret. */
export interface TakeSecretOptions {
  /** Now, in milliseconds since 1970. */
  now: number;
  /** Required subject. A secret with another one stays. Default: any. */
  identifier?: string;
}

/** Operations on one-time secrets. */
export interface SecretStorage {
  /**
   * Stores a secret, in place of one with the same purpose and hash, whose attempts are forgotten. Nothing is stored for
   * a user who does not exist, also a disabled one has secrets. Unique: purpose and hash. Safe to repeat, as long as nobody has been told the secret.
   */
  putSecret(secret: SecretRecord): Promise<void>;
  /** Reads the secret, which stays; null when there is none or it has ended. Safe to repeat. */
  readSecret(purpose: string, hash: string, now: number): Promise<StoredSecret | null>;
  /**
   * Removes the secret and gives it to whoever removed it: of any number of attempts at once one gets it.
   * Null when there is none, it has ended, or it is about something else, in which case it stays.
   * Not safe to repeat: the second call finds nothing, which must stay true.
   */
  takeSecret(
    purpose: string,
    hash: string,
    options: TakeSecretOptions,
  ): Promise<StoredSecret | null>;
}

/** A one-time secret as a row of `verifications`. */
export const SECRET: Fields<StoredSecret> = {
  purpose: isText,
  hash: isText,
  identifier: isTextOrNull,
  userId: isTextOrNull,
  payload: isTextOrNull,
  createdAt: isTime,
  expiresAt: isTime,
  attempts: isTime,
  sentTo: isTextOrNull,
  sessionId: isTextOrNull,
};

/** Purposes of mailed secrets that open the account of whoever has the mailbox: no user stands in their rows. */
export const MAILBOX_PURPOSES = ["email-link", "email-code"] as const;

/**
 * Ends the secrets of the user ?1, also those that were mailed to the user's address to sign in, see `endEverything()`.
 */
export function endLinks(holds = ""): string[] {
  const purposes = MAILBOX_PURPOSES.map((purpose) => `'${purpose}'`).join(", ");
  return [
    `DELETE FROM verifications WHERE user_id = ?1${holds}`,
    `DELETE FROM verifications WHERE purpose IN (${purposes})
AND identifier = (SELECT email_identity FROM users WHERE id = ?1)${holds}`,
  ];
}

/** The statements. Each is one wherever a race would matter. */
function writeStatements() {
  const columns = columnsOf(SECRET);
  return {
    /**
     * ?1 purpose, ?2 hash, ?3 identifier, ?4 user, ?5 payload, ?6 created, ?7 expires, ?8 attempts, ?9 sent to, ?10
     * session.
     */
    put: `INSERT INTO verifications (${columns}) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
WHERE CAST(?4 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM users WHERE id = ?4)
ON CONFLICT (purpose, hash) DO UPDATE SET identifier = excluded.identifier,
  user_id = excluded.user_id, payload = excluded.payload, attempts = excluded.attempts,
  created_at = excluded.created_at, expires_at = excluded.expires_at,
  sent_to = excluded.sent_to, session_id = excluded.session_id`,
    /** ?1 purpose, ?2 hash, ?3 now. */
    read: `SELECT ${columns} FROM verifications
WHERE purpose = ?1 AND hash = ?2 AND expires_at > ?3`,
    /** ?1 purpose, ?2 hash, ?3 now, ?4 identifier or null. */
    take: `DELETE FROM verifications WHERE purpose = ?1 AND hash = ?2 AND expires_at > ?3
AND (CAST(?4 AS TEXT) IS NULL OR identifier = ?4) RETURNING ${columns}`,
  };
}

// Pure, so that a bundle which has no use for them leaves them out.
const text = /* @__PURE__ */ writeStatements();

/** The secret that a statement gives back. */
export async function firstSecret(
  { reader }: Pick<SqlParts, "reader">,
  statement: SqlStatement,
): Promise<StoredSecret | null> {
  return reader.record(await statement.first<Row>(), SECRET);
}

/** Stores a secret. Twice is once: nobody has been told it before this is done. */
export function storeSecret(
  parts: SqlParts,
  secret: SecretRecord,
  run: (insertion: SqlStatement) => Promise<unknown>,
): Promise<void> {
  const { prepare, repeat, failureOf } = parts.executor;
  sweepTable(parts, "verifications", secret.createdAt);
  return repeat("store the one-time secret", async () => {
    try {
      await run(prepare(text.put).bind(...valuesOf(SECRET, { ...UNSENT, ...secret, attempts: 0 })));
    } catch (error) {
      if (failureOf(error) !== "owner-gone") throw error;
    }
  });
}

/** Makes the operations on one-time secrets. */
function createSecretOperations(parts: SqlParts): SecretStorage {
  const { prepare, repeat, once } = parts.executor;
  return {
    putSecret(secret) {
      return storeSecret(parts, secret, (insertion) => insertion.run());
    },
    readSecret(purpose, hash, now) {
      return repeat(
        "read the one-time secret",
        () => firstSecret(parts, prepare(text.read).bind(purpose, hash, now)),
      );
    },
    // Not repeated when the answer is lost: who asks a second time finds nothing, which must stay true.
    takeSecret(
      purpose,
      hash,
      { now, identifier = null }: { now: number; identifier?: string | null },
    ) {
      return once(
        "take the one-time secret",
        () => firstSecret(parts, prepare(text.take).bind(purpose, hash, now, identifier)),
      );
    },
  };
}

/**
 * Group of operations on one-time secrets, for `groupOf()`.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, groupOf, secretGroup } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 *
 * const secrets = groupOf(createMemoryStorage(), secretGroup);
 * equal(await secrets.takeSecret("app:invite", "no such hash", { now: Date.now() }), null);
 * ```
 */
export const secretGroup: StorageGroup<SecretStorage> = {
  name: "secrets",
  sql: createSecretOperations,
};
