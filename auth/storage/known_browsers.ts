/**
 * Browsers that have signed in before: port, SQL and accessor.
 *
 * @module
 */

import type { SqlParts, StorageGroup } from "./group.ts";
import { conditionValues, lockUser } from "./sql.ts";
import type { SaveUserOptions } from "./records.ts";

/** A browser in which a user has signed in. It proves nothing: it has attempts of its own to sign in. */
export interface KnownBrowserRecord {
  /**
   * SHA-256 of the browser's random id and of what its user typed to say who they are, or of their mailbox, base64url.
   */
  idHash: string;
  /** User who signed in there. Deleted with the user. */
  userId: string;
  /** Moment of their last sign-in there, in milliseconds since 1970. */
  createdAt: number;
  /** Expiry, in milliseconds since 1970. */
  expiresAt: number;
}

/** Options for `putKnownBrowser()`. */
export interface PutKnownBrowserOptions extends Pick<SaveUserOptions, "proofBegunAt" | "unproved"> {
  /** Maximum number of stored browsers per user; those used least recently are deleted. */
  keep: number;
  /** Requires that this mailbox is the user's, proved or not. Default: nothing is required. */
  emailIdentity?: string | null;
}

/** Options for `isKnownBrowser()`. */
export interface IsKnownBrowserOptions {
  /** Now, in milliseconds since 1970. */
  now: number;
  /** Requires that the browser's user has proved their mailbox. Default false. */
  proved?: boolean;
  /**
   * Mailbox that somebody has typed: no other user may have it, and with `proved` it must be this user's. Default:
   * none.
   */
  emailIdentity?: string | null;
  /** Requires that the browser is this user's; null for any user's. Default null. */
  userId?: string | null;
}

/** Operations on the browsers in which users have signed in. */
export interface KnownBrowserStorage {
  /**
   * Stores a browser, in place of one with the same hash, whoever's that was, and forgets the user's oldest ones. Nothing is stored
   * for a user who does not exist or is disabled, or when the options refuse, as in `insertSession()`. Unique: one
   * hash. At most `keep` stay, also of several at once. Safe to repeat.
   */
  putKnownBrowser(browser: KnownBrowserRecord, options: PutKnownBrowserOptions): Promise<void>;
  /** Tells if there is such a browser that has not been forgotten. Safe to repeat. */
  isKnownBrowser(idHash: string, options: IsKnownBrowserOptions): Promise<boolean>;
  /**
   * Tells if the user has any browser that has not been forgotten. Safe to repeat. Default: not known, and nobody is written to
   * about a new one.
   */
  hasKnownBrowsers?(userId: string, now: number): Promise<boolean>;
  /** Forgets the browsers of a user. Safe to repeat. */
  dropKnownBrowsers(userId: string): Promise<void>;
}

const DROP = "DELETE FROM known_browsers WHERE user_id = ?1";

/** Ends the known browsers of the user ?1, see `endEverything()`. */
export function endKnownBrowsers(holds = ""): string[] {
  return [DROP + holds];
}

/** Writes the statements. */
function writeStatements({ ownerBy }: SqlParts["statements"]) {
  return {
    /** ?1 hash, ?2 user, ?3 created, ?4 expires, conditions from ?5 on. */
    put: `INSERT INTO known_browsers (id_hash, user_id, created_at, expires_at)
SELECT ?1, users.id, ?3, ?4 ${ownerBy("?2", 5)}
ON CONFLICT (id_hash) DO UPDATE SET user_id = excluded.user_id,
  created_at = excluded.created_at, expires_at = excluded.expires_at`,
    /** ?1 user, ?2 how many stay. */
    keep: `DELETE FROM known_browsers WHERE user_id = ?1 AND id_hash NOT IN
(SELECT id_hash FROM known_browsers WHERE user_id = ?1 ORDER BY created_at DESC, id_hash LIMIT ?2)`,
    /** ?1 hash, ?2 now, ?3 whether the mailbox must be proved, ?4 mailbox that was typed or null, ?5 user or null. */
    find: `SELECT 1 AS found FROM known_browsers JOIN users ON users.id = known_browsers.user_id
WHERE known_browsers.id_hash = ?1 AND known_browsers.expires_at > ?2
AND (?3 = 0 OR users.email_verified IS NOT NULL
  AND (CAST(?4 AS TEXT) IS NULL OR users.email_identity = ?4))
AND NOT EXISTS (SELECT 1 FROM users AS holder WHERE holder.email_identity = ?4 AND holder.id <> users.id)
AND (CAST(?5 AS TEXT) IS NULL OR users.id = ?5)`,
  };
}

function createKnownBrowserOperations(parts: SqlParts): KnownBrowserStorage {
  const { prepare, batch, repeat } = parts.executor;
  const text = writeStatements(parts.statements);
  return {
    putKnownBrowser(
      { idHash, userId, createdAt, expiresAt },
      { keep, emailIdentity, ...options },
    ) {
      return repeat("store the known browser", async () => {
        await batch([
          // Else two at once would not see each other's, and more than `keep` stay.
          ...lockUser(parts, userId),
          prepare(text.put)
            .bind(
              idHash,
              userId,
              createdAt,
              expiresAt,
              ...conditionValues({ ...options, mailbox: emailIdentity ?? undefined }),
            ),
          prepare(text.keep).bind(userId, keep),
        ]);
      });
    },
    isKnownBrowser(idHash, { now, proved = false, emailIdentity = null, userId = null }) {
      return repeat("find the known browser", async () => {
        const found = prepare(text.find).bind(idHash, now, proved ? 1 : 0, emailIdentity, userId);
        return await found.first() !== null;
      });
    },
    hasKnownBrowsers(userId, now) {
      return repeat("find known browsers", async () => {
        const sql =
          "SELECT 1 AS found FROM known_browsers WHERE user_id = ?1 AND expires_at > ?2 LIMIT 1";
        return await prepare(sql).bind(userId, now).first() !== null;
      });
    },
    dropKnownBrowsers(userId) {
      return repeat("forget the known browsers", async () => {
        await prepare(DROP).bind(userId).run();
      });
    },
  };
}

/**
 * Group of operations on browsers that have signed in before; without it no browser is known, for `groupOf()`.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, groupOf, knownBrowserGroup } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 *
 * const browsers = groupOf(createMemoryStorage(), knownBrowserGroup);
 * equal(await browsers?.isKnownBrowser("no such hash", { now: Date.now() }), false);
 * ```
 */
export const knownBrowserGroup: StorageGroup<KnownBrowserStorage> = {
  name: "knownBrowsers",
  sql: createKnownBrowserOperations,
};
