/**
 * Second factors: port, SQL and accessor. TOTP, recovery codes, trusted browsers, and the proof of each session.
 *
 * @module
 */

import { NEVER } from "./first_proof.ts";
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
import { lockUser } from "./sql.ts";
import { changesOf, inBackground, sweepRows, sweepText } from "./sql_executor.ts";

/** The TOTP factor of a user. Times are milliseconds since 1970. */
export interface FactorRecord {
  /** Id of the user. Deleted with the user. */
  userId: string;
  /** Shared secret, sealed: the storage does not know it. */
  secret: string;
  /** Newest time step whose code was accepted (RFC 6238, 5.2): no code of it or of an older one is accepted again. */
  lastStep: number;
  /** Tries of codes in the present period. */
  tries: number;
  /** Beginning of that period. */
  triesSince: number;
  /** Time at which it was turned on. */
  createdAt: number;
}

/** A new factor of a user, with the recovery codes that come with it. */
export interface NewFactor
  extends Pick<FactorRecord, "userId" | "secret" | "lastStep" | "createdAt"> {
  /** Hashes of the recovery codes, which take the place of all before. */
  codes: readonly string[];
  /** `createdAt` of the factor whose place it takes; null when the user was read as one without a factor. */
  replaces: number | null;
}

/** New recovery codes in the place of others. Times are milliseconds since 1970. */
export interface NewRecoveryCodes {
  /** Their hashes, at least one. */
  codes: readonly string[];
  /** Time at which they are made, later than `replaces`. */
  at: number;
  /** `recoveryCodesMadeAt()` of those whose place they take. */
  replaces: number;
}

/** Limit of tries. Times are milliseconds since 1970. */
export interface TryCodeOptions {
  /** Now. */
  at: number;
  /** Periods that began until then are over. */
  since: number;
  /** Number of tries in a period. */
  max: number;
}

/** A browser in which a user need not prove the second factor to sign in. Times are milliseconds since 1970. */
export interface TrustedBrowserRecord {
  /** SHA-256 of the browser's random id and of the user's id, base64url. */
  idHash: string;
  /** Id of the user. Deleted with the user. */
  userId: string;
  /** Name of the browser, as it says itself; null for none. */
  userAgent: string | null;
  /** Time at which it was trusted. */
  createdAt: number;
  /** Time at which that ends. */
  expiresAt: number;
}

/** Options for `putTrustedBrowser()`. */
export interface KeepTrustedBrowsersOptions {
  /** Maximum number of browsers of a user; the oldest go. */
  keep: number;
}

/**
 * Means of a second factor: a code of an app, a recovery code, a passkey, the word of a provider, that of the application, or a
 * browser that is trusted.
 */
export type SecondFactorMeans =
  | "totp"
  | "recovery"
  | "passkey"
  | "provider"
  | "application"
  | "trusted";

/** The second factor that a session has proved. Times are milliseconds since 1970. */
export interface SessionFactorRecord {
  /** Public id of the session. */
  sessionId: string;
  /** Id of the user. Deleted with the user. */
  userId: string;
  /** Means of the proof. */
  method: SecondFactorMeans;
  /** Time of the proof. */
  at: number;
  /** Time at which the row is forgotten. */
  expiresAt: number;
}

/** A new token of a session. Times are milliseconds since 1970. */
export interface ReplaceTokenOptions {
  /** SHA-256 of the token that was read, base64url. */
  from: string;
  /** SHA-256 of the new one. */
  to: string;
  /** True for a session that is bound to its device: what the token of before opens is bound to the same one. */
  bound: boolean;
  /** Session that the token of before opens until then: its public id, and its end. */
  before: Pick<SessionFactorRecord, "sessionId" | "expiresAt">;
}

/** A request to sign in without the second factor that is lost. Times are milliseconds since 1970. */
export interface NewRecovery {
  /** Id of the user. Deleted with the user. */
  userId: string;
  /** Name of the row, which follows from the user: there is one. */
  hash: string;
  /** Content, in which a random part tells this request from every other. */
  payload: string;
  /** Hash of the waiting sign-in that asks for it. */
  step: string;
  /** Time at which a code of the app had been accepted: a password that is newer refuses the request. */
  provedAt: number;
  /** Time of the request. */
  createdAt: number;
  /** Time at which it is over. */
  expiresAt: number;
}

/** A request for recovery as it was read. Times are milliseconds since 1970. */
export interface KnownRecovery extends Pick<NewRecovery, "hash" | "payload"> {
  /** Now. */
  now: number;
}

/** Operations on second factors. */
export interface SecondFactorStorage {
  /** Reads the factor of a user; null when there is none. Safe to repeat. */
  readFactor(userId: string): Promise<FactorRecord | null>;
  /**
   * Gives a user a factor with its recovery codes, no tries (`tries` and `triesSince` are 0), and ends the user's trusted
   * browsers and request for recovery: all of it or nothing. False when
   * there is no such user, the user is disabled, or another factor has been stored since `replaces` was read. Safe to repeat.
   */
  putFactor(factor: NewFactor): Promise<boolean>;
  /**
   * Takes one of the tries of a period, and returns the factor as it is then; null, and none is taken, when there is no
   * factor or no try is left. Of any number at once `max` are taken. Not safe to repeat: the second call takes another one.
   */
  tryCode(userId: string, options: TryCodeOptions): Promise<FactorRecord | null>;
  /**
   * Accepts the code of a time step, and gives the try back. False when a code of that step or of a later one has been
   * accepted before: of any number of uses at once one is accepted; it was the right one, so the try is given back too.
   * False for a secret that is no longer the user's, where no try is given back. Not safe to repeat: the second call says
   * false.
   *
   * @param secret The sealed secret of which the code was computed, as it was read.
   */
  takeStep(userId: string, step: number, secret: string): Promise<boolean>;
  /** Counts the recovery codes that are left. Safe to repeat. */
  countRecoveryCodes(userId: string): Promise<number>;
  /** Takes a recovery code. Of any number of uses at once one takes it. Not safe to repeat: the second call says false. */
  takeRecoveryCode(userId: string, hash: string): Promise<boolean>;
  /** Reads when the recovery codes that are left were made, in milliseconds since 1970; 0 for none. Safe to repeat. */
  recoveryCodesMadeAt(userId: string): Promise<number>;
  /**
   * Puts these recovery codes in the place of those that were read: all of it or nothing, and of any number at once that
   * read the same ones, those of one. False for a user without a factor, or when there are others by now. Safe to repeat.
   */
  replaceRecoveryCodes(userId: string, codes: NewRecoveryCodes): Promise<boolean>;
  /**
   * Removes the factor of a user, the recovery codes, the trusted browsers, what sessions have proved, the sign-ins that
   * wait for it, and the request for recovery: all of it or nothing. False when there was no factor. Not safe to repeat:
   * the second call says false.
   */
  dropFactor(userId: string): Promise<boolean>;
  /**
   * Stores a trusted browser, in place of one with the same hash, which is the same user's, and forgets the user's oldest
   * ones: at most `keep` stay, also of several at once. Nothing is stored for a user who has no factor. Safe to repeat.
   */
  putTrustedBrowser(
    browser: TrustedBrowserRecord,
    options: KeepTrustedBrowsersOptions,
  ): Promise<void>;
  /**
   * Lists the trusted browsers of a user that count, newest first: those that have not ended, and that were trusted after
   * the time from which credentials count, or at whatever time where that is never. Safe to repeat.
   */
  listTrustedBrowsers(userId: string, now: number): Promise<TrustedBrowserRecord[]>;
  /** Ends the trusted browsers of a user, or the one with this hash; returns how many there were. Safe to repeat. */
  dropTrustedBrowsers(userId: string, idHash?: string): Promise<number>;
  /**
   * Gives a session another token: it stays the same session. What the browser has sent at the same time has the token of
   * before, which opens another session for a few seconds: it has proved what this one had proved until now, is never
   * renewed, and gets no token itself, which its `refreshedAt` says, the moment of its end, at most that of the session.
   * False when the session is gone, or has another token by now. Safe to repeat: the same change again is true.
   */
  replaceToken(sessionId: string, options: ReplaceTokenOptions): Promise<boolean>;
  /** Stores what a session has proved, in place of what it had proved before; nothing for a user who is gone. Safe to repeat. */
  putSessionFactor(factor: SessionFactorRecord): Promise<void>;
  /** Reads what a session of this user has proved; null for nothing. Safe to repeat. */
  readSessionFactor(sessionId: string, userId: string): Promise<SessionFactorRecord | null>;
  /**
   * Stores a request for recovery, as a one-time secret with the purpose {@linkcode RECOVERY_PURPOSE}; of the same one the
   * time at which it is over. False, and nothing is stored, while there is another one of the user, or one that was cancelled
   * holds; and when the user has no factor, no proved address, a password newer than `provedAt`, or is disabled, or when the
   * waiting sign-in is over or another user's. Of any number at once one is stored. Safe to repeat.
   */
  putRecovery(recovery: NewRecovery): Promise<boolean>;
  /**
   * Cancels the request, and ends the sign-ins of the user that wait for the second factor: all of it or nothing. It stays
   * without its payload until `until`, so that none takes its place. False when it is another one, over or cancelled. Not
   * safe to repeat: the second call says false.
   */
  cancelRecovery(
    userId: string,
    recovery: KnownRecovery & { /** Time until which there is no other request. */ until: number },
  ): Promise<boolean>;
  /**
   * Takes the request, and removes what `dropFactor()` removes: all of it or nothing, and of any number at once for one.
   * False when it is another one, over or cancelled, when `step`, the waiting sign-in, is over or another user's, when the
   * user is disabled, or when credentials count from after the request only. Not safe to repeat: the second call says false.
   */
  takeRecovery(
    userId: string,
    recovery: KnownRecovery & { /** Hash of the waiting sign-in. */ step: string },
  ): Promise<boolean>;
}

const FACTOR: Fields<FactorRecord> = {
  userId: isText,
  secret: isText,
  lastStep: isTime,
  tries: isTime,
  triesSince: isTime,
  createdAt: isTime,
};

const TRUSTED: Fields<TrustedBrowserRecord> = {
  idHash: isText,
  userId: isText,
  userAgent: isTextOrNull,
  createdAt: isTime,
  expiresAt: isTime,
};

const SESSION_FACTOR: Fields<SessionFactorRecord> = {
  sessionId: isText,
  userId: isText,
  method: isText,
  at: isTime,
  expiresAt: isTime,
};

const SWEEP_ROWS = 20;

/**
 * Purpose of the sign-ins that wait for the second factor, which are one-time secrets.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, STEP_PURPOSE } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 *
 * equal(await createMemoryStorage().readSecret(STEP_PURPOSE, "hash of a step", Date.now()), null);
 * ```
 */
export const STEP_PURPOSE = "second-step";

/**
 * Ends the second factor of the user ?1, the recovery codes, the trusted browsers and what sessions have proved, see
 * `endEverything()`.
 */
export function endFactors(holds = ""): string[] {
  return ["recovery_codes", "trusted_browsers", "session_factors", "second_factors"].map((table) =>
    `DELETE FROM ${table} WHERE user_id = ?1${holds}`
  );
}

/** Ends the trusted browsers of the user ?1, see `endEverything()`. */
export function endTrustedBrowsers(holds = ""): string[] {
  return [`DELETE FROM trusted_browsers WHERE user_id = ?1${holds}`];
}

/**
 * Purpose of the requests to sign in without a second factor that is lost, which are one-time secrets.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, RECOVERY_PURPOSE } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 *
 * equal(await createMemoryStorage().readSecret(RECOVERY_PURPOSE, "hash", Date.now()), null);
 * ```
 */
export const RECOVERY_PURPOSE = "factor-recovery";

const endSteps = (holds = "") =>
  `DELETE FROM verifications WHERE user_id = ?1 AND purpose = '${STEP_PURPOSE}'${holds}`;

const endRecovery = (holds = "") =>
  `DELETE FROM verifications WHERE user_id = ?1 AND purpose = '${RECOVERY_PURPOSE}'${holds}`;

/**
 * Ends the sign-ins of the user ?1 that wait for the second factor, and the request to do without it, see
 * `endEverything()`.
 */
export function endPendingSteps(holds = ""): string[] {
  return [endSteps(holds), endRecovery(holds)];
}

/** Writes the statements. Each is one wherever a race would matter. */
function writeStatements() {
  const factor = columnsOf(FACTOR);
  const trusted = columnsOf(TRUSTED);
  const session = columnsOf(SESSION_FACTOR);
  // A sealed secret is like no other: what comes after it is done when it is there.
  const isSet = "EXISTS (SELECT 1 FROM second_factors WHERE user_id = ?1 AND secret = ?2)";
  const end = "CASE WHEN expires_at < ?5 THEN expires_at ELSE ?5 END";
  const isOn = "EXISTS (SELECT 1 FROM second_factors WHERE user_id = ?1)";
  const waits = (step: string, now: string) =>
    `EXISTS (SELECT 1 FROM verifications AS steps WHERE steps.purpose = '${STEP_PURPOSE}'
  AND steps.hash = ${step} AND steps.user_id = ?1 AND steps.expires_at > ${now})`;
  const recovery = `purpose = '${RECOVERY_PURPOSE}' AND user_id = ?1 AND hash = ?2`;
  const known = `${recovery} AND payload = ?3 AND expires_at > ?4`;
  // What stands after it in a transaction is done when the request has been taken there.
  const isTaken = ` AND EXISTS (SELECT 1 FROM verifications AS taken
  WHERE taken.purpose = '${RECOVERY_PURPOSE}' AND taken.hash = ?2 AND taken.attempts = 1)`;
  return {
    /** ?1 user. */
    read: `SELECT ${factor} FROM second_factors WHERE user_id = ?1`,
    /** ?1 user, ?2 secret, ?3 step, ?4 created, ?5 when the one before was made, or null. */
    put: `INSERT INTO second_factors (${factor}) SELECT id, ?2, ?3, 0, 0, ?4 FROM users
WHERE id = ?1 AND disabled_at IS NULL AND (CAST(?5 AS BIGINT) IS NULL AND NOT ${isOn}
  OR EXISTS (SELECT 1 FROM second_factors WHERE user_id = ?1 AND created_at = ?5))
ON CONFLICT (user_id) DO UPDATE SET secret = excluded.secret, last_step = excluded.last_step,
  tries = 0, tries_since = 0, created_at = excluded.created_at`,
    /** ?1 user, ?2 secret: what the factor of before has opened. */
    end: [
      ...["recovery_codes", "trusted_browsers"].map((table) =>
        `DELETE FROM ${table} WHERE user_id = ?1 AND ${isSet}`
      ),
      endRecovery(` AND ${isSet}`),
    ],
    /** ?1 user, ?2 secret, ?3 hash, ?4 when. */
    addCode: `INSERT INTO recovery_codes (hash, user_id, created_at)
SELECT ?3, users.id, ?4 FROM users WHERE id = ?1 AND ${isSet}`,
    /** ?1 user, ?2 secret. */
    isSet: `SELECT 1 AS found FROM users WHERE id = ?1 AND ${isSet}`,
    /** ?1 user, ?2 now, ?3 the newest end of a period, ?4 how many. */
    tryCode: `UPDATE second_factors SET
  tries = CASE WHEN tries_since <= ?3 THEN 1 ELSE tries + 1 END,
  tries_since = CASE WHEN tries_since <= ?3 THEN ?2 ELSE tries_since END
WHERE user_id = ?1 AND (tries_since <= ?3 OR tries < ?4) RETURNING ${factor}`,
    /** ?1 user, ?2 step, ?3 secret. */
    takeStep: `UPDATE second_factors SET last_step = ?2,
  tries = CASE WHEN tries > 0 THEN tries - 1 ELSE 0 END
WHERE user_id = ?1 AND last_step < ?2 AND secret = ?3`,
    /** ?1 user, ?2 step, ?3 secret. */
    giveBack: `UPDATE second_factors SET tries = tries - 1
WHERE user_id = ?1 AND last_step >= ?2 AND secret = ?3 AND tries > 0`,
    /** ?1 user. */
    countCodes: "SELECT hash FROM recovery_codes WHERE user_id = ?1",
    /** ?1 user, ?2 hash. */
    takeCode: "DELETE FROM recovery_codes WHERE user_id = ?1 AND hash = ?2",
    /** ?1 user. */
    codesMadeAt:
      "SELECT COALESCE(MAX(created_at), 0) AS made_at FROM recovery_codes WHERE user_id = ?1",
    /** ?1 user, ?2 when those that were read were made. */
    dropCodes: `DELETE FROM recovery_codes WHERE user_id = ?1 AND ${isOn}
AND ?2 = (SELECT MAX(created_at) FROM recovery_codes WHERE user_id = ?1)`,
    /** ?1 user, ?2 hash, ?3 when. The first: where any are left, others were faster. */
    firstCode: `INSERT INTO recovery_codes (hash, user_id, created_at)
SELECT ?2, user_id, ?3 FROM second_factors WHERE user_id = ?1
AND NOT EXISTS (SELECT 1 FROM recovery_codes WHERE user_id = ?1)`,
    /** ?1 user, ?2 hash, ?3 when, ?4 hash of the first. The others: where that is there. */
    nextCode: `INSERT INTO recovery_codes (hash, user_id, created_at)
SELECT ?2, user_id, ?3 FROM recovery_codes WHERE user_id = ?1 AND hash = ?4
ON CONFLICT (hash) DO NOTHING`,
    /** ?1 user, ?2 hash. */
    hasCode: "SELECT 1 AS found FROM recovery_codes WHERE user_id = ?1 AND hash = ?2",
    /** ?1 user. */
    drop: [...endPendingSteps(), ...endFactors()],
    /** ?1 hash, ?2 user, ?3 browser, ?4 created, ?5 expires. */
    putTrusted: `INSERT INTO trusted_browsers (${trusted})
SELECT ?1, user_id, ?3, ?4, ?5 FROM second_factors WHERE user_id = ?2
ON CONFLICT (id_hash) DO UPDATE SET user_agent = excluded.user_agent,
  created_at = excluded.created_at, expires_at = excluded.expires_at`,
    /** ?1 user, ?2 how many stay. */
    keepTrusted: `DELETE FROM trusted_browsers WHERE user_id = ?1 AND id_hash NOT IN
(SELECT id_hash FROM trusted_browsers WHERE user_id = ?1 ORDER BY created_at DESC, id_hash LIMIT ?2)`,
    /** ?1 user, ?2 now. Passwords that never count again say nothing of when one was changed. */
    listTrusted: `SELECT ${
      Object.keys(TRUSTED).map((field) => `trusted_browsers.${columnsOf({ [field]: 0 })}`).join(
        ", ",
      )
    } FROM trusted_browsers JOIN users ON users.id = trusted_browsers.user_id
WHERE trusted_browsers.user_id = ?1 AND trusted_browsers.expires_at > ?2
AND (users.credentials_after IS NULL OR users.credentials_after >= ${NEVER}
  OR trusted_browsers.created_at > users.credentials_after)
ORDER BY trusted_browsers.created_at DESC, trusted_browsers.id_hash`,
    /** ?1 user, ?2 hash or null. */
    dropTrusted: `DELETE FROM trusted_browsers WHERE user_id = ?1
AND (CAST(?2 AS TEXT) IS NULL OR id_hash = ?2)`,
    /** ?1 session, ?2 user, ?3 method, ?4 when, ?5 expires. */
    putSession: `INSERT INTO session_factors (${session})
SELECT ?1, users.id, ?3, ?4, ?5 FROM users WHERE id = ?2
ON CONFLICT (session_id) DO UPDATE SET user_id = excluded.user_id, method = excluded.method,
  at = excluded.at, expires_at = excluded.expires_at`,
    /** ?1 session, ?2 the token that was read, ?3 the new one. */
    replaceToken: `UPDATE sessions SET token_hash = ?3
WHERE id = ?1 AND token_hash = ?2 AND refreshed_at < expires_at`,
    /** ?1 session, ?2 the token that was read, ?3 the new one, ?4 session of the one of before, ?5 its end. */
    keepBefore: ["", ", device"].map((device) =>
      `INSERT INTO sessions (id, token_hash, user_id, user_agent, created_at,
  authenticated_at, refreshed_at, expires_at, tenant_id${device})
SELECT ?4, ?2, user_id, user_agent, created_at, authenticated_at, ${end}, ${end}, tenant_id${device}
FROM sessions WHERE id = ?1 AND token_hash = ?3 ON CONFLICT (id) DO NOTHING`
    ),
    /** ?1 session, ?2 the new token, ?3 session of the one of before, ?4 its end. */
    keepProof: `INSERT INTO session_factors (${session})
SELECT ?3, user_id, method, at, ?4 FROM session_factors
WHERE session_id = ?1 AND EXISTS (SELECT 1 FROM sessions WHERE id = ?1 AND token_hash = ?2)
ON CONFLICT (session_id) DO NOTHING`,
    /** ?1 session, ?2 token. */
    hasToken: "SELECT 1 AS found FROM sessions WHERE id = ?1 AND token_hash = ?2",
    /** ?1 session, ?2 user. */
    readSession: `SELECT ${session} FROM session_factors WHERE session_id = ?1 AND user_id = ?2`,
    /** ?1 user, ?2 hash, ?3 payload, ?4 created, ?5 expires, ?6 hash of the step, ?7 when a code was accepted. */
    putRecovery: `INSERT INTO verifications
  (purpose, hash, identifier, user_id, payload, created_at, expires_at, attempts)
SELECT '${RECOVERY_PURPOSE}', ?2, users.id, users.id, ?3, ?4, ?5, 0 FROM users
WHERE users.id = ?1 AND users.disabled_at IS NULL AND users.email_verified IS NOT NULL AND ${isOn}
AND (users.credentials_after IS NULL OR users.credentials_after <= ?7) AND ${waits("?6", "?4")}
ON CONFLICT (purpose, hash) DO UPDATE SET payload = excluded.payload,
  created_at = excluded.created_at, expires_at = excluded.expires_at, attempts = 0
WHERE verifications.expires_at <= excluded.created_at OR verifications.payload = excluded.payload`,
    /** ?1 user, ?2 hash, ?3 payload, ?4 now, ?5 until when there is no other. */
    cancelRecovery: `UPDATE verifications SET payload = NULL, created_at = ?4, expires_at = ?5
WHERE ${known}`,
    /** ?1 user, ?2 hash, ?3 now. */
    endCancelled: endSteps(` AND EXISTS (SELECT 1 FROM verifications AS cancelled
  WHERE cancelled.purpose = '${RECOVERY_PURPOSE}' AND cancelled.hash = ?2
  AND cancelled.payload IS NULL AND cancelled.created_at = ?3)`),
    /** ?1 user, ?2 hash, ?3 payload, ?4 now, ?5 hash of the step. */
    takeRecovery: `UPDATE verifications SET attempts = 1 WHERE ${known} AND ${waits("?5", "?4")}
AND EXISTS (SELECT 1 FROM users WHERE users.id = ?1 AND users.disabled_at IS NULL
  AND (users.credentials_after IS NULL OR users.credentials_after <= verifications.created_at))`,
    /** ?1 user, ?2 hash. */
    endTaken: [...endFactors(isTaken), endSteps(isTaken)],
    /** ?1 user, ?2 hash. */
    dropTaken: `DELETE FROM verifications WHERE ${recovery} AND attempts = 1`,
  };
}

/** Makes the operations on second factors. */
function createSecondFactorOperations(parts: SqlParts): SecondFactorStorage {
  const { executor, reader, dialect } = parts;
  const { prepare, batch, repeat, once } = executor;
  const text = writeStatements();
  const sweeps = ["trusted_browsers", "session_factors"].map((table) => sweepText(table, dialect));

  function sweep(now: number): void {
    for (const sql of sweeps) {
      inBackground(sweepRows(executor, sql, { now, limit: SWEEP_ROWS }));
    }
  }

  return {
    readFactor(userId) {
      return repeat("read the second factor", async () => {
        return reader.record(await prepare(text.read).bind(userId).first<Row>(), FACTOR);
      });
    },
    putFactor({ userId, secret, lastStep, createdAt, codes, replaces }) {
      const own = [userId, secret] as const;
      return repeat("store the second factor", async () => {
        const results = await batch([
          ...lockUser(parts, userId),
          prepare(text.put).bind(...own, lastStep, createdAt, replaces),
          ...text.end.map((sql) => prepare(sql).bind(...own)),
          ...codes.map((hash) => prepare(text.addCode).bind(...own, hash, createdAt)),
          prepare(text.isSet).bind(...own),
        ]);
        return results.at(-1)!.results.length > 0;
      });
    },
    tryCode(userId, { at, since, max }) {
      return once("count the try", async () => {
        const row = await prepare(text.tryCode).bind(userId, at, since, max).first<Row>();
        return reader.record(row, FACTOR);
      });
    },
    async takeStep(...code) {
      const isTaken = await once("accept the code", async () => {
        return changesOf(await prepare(text.takeStep).bind(...code).run()) > 0;
      });
      if (!isTaken) {
        await once("give the try back", () => prepare(text.giveBack).bind(...code).run());
      }
      return isTaken;
    },
    countRecoveryCodes(userId) {
      return repeat("count the recovery codes", async () => {
        return (await prepare(text.countCodes).bind(userId).all()).results.length;
      });
    },
    takeRecoveryCode(userId, hash) {
      return once("take the recovery code", async () => {
        return changesOf(await prepare(text.takeCode).bind(userId, hash).run()) > 0;
      });
    },
    recoveryCodesMadeAt(userId) {
      return repeat("read the recovery codes", async () => {
        const row = await prepare(text.codesMadeAt).bind(userId).first<{ made_at: number }>();
        return Number(row!.made_at);
      });
    },
    replaceRecoveryCodes(userId, { codes: [first = "", ...others], at, replaces }) {
      return repeat("replace the recovery codes", async () => {
        const results = await batch([
          ...lockUser(parts, userId),
          prepare(text.dropCodes).bind(userId, replaces),
          prepare(text.firstCode).bind(userId, first, at),
          ...others.map((hash) => prepare(text.nextCode).bind(userId, hash, at, first)),
          prepare(text.hasCode).bind(userId, first),
        ]);
        return results.at(-1)!.results.length > 0;
      });
    },
    dropFactor(userId) {
      return once("remove the second factor", async () => {
        const results = await batch([
          ...lockUser(parts, userId),
          ...text.drop.map((sql) => prepare(sql).bind(userId)),
        ]);
        return changesOf(results.at(-1)) > 0;
      });
    },
    putTrustedBrowser(browser, { keep }) {
      const { userId, createdAt: now } = browser;
      sweep(now);
      return repeat("store the trusted browser", async () => {
        await batch([
          // Else two at once would not see each other's, and more than `keep` stay.
          ...lockUser(parts, userId),
          prepare(text.putTrusted).bind(...valuesOf(TRUSTED, browser)),
          prepare(text.keepTrusted).bind(userId, keep),
        ]);
      });
    },
    listTrustedBrowsers(userId, now) {
      return repeat("list the trusted browsers", async () => {
        const { results } = await prepare(text.listTrusted).bind(userId, now).all<Row>();
        return results.map((row) => reader.record(row, TRUSTED)).filter((one) => one !== null);
      });
    },
    dropTrustedBrowsers(userId, idHash) {
      return repeat("end the trusted browsers", async () => {
        return changesOf(await prepare(text.dropTrusted).bind(userId, idHash ?? null).run());
      });
    },
    replaceToken(id, { from, to, bound, before: { sessionId, expiresAt } }) {
      return repeat("replace the token of the session", async () => {
        const results = await batch([
          prepare(text.replaceToken).bind(id, from, to),
          prepare(text.keepBefore[bound ? 1 : 0]!).bind(id, from, to, sessionId, expiresAt),
          prepare(text.keepProof).bind(id, to, sessionId, expiresAt),
          prepare(text.hasToken).bind(id, to),
        ]);
        return results.at(-1)!.results.length > 0;
      });
    },
    putSessionFactor(factor) {
      sweep(factor.at);
      return repeat("store what the session has proved", async () => {
        await prepare(text.putSession).bind(...valuesOf(SESSION_FACTOR, factor)).run();
      });
    },
    readSessionFactor(sessionId, userId) {
      return repeat("read what the session has proved", async () => {
        const row = await prepare(text.readSession).bind(sessionId, userId).first<Row>();
        return reader.record(row, SESSION_FACTOR);
      });
    },
    putRecovery({ userId, hash, payload, step, provedAt, createdAt, expiresAt }) {
      return repeat("store the request for recovery", async () => {
        const results = await batch([
          ...lockUser(parts, userId),
          prepare(text.putRecovery)
            .bind(userId, hash, payload, createdAt, expiresAt, step, provedAt),
        ]);
        return changesOf(results.at(-1)) > 0;
      });
    },
    cancelRecovery(userId, { hash, payload, now, until }) {
      return once("cancel the request for recovery", async () => {
        const results = await batch([
          ...lockUser(parts, userId),
          prepare(text.cancelRecovery).bind(userId, hash, payload, now, until),
          prepare(text.endCancelled).bind(userId, hash, now),
        ]);
        return changesOf(results.at(-2)) > 0;
      });
    },
    takeRecovery(userId, { hash, payload, now, step }) {
      return once("take the request for recovery", async () => {
        const results = await batch([
          ...lockUser(parts, userId),
          prepare(text.takeRecovery).bind(userId, hash, payload, now, step),
          ...text.endTaken.map((sql) => prepare(sql).bind(userId, hash)),
          prepare(text.dropTaken).bind(userId, hash),
        ]);
        return changesOf(results.at(-1)) > 0;
      });
    },
  };
}

/**
 * Group of operations on second factors, for `groupOf()`.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, groupOf, secondFactorGroup } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 *
 * const factors = groupOf(createMemoryStorage(), secondFactorGroup);
 * equal(await factors.readFactor("ada"), null);
 * ```
 */
export const secondFactorGroup: StorageGroup<SecondFactorStorage> = {
  name: "secondFactors",
  sql: createSecondFactorOperations,
};
