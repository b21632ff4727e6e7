/**
 * Password hashes and pending sign-ups: port, SQL and accessor.
 *
 * @module
 */

import type { User } from "../types/user.ts";
import type { AddWayOptions } from "./accounts.ts";
import { NEVER } from "./first_proof.ts";
import type { SqlParts, StorageGroup } from "./group.ts";
import { endKnownBrowsers } from "./known_browsers.ts";
import type { UserRecord } from "./records.ts";
import {
  columnsOf,
  type Fields,
  isText,
  isTextOrNull,
  isTime,
  type Row,
  userValues,
  valuesOf,
} from "./rows.ts";
import { endLinks } from "./secrets.ts";
import { conditionValues, lockUser } from "./sql.ts";
import { changesOf, inBackground, sweepRows, sweepText } from "./sql_executor.ts";
import { endSessions, INSERT_USER } from "./statements.ts";

/** The password of a user, as it is stored. */
export interface PasswordRecord {
  /** Id of the user. */
  userId: string;
  /** Hash of the password, never the password. */
  hash: string;
  /** Time of the last change, in milliseconds since 1970. */
  changedAt: number;
}

/** The user of a mailbox, with the hash of the password. */
export interface FoundPassword {
  /** The user, also a disabled one. */
  user: User;
  /** Hash of the password; null for a user who has none. */
  hash: string | null;
  /**
   * Time from which checks of the user's credentials count, read together with the hash: 0 for always, 8,640,000,000,000,000
   * for never. It rises whenever something ends credentials, but for what is given the very time that it is, see
   * {@linkcode Storage}. A check of this hash counts as long as it is the same.
   */
  credentialsAfter: number;
}

/** A sign-up that waits for the proof of its address. Nobody is a user by it. */
export interface PendingSignUp {
  /** SHA-256 of the token in the mail, base64url. The token itself is stored nowhere. */
  tokenHash: string;
  /** The mailbox, as `parseEmailAddress()` identifies it. */
  emailIdentity: string;
  /** The address as typed. */
  email: string;
  /** Name as typed; null for none. */
  name: string | null;
  /** Hash of the chosen password. */
  passwordHash: string;
  /** SHA-256 of the secret of the browser that signs up, base64url. */
  browserHash: string;
  /** Address to go to after the sign-up, checked by the redirect guard; null for the start page. */
  callbackUrl: string | null;
  /** Time of the sign-up, in milliseconds since 1970. */
  createdAt: number;
  /** Time at which it is forgotten, in milliseconds since 1970. */
  expiresAt: number;
}

/** Conditions of a new password. */
export interface SetPasswordOptions extends AddWayOptions {
  /** Public id of a session that goes on. Default: all sessions of the user end. */
  exceptId?: string | undefined;
  /** True when that session must still be there: it is the proof. Default false. */
  bySession?: boolean;
  /**
   * Time from which the user's credentials counted when the proof was read, see {@linkcode FoundPassword.credentialsAfter}.
   * Refused when they count from a later moment on, since another password was set meanwhile. Default: not refused for that.
   */
  proofBegunAt?: number;
}

/** Maximum number of pending sign-ups of one mailbox. */
export interface KeepSignUpsOptions {
  /** The newest `keep` of the same mailbox stay, the new one included, whatever its time is. */
  keep: number;
}

/** Content of a sign-up that is completed. */
export interface CompleteSignUpOptions {
  /** The new user, whose `emailIdentity` is the mailbox of the sign-up. */
  record: UserRecord;
  /** Hash of the password: the one of the sign-up, or of another that was chosen since. */
  hash: string;
}

/**
 * Result of completing a sign-up: `"made"` when the user is made, with the password; `"taken"` when the sign-up is taken and
 * the mailbox has a user already, so that nobody is made; `"absent"` when the sign-up does not exist or has expired.
 */
export type SignUpOutcome = "made" | "taken" | "absent";

/** Operations on passwords and pending sign-ups. */
export interface PasswordStorage {
  /**
   * Finds the user of a mailbox with the password and the time from which checks count, all of it in one question; null
   * when nobody has it. Safe to repeat.
   */
  findPassword(emailIdentity: string): Promise<FoundPassword | null>;
  /** Reads the password of a user; null when there is none. Safe to repeat. */
  readPassword(userId: string): Promise<PasswordRecord | null>;
  /**
   * Gives a user a password, in place of the one of before: a check of an older one signs nobody in, and the user's
   * one-time secrets (`links` of {@linkcode Endings}), known browsers and sessions end; all of it or nothing. The time
   * from which credentials count rises to `changedAt`, see {@linkcode Storage}. False when there is no such user, the user is
   * disabled, or the options refuse. Safe to repeat; that time may move on once more.
   */
  setPassword(password: PasswordRecord, options?: SetPasswordOptions): Promise<boolean>;
  /**
   * Replaces a hash by another of the same password; false when it is not there any more. Of several at once that read
   * the same hash one replaces it. Safe to repeat: the second call says false.
   */
  replaceHash(userId: string, hashes: { from: string; to: string }): Promise<boolean>;
  /**
   * Stores a new user with a password, both or neither. Unique: one id, one mailbox. Not safe to repeat.
   *
   * @throws {UserExistsError} When the id or the mailbox is taken.
   */
  createUserWithPassword(record: UserRecord, hash: string): Promise<void>;
  /**
   * Stores a pending sign-up, and removes all but the newest of the same mailbox. Unique: one token hash, of which the one
   * that is stored stays as it is. Safe to repeat, as long as nobody has been told the token.
   */
  putSignUp(signUp: PendingSignUp, options: KeepSignUpsOptions): Promise<void>;
  /** Reads a pending sign-up, which stays; null when there is none or it has expired. Safe to repeat. */
  readSignUp(tokenHash: string, now: number): Promise<PendingSignUp | null>;
  /** Reads the newest pending sign-up of a browser; null when there is none. Safe to repeat. */
  readSignUpOfBrowser(browserHash: string, now: number): Promise<PendingSignUp | null>;
  /**
   * Takes a pending sign-up and makes its user, with the password; the others of the mailbox end. "absent", and nothing is
   * changed, when it has expired by `record.at` or is another mailbox's; "taken" when the mailbox or the id has a user:
   * then the sign-ups end, too. Of any number at once one makes a user. Not safe to repeat: the second call says "absent".
   */
  completeSignUp(tokenHash: string, options: CompleteSignUpOptions): Promise<SignUpOutcome>;
}

/** A password as a row of `password_hashes`. */
const PASSWORD: Fields<PasswordRecord> = { userId: isText, hash: isText, changedAt: isTime };

/** A pending sign-up as a row of `pending_sign_ups`. */
const SIGN_UP: Fields<PendingSignUp> = {
  tokenHash: isText,
  emailIdentity: isText,
  email: isText,
  name: isTextOrNull,
  passwordHash: isText,
  browserHash: isText,
  callbackUrl: isTextOrNull,
  createdAt: isTime,
  expiresAt: isTime,
};

// At each sign-up, so that what has expired goes without a sweep of its own.
const SWEEP_ROWS = 20;

/** Ends the password of the user ?1, see `endEverything()`. */
export function endPassword(holds = ""): string[] {
  return [`DELETE FROM password_hashes WHERE user_id = ?1${holds}`];
}

// Upwards, also by a clock that is behind: a check counts as long as the time that it has read is not over. The same time once
// more is taken for the same call: another change of that millisecond cannot be told from it, since its hash is there already.
function raiseCredentials(at: string, holds: string): string {
  return `UPDATE users SET credentials_after = CASE
WHEN credentials_after > ${at} AND credentials_after < ${NEVER} THEN credentials_after + 1 ELSE ${at} END
WHERE id = ?1 AND ${holds}`;
}

/** ?1 user, ?2 from when on the credentials count, ?3 whether the mailbox must be unproved. */
export const endCredentials: string = /* @__PURE__ */ raiseCredentials(
  "?2",
  "(?3 = 0 OR email_verified IS NULL)",
);

/** Ends the pending sign-ups for the address of the user ?1, see `endEverything()`. */
export function endSignUps(holds = ""): string[] {
  return [`DELETE FROM pending_sign_ups
WHERE email_identity = (SELECT email_identity FROM users WHERE id = ?1)${holds}`];
}

/** The statements. Each is one wherever a race would matter. */
function writeStatements({ columns }: { columns: string }) {
  const passwordColumns = columnsOf(PASSWORD);
  const signUpColumns = columnsOf(SIGN_UP);
  // Of the new hash, which is nobody else's: what comes after it is done when it is there.
  const isSet = "EXISTS (SELECT 1 FROM password_hashes WHERE user_id = ?1 AND hash = ?2)";
  // The proof of the mailbox, without which there is nobody to be made.
  const live = `EXISTS (SELECT 1 FROM pending_sign_ups
  WHERE token_hash = ?10 AND email_identity = ?3 AND expires_at > ?7)`;
  return {
    /** ?1 mailbox. */
    find: `SELECT ${columns}, users.credentials_after, password_hashes.hash AS password_hash
FROM users LEFT JOIN password_hashes ON password_hashes.user_id = users.id
WHERE users.email_identity = ?1`,
    /** ?1 user. */
    read: `SELECT ${passwordColumns} FROM password_hashes WHERE user_id = ?1`,
    /**
     * ?1 user, ?2 hash, ?3 when, ?4 whether the mailbox must be unproved, ?5 from when on credentials counted for the proof,
     * ?6 session that must be there, or null.
     */
    set: `INSERT INTO password_hashes (${passwordColumns}) SELECT id, ?2, ?3 FROM users
WHERE id = ?1 AND disabled_at IS NULL AND (?4 = 0 OR email_verified IS NULL)
AND (credentials_after IS NULL OR credentials_after <= ?5)
AND (CAST(?6 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM sessions WHERE id = ?6 AND user_id = ?1))
ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, changed_at = excluded.changed_at`,
    /** ?1 user, ?2 hash: what a password of before has opened. */
    drop: [...endLinks(` AND ${isSet}`), ...endKnownBrowsers(` AND ${isSet}`)],
    /** ?1 user, ?2 hash, ?3 id of the session that stays. */
    endSessions: endSessions(` AND ${isSet} AND id <> ?3`),
    /** ?1 user, ?2 hash, ?3 when. */
    setCredentialsAfter: raiseCredentials("?3", isSet),
    /** ?1 user, ?2 hash. */
    isSet: `SELECT 1 AS found FROM users WHERE id = ?1 AND ${isSet}`,
    /** ?1 user, ?2 hash of before, ?3 hash. */
    replace: "UPDATE password_hashes SET hash = ?3 WHERE user_id = ?1 AND hash = ?2",
    /** ?1 user, ?2 hash, ?3 when. */
    insert: `INSERT INTO password_hashes (${passwordColumns})
SELECT id, ?2, ?3 FROM users WHERE id = ?1`,
    /**
     * ?1 token hash, ?2 mailbox, ?3 address, ?4 name, ?5 password hash, ?6 browser, ?7 callback, ?8 created, ?9
     * expires.
     */
    putSignUp: `INSERT INTO pending_sign_ups (${signUpColumns})
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (token_hash) DO NOTHING`,
    /** ?1 mailbox, ?2 token hash that stays, ?3 how many stay beside it. */
    keepSignUps: `DELETE FROM pending_sign_ups WHERE email_identity = ?1 AND token_hash <> ?2
AND token_hash NOT IN (SELECT token_hash FROM pending_sign_ups
  WHERE email_identity = ?1 AND token_hash <> ?2 ORDER BY created_at DESC, token_hash LIMIT ?3)`,
    /** ?1 token hash, ?2 now. */
    readSignUp: `SELECT ${signUpColumns} FROM pending_sign_ups
WHERE token_hash = ?1 AND expires_at > ?2`,
    /** ?1 hash of the browser's secret, ?2 now. */
    readSignUpOfBrowser: `SELECT ${signUpColumns} FROM pending_sign_ups
WHERE browser_hash = ?1 AND expires_at > ?2 ORDER BY created_at DESC, token_hash LIMIT 1`,
    /** As `INSERT_USER`, with ?10 token hash of the sign-up that must hold. Nothing where the mailbox has a user. */
    make: `INSERT INTO users
  (id, email, email_identity, name, image, email_verified, created_at, updated_at, role, roles)
SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8, ?9 WHERE ${live}
ON CONFLICT DO NOTHING RETURNING id`,
    /** ?1 token hash, ?2 now, ?3 mailbox: the other sign-ups of the mailbox. */
    endOthers: `DELETE FROM pending_sign_ups WHERE email_identity = ?3 AND token_hash <> ?1
AND EXISTS (SELECT 1 FROM pending_sign_ups AS taken
  WHERE taken.token_hash = ?1 AND taken.email_identity = ?3 AND taken.expires_at > ?2)`,
    /** ?1 token hash, ?2 now, ?3 mailbox. */
    take: `DELETE FROM pending_sign_ups
WHERE token_hash = ?1 AND expires_at > ?2 AND email_identity = ?3 RETURNING token_hash`,
  };
}

/** Makes the operations on passwords and pending sign-ups. */
function createPasswordOperations(parts: SqlParts): PasswordStorage {
  const { executor, reader, dialect } = parts;
  const { prepare, batch, repeat, once } = executor;
  const text = writeStatements(parts.statements);
  const sweep = sweepText("pending_sign_ups", dialect);

  return {
    findPassword(emailIdentity) {
      return repeat("find the password", async () => {
        const row = await prepare(text.find).bind(emailIdentity).first<Row>();
        const user = row === null ? null : reader.user(row);
        if (row === null || user === null) return null;
        const { password_hash: hash, credentials_after: after } = row;
        return { user, hash: isText(hash) ? hash : null, credentialsAfter: Number(after) };
      });
    },
    readPassword(userId) {
      return repeat("read the password", async () => {
        return reader.record(await prepare(text.read).bind(userId).first<Row>(), PASSWORD);
      });
    },
    setPassword({ userId, hash, changedAt }, options = {}) {
      const { exceptId = "", bySession = false } = options;
      const [begunAt, unproved] = conditionValues(options);
      const own = [userId, hash] as const;
      return repeat("set the password", async () => {
        const results = await batch([
          ...lockUser(parts, userId),
          prepare(text.set).bind(...own, changedAt, unproved, begunAt, bySession ? exceptId : null),
          ...text.drop.map((sql) => prepare(sql).bind(...own)),
          ...text.endSessions.map((sql) => prepare(sql).bind(...own, exceptId)),
          prepare(text.setCredentialsAfter).bind(...own, changedAt),
          prepare(text.isSet).bind(...own),
        ]);
        return results.at(-1)!.results.length > 0;
      });
    },
    replaceHash(userId, { from, to }) {
      return repeat("store the new hash of the password", async () => {
        return changesOf(await prepare(text.replace).bind(userId, from, to).run()) > 0;
      });
    },
    createUserWithPassword(record, hash) {
      return once("create the user", async () => {
        await batch([
          prepare(INSERT_USER).bind(...userValues(record)),
          prepare(text.insert).bind(record.user.id, hash, record.at),
        ]);
      });
    },
    putSignUp(signUp, { keep }) {
      const { emailIdentity, tokenHash, createdAt: now } = signUp;
      inBackground(sweepRows(executor, sweep, { now, limit: SWEEP_ROWS }));
      return repeat("store the sign-up", async () => {
        await batch([
          // Else two of one mailbox at once would not see each other, and more than `keep` stay.
          ...dialect === undefined
            ? []
            : [prepare(dialect.lockText).bind(`sign-up ${emailIdentity}`)],
          prepare(text.putSignUp).bind(...valuesOf(SIGN_UP, signUp)),
          prepare(text.keepSignUps).bind(emailIdentity, tokenHash, keep - 1),
        ]);
      });
    },
    readSignUp(tokenHash, now) {
      return repeat("read the sign-up", async () => {
        return reader.record(
          await prepare(text.readSignUp).bind(tokenHash, now).first<Row>(),
          SIGN_UP,
        );
      });
    },
    readSignUpOfBrowser(browserHash, now) {
      return repeat("read the sign-up", async () => {
        const row = await prepare(text.readSignUpOfBrowser).bind(browserHash, now).first<Row>();
        return reader.record(row, SIGN_UP);
      });
    },
    // Not repeated when the answer is lost: the user is there, and signs in with the password.
    completeSignUp(tokenHash, { record, hash }) {
      const { user: { id }, emailIdentity, at } = record;
      return once("complete the sign-up", async () => {
        const results = await batch([
          ...dialect === undefined
            ? []
            : [prepare(dialect.lockText).bind(`sign-up ${emailIdentity}`)],
          prepare(text.make).bind(...userValues(record), tokenHash),
          prepare(text.insert).bind(id, hash, at),
          prepare(text.endOthers).bind(tokenHash, at, emailIdentity),
          prepare(text.take).bind(tokenHash, at, emailIdentity),
        ]);
        if (results.at(-1)!.results.length === 0) return "absent";
        return results.at(-4)!.results.length > 0 ? "made" : "taken";
      });
    },
  };
}

/**
 * Group of operations on passwords and pending sign-ups, for `groupOf()`.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, groupOf, passwordGroup } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 *
 * const passwords = groupOf(createMemoryStorage(), passwordGroup);
 * equal(await passwords.findPassword("ada@example.com"), null);
 * ```
 */
export const passwordGroup: StorageGroup<PasswordStorage> = {
  name: "passwords",
  sql: createPasswordOperations,
};
