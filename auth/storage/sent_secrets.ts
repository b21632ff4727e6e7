/**
 * Secrets that were sent by mail: port, SQL and accessor.
 *
 * @module
 */

import { writeProof } from "./first_proof.ts";
import type { SqlParts, StorageGroup } from "./group.ts";
import { columnsOf, type Row } from "./rows.ts";
import {
  firstSecret,
  SECRET,
  type SecretRecord,
  type StoredSecret,
  storeSecret,
} from "./secrets.ts";
import { lockUser, saveBatch } from "./sql.ts";
import type { SqlResult } from "./sql_database.ts";

/** A one-time secret to be stored that is about something. */
export interface SentSecretRecord extends SecretRecord {
  /** Subject of the secret, such as the mailbox that it is sent to. */
  identifier: string;
}

/** Maximum number of stored secrets. */
export interface KeepSecretsOptions {
  /**
   * Of the same purpose and identifier the newest `keep` stay, by `createdAt`, the new one included, whatever its time is,
   * and those that have ended counted.
   */
  keep: number;
}

/** Options for counting an attempt at a secret. */
export interface CountAttemptOptions {
  /** Now, in milliseconds since 1970. */
  now: number;
  /** Maximum number of attempts at a secret. */
  max: number;
}

/** Request to redeem a secret. */
export interface RedeemSecretOptions {
  /** Now, in milliseconds since 1970. */
  now: number;
  /** User who must exist and not be disabled; null for none, where nobody was read by the mailbox. */
  userId: string | null;
  /** Mailbox that the secret proves, when it is the user's; null for none. */
  emailIdentity: string | null;
  /** As in {@linkcode ProveEmailOptions}. Default false. */
  keepOwn?: boolean;
  /** Purposes under which whatever has the same `identifier` ends with it; its own is among them where those end. */
  ends: readonly string[];
  /**
   * Purpose under which it stays until its end, to tell who comes with it again: the row gets this purpose in place of
   * its own, and null as payload, and else stays as it is; a first proof that ends what the user has does not end it. The
   * library sets it for a mailed link, and reads such a row by `readSecret()`, when a link is not found, to tell its owner.
   * Default: it is removed, as a code is.
   */
  usedAs?: string;
}

/**
 * Result of redeeming a secret: `"absent"` when it does not hold, or its user is gone or disabled, and nothing is proved;
 * `"proved"` when it is taken and proves the user's mailbox for the first time; `"already"` when it is taken and the mailbox
 * was proved before; `"redeemed"` when it is taken and proves nothing, since the mailbox is not the user's or none was named.
 */
export type RedeemOutcome = "absent" | "proved" | "already" | "redeemed";

/** Operations on the one-time secrets which are sent to somebody: links, codes and challenges. */
export interface SentSecretStorage {
  /**
   * Stores a secret as `putSecret()` does, and removes all but the newest that are about the same. Safe to repeat, as
   * that.
   */
  putNewestSecret(secret: SentSecretRecord, options: KeepSecretsOptions): Promise<void>;
  /**
   * Counts one attempt; null, and none counted, when there is no such secret, it has ended or has had `max`. Of any
   * number at once `max` are counted. Not safe to repeat: the second call counts a second one.
   */
  countAttempt(
    purpose: string,
    hash: string,
    options: CountAttemptOptions,
  ): Promise<StoredSecret | null>;
  /**
   * Takes a secret, proves with it what `proveEmail()` of {@linkcode AccountStorage} proves, and ends the others
   * that are about the same: all of it or nothing, and of any number of attempts at once for one of them. When its user
   * is gone or disabled, nothing is proved, and the secret may stay or not. The identifier is the secret's own, as it was
   * read: whether another one refuses is up to the storage. Not safe to repeat: the second call says "absent".
   */
  redeemSecret(
    secret: Pick<SentSecretRecord, "purpose" | "hash" | "identifier">,
    options: RedeemSecretOptions,
  ): Promise<RedeemOutcome>;
}

/** The statements. Each is one wherever a race would matter. */
function writeStatements() {
  const live = "WHERE purpose = ?1 AND hash = ?2 AND expires_at > ?3";
  return {
    /** ?1 purpose, ?2 identifier, ?3 the hash that stays, ?4 how many stay beside it. */
    keep: `DELETE FROM verifications WHERE purpose = ?1 AND identifier = ?2 AND hash <> ?3
AND hash NOT IN (SELECT hash FROM verifications
  WHERE purpose = ?1 AND identifier = ?2 AND hash <> ?3 ORDER BY created_at DESC, hash LIMIT ?4)`,
    /** ?1 purpose, ?2 hash, ?3 now, ?4 how many. */
    count: `UPDATE verifications SET attempts = attempts + 1
WHERE purpose = ?1 AND hash = ?2 AND expires_at > ?3 AND attempts < ?4
RETURNING ${columnsOf(SECRET)}`,
    /** With ?4 purpose and ?5 hash of the secret that must hold. */
    ...writeProof(
      " AND EXISTS (SELECT 1 FROM verifications WHERE purpose = ?4 AND hash = ?5 AND expires_at > ?3)",
      " AND NOT (purpose = ?4 AND hash = ?5)",
    ),
    /** ?1 purpose and ?2 hash of the secret that must hold, ?3 now, ?4 identifier, ?5 purpose of what ends. */
    end: `DELETE FROM verifications WHERE purpose = ?5 AND identifier = ?4
AND NOT (purpose = ?1 AND hash = ?2) AND EXISTS (SELECT 1 FROM verifications AS redeemed
  WHERE redeemed.purpose = ?1 AND redeemed.hash = ?2 AND redeemed.expires_at > ?3)`,
    /** ?1 user. */
    mailbox: "SELECT email_identity FROM users WHERE id = ?1 AND disabled_at IS NULL",
    /** ?1 purpose, ?2 hash, ?3 now. */
    take: `DELETE FROM verifications ${live} RETURNING hash`,
    /** ?1 purpose, ?2 hash, ?3 now, ?4 purpose of a used one. */
    use: `UPDATE verifications SET purpose = ?4, payload = NULL ${live} RETURNING hash`,
  };
}

// Pure, so that a bundle which has no use for them leaves them out.
const text = /* @__PURE__ */ writeStatements();

/** Makes the operations on the one-time secrets which are sent to somebody. */
function createSentSecretOperations(parts: SqlParts): SentSecretStorage {
  const { executor, dialect } = parts;
  const { prepare, batch, once } = executor;
  return {
    putNewestSecret(secret, { keep }) {
      const { purpose, identifier, hash } = secret;
      return storeSecret(parts, secret, (insertion) =>
        batch([
          // Else two who store a secret about one thing at once would not see each other's, and both stay.
          ...dialect === undefined
            ? []
            : [prepare(dialect.lockText).bind(`${purpose} ${identifier}`)],
          insertion,
          prepare(text.keep).bind(purpose, identifier, hash, keep - 1),
        ]));
    },
    countAttempt(purpose, hash, { now, max }) {
      return once(
        "count the attempt",
        () => firstSecret(parts, prepare(text.count).bind(purpose, hash, now, max)),
      );
    },
    // Not repeated when the answer is lost, as when a secret is taken.
    redeemSecret({ purpose, hash, identifier }, options) {
      const { now, userId, emailIdentity, keepOwn = false, ends, usedAs } = options;
      const own = [purpose, hash, now];
      const proof = userId === null || emailIdentity === null
        ? []
        : [...keepOwn ? [text.proveKeeping] : [...text.ends, text.prove]]
          .map((sql) => prepare(sql).bind(userId, emailIdentity, now, purpose, hash));
      return once("redeem the one-time secret", async () => {
        const results = await saveBatch(executor, [
          ...userId === null ? [] : lockUser(parts, userId),
          ...proof,
          ...ends.map((ended) => prepare(text.end).bind(...own, identifier, ended)),
          prepare(text.mailbox).bind(userId),
          usedAs === undefined
            ? prepare(text.take).bind(...own)
            : prepare(text.use).bind(...own, usedAs),
        ]);
        const rowOf = (result: SqlResult | undefined) => result?.results[0] as Row | undefined;
        const holder = rowOf(results.at(-2));
        if (rowOf(results.at(-1)) === undefined) return "absent";
        if (userId !== null && holder === undefined) return "absent";
        if (proof.length === 0 || holder?.email_identity !== emailIdentity) return "redeemed";
        const proved = results.at(-3 - ends.length);
        return rowOf(proved) === undefined ? "already" : "proved";
      });
    },
  };
}

/**
 * Group of operations on one-time secrets that are sent to somebody, for `groupOf()`.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, groupOf, sentSecretGroup } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 *
 * const secrets = groupOf(createMemoryStorage(), sentSecretGroup);
 * equal(await secrets.countAttempt("app:code", "no such hash", { now: Date.now(), max: 5 }), null);
 * ```
 */
export const sentSecretGroup: StorageGroup<SentSecretStorage> = {
  name: "sentSecrets",
  sql: createSentSecretOperations,
};
