/**
 * Password hashing with scrypt, in PHC strings.
 *
 * @module
 */

import { type AuthErrorFields, ConfigurationError, InvalidPasswordError } from "../errors.ts";
import { fromBase64, toBase64 } from "../lib/encoding.ts";
import { constantTimeEqual } from "../lib/hash.ts";
import { networkOf } from "../lib/ip_address.ts";
import { createSafeLogger } from "../lib/logger.ts";
import { clientSignal, findRunningRequest } from "../lib/runtime.ts";
import { randomBytes } from "../lib/secret.ts";
import { createWorkQueue, hashLimits, type WaitingClient, type WorkQueue } from "./queue.ts";

/** The cost of one scrypt derivation (RFC 7914). */
export interface ScryptCost {
  /** log2 of N. */
  ln: number;
  /** Block size. */
  r: number;
  /** Parallelization. */
  p: number;
}

/** A password hash that describes itself. */
interface ScryptHash extends ScryptCost {
  /** Random salt. */
  salt: Uint8Array;
  /** Derived key. */
  key: Uint8Array;
}

// Workers refuse scrypt above this, and a hash that asks for more would be a way to exhaust a server.
const MAX_WORK = 2 ** 20;
const MAX_MEMORY = 32 * 1024 * 1024;
const PHC =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,4}),p=(\d{1,4})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** Writes `$scrypt$ln=14,r=8,p=5$<salt>$<key>`, the PHC string format. */
export function formatPhc(hash: ScryptHash): string {
  const { ln, r, p, salt, key } = hash;
  return `$scrypt$ln=${ln},r=${r},p=${p}$${toBase64(salt)}$${toBase64(key)}`;
}

/** Reads what {@linkcode formatPhc} writes. Null for anything else, and for a cost out of bounds. */
export function parsePhc(text: string): ScryptHash | null {
  // The longest string that the pattern allows is under 200 characters.
  if (text.length > 220) return null;
  const match = PHC.exec(text);
  if (match === null) return null;
  const ln = Number(match[1]);
  const r = Number(match[2]);
  const p = Number(match[3]);
  // RFC 7914, 2: N < 2^(128·r/8). Implementations throw beyond that.
  if (ln < 1 || r < 1 || p < 1 || ln >= 16 * r) return null;
  if (2 ** ln * r * p > MAX_WORK || 128 * 2 ** ln * r > MAX_MEMORY) return null;
  const salt = fromBase64(match[4]!);
  const key = fromBase64(match[5]!);
  if (salt === null || key === null) return null;
  return { ln, r, p, salt, key };
}

/** Options for the hasher; tests count derivations through it. */
export interface PasswordHasherOptions {
  /** Derives a key. Default: the asynchronous `scrypt` of `node:crypto`. */
  derive?: (
    password: Uint8Array,
    salt: Uint8Array,
    length: number,
    cost: ScryptCost,
  ) => Promise<Uint8Array>;
  /** Limits how many derivations run at once. Default: by {@linkcode configurePasswordHashing}. */
  queue?: WorkQueue;
}

/** The three operations on password hashes. */
export interface PasswordHasher {
  /** See {@linkcode hashPassword}. */
  hash(password: string): Promise<string>;
  /** See {@linkcode verifyPassword}. */
  verify(
    password: string,
    hash: string | null | undefined,
    options?: VerifyPasswordOptions,
  ): Promise<boolean>;
}

/** Options for {@linkcode verifyPassword}. */
export interface VerifyPasswordOptions {
  /**
   * Checks hashes that another library made: every one that does not begin with `$scrypt$`. It gets the
   * password as it was typed, waits its turn as other checks do, and says yes with `true` only. What
   * it throws is a no, logged as `verify-legacy-failed`: an error would tell that there is an account.
   */
  verifyLegacy?: (password: string, hash: string) => boolean | Promise<boolean>;
  /** Id of the user whose hash it is, for that line of the log. Default: the line names nobody. */
  userId?: string | undefined;
}

// OWASP Password Storage: N=2^14, r=8, p=5. The other rows of that table take more memory than an
// isolate of 128 MB has for two at once, or more work than a worker allows.
const COST: ScryptCost = { ln: 14, r: 8, p: 5 };
const SALT_BYTES = 16;
const KEY_BYTES = 32;
const MAX_PASSWORD_BYTES = 1024;

/** Makes the error for platforms without `node:crypto`, where nothing else will do. */
export function cryptoIsMissing(fields?: AuthErrorFields): ConfigurationError {
  return new ConfigurationError(
    'The worker has no node:crypto. Write "nodejs_compat" into compatibility_flags of its configuration.',
    { ...fields, field: "compatibility_flags" },
  );
}

async function deriveByScrypt(
  password: Uint8Array,
  salt: Uint8Array,
  length: number,
  cost: ScryptCost,
): Promise<Uint8Array> {
  // Loaded when it is first needed: that takes milliseconds, which a start without a password is spared.
  const { scrypt } = await import("node:crypto").catch((cause: unknown) => {
    throw cryptoIsMissing({ cause });
  });
  const parameters = { N: 2 ** cost.ln, r: cost.r, p: cost.p, maxmem: 64 * 1024 * 1024 };
  return await new Promise((resolve, reject) => {
    scrypt(password, salt, length, parameters, (error, key) => {
      if (error !== null && error !== undefined) reject(error);
      else resolve(key);
    });
  });
}

/** Tests if a password can be hashed: well-formed Unicode of at most 1,024 bytes. */
export function isHashable(password: string): boolean {
  return passwordBytes(password) !== null;
}

/** NFC and nothing else, so that "é" typed on two keyboards is one password (NIST SP 800-63B-4). */
function passwordBytes(password: unknown): Uint8Array | null {
  if (typeof password !== "string") return null;
  // NFC never shortens to less than a third, so this spares the work on what cannot fit.
  if (password.length > 4 * MAX_PASSWORD_BYTES) return null;
  // UTF-8 has no lone surrogates: each would become U+FFFD, and different passwords the same.
  if (!password.isWellFormed()) return null;
  const bytes = new TextEncoder().encode(password.normalize("NFC"));
  return bytes.length > MAX_PASSWORD_BYTES ? null : bytes;
}

/** Key of the turn when many wait: the network of the client, and the signal that it has hung up. */
function waitingClient(): WaitingClient {
  const address = findRunningRequest()?.address?.() ?? null;
  return { signal: clientSignal(), ...address !== null && { client: networkOf(address) } };
}

/** Makes a hasher; the library has one, whose queue bounds the whole isolate. */
export function createPasswordHasher(options: PasswordHasherOptions = {}): PasswordHasher {
  const derive = options.derive ?? deriveByScrypt;
  const queue = options.queue ?? createWorkQueue(hashLimits);
  const decoy: ScryptHash = {
    ...COST,
    salt: new Uint8Array(SALT_BYTES),
    key: new Uint8Array(KEY_BYTES),
  };
  return {
    async hash(password) {
      const bytes = passwordBytes(password);
      if (bytes === null) {
        throw new InvalidPasswordError(
          `Cannot hash this password: it must be well-formed text of at most ${MAX_PASSWORD_BYTES} bytes`,
        );
      }
      const salt = randomBytes(SALT_BYTES);
      const key = await queue(() => derive(bytes, salt, KEY_BYTES, COST), waitingClient());
      return formatPhc({ ...COST, salt, key });
    },
    async verify(password, hash, { verifyLegacy, userId } = {}) {
      const bytes = passwordBytes(password);
      if (bytes === null) return false;
      const known = typeof hash === "string";
      // An own hash that is damaged or hostile stays false: no other program gets to see it.
      const foreign = known && hash !== "" && !hash.startsWith("$scrypt$");
      if (foreign && verifyLegacy !== undefined) {
        const check = async (): Promise<boolean> => {
          try {
            return await verifyLegacy(password, hash) === true;
          } catch (error) {
            const running = findRunningRequest();
            const logger = running?.error === undefined ? createSafeLogger() : running;
            logger.error!("verify-legacy-failed", { userId, error });
            // The work for an address without an account, of which the time must not tell either.
            await derive(bytes, decoy.salt, KEY_BYTES, COST);
            return false;
          }
        };
        return await queue(check, waitingClient());
      }
      const stored = known ? parsePhc(hash) : decoy;
      if (stored === null) return false;
      const { salt, key: { length } } = stored;
      const key = await queue(() => derive(bytes, salt, length, stored), waitingClient());
      return constantTimeEqual(key, stored.key) && known;
    },
  };
}

const hasher = /* @__PURE__ */ createPasswordHasher();

/**
 * Hashes a password for storage: scrypt with N=2^14, r=8, p=5 (16 MiB, OWASP Password Storage), a
 * random salt of 16 bytes, as a PHC string that holds its own parameters. The password is brought to
 * Unicode NFC first and is otherwise taken as it is. How many are computed at once, and how long one
 * waits for that, is bounded, see {@linkcode configurePasswordHashing}; who hangs up meanwhile is left out.
 *
 * @param password Up to 1,024 bytes of UTF-8.
 * @throws {InvalidPasswordError} When it is longer, or not well-formed Unicode.
 * @throws {OverloadedError} When too many others wait already (503).
 * @throws {RequestError} When the client of the request hung up before it was its turn.
 * @throws {ConfigurationError} Where there is no `node:crypto`: workers need the `nodejs_compat` flag.
 *
 * @example
 * ```ts
 * import { hashPassword, verifyPassword } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const hash = await hashPassword("correct horse battery staple");
 * equal(await verifyPassword("correct horse battery staple", hash), true);
 * equal(await verifyPassword("wrong horse", hash), false);
 * ```
 */
export function hashPassword(password: string): Promise<string> {
  return hasher.hash(password);
}

/**
 * Checks a password against a stored hash.
 *
 * Pass what you found, also when you found nothing: with `null` or `undefined` it does the same work
 * as for a real hash and answers false, so that the time does not tell whether the account exists.
 * A hash that is malformed, or whose parameters would cost more than N·r·p = 2^20 or 32 MiB, is false.
 *
 * @param password What the visitor typed.
 * @param hash The stored PHC string, or null when there is no such account.
 * @param options `verifyLegacy` for users who came with the hashes of another library, and `userId` for the
 * log where it throws, which is a no. Store a new hash
 * after a success, as `needsRehash()` says: until then the time of a check tells such an account from others.
 * @throws {OverloadedError} When too many others wait already (503).
 * @throws {RequestError} When the client of the request hung up before it was its turn.
 * @throws {ConfigurationError} Where there is no `node:crypto`: workers need the `nodejs_compat` flag.
 *
 * @example
 * ```ts
 * import { verifyPassword } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * equal(await verifyPassword("anything", null), false);
 * equal(await verifyPassword("anything", "$scrypt$ln=31,r=8,p=1$AAAA$AAAA"), false);
 * ```
 *
 * @example Users with hashes of bcrypt
 * ```ts ignore
 * import { hashPassword, needsRehash, verifyPassword } from "@framework/auth";
 * import bcrypt from "bcryptjs";
 *
 * const right = await verifyPassword(password, row?.hash, { verifyLegacy: bcrypt.compare });
 * if (right && needsRehash(row.hash)) await store(row.id, await hashPassword(password));
 * ```
 */
export function verifyPassword(
  password: string,
  hash: string | null | undefined,
  options: VerifyPasswordOptions = {},
): Promise<boolean> {
  return hasher.verify(password, hash, options);
}

/**
 * True when a stored hash was not made with the present parameters, also when it cannot be read. Ask
 * after a successful {@linkcode verifyPassword} and store a new hash then.
 *
 * @param hash The stored PHC string.
 *
 * @example
 * ```ts
 * import { hashPassword, needsRehash } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * equal(needsRehash(await hashPassword("correct horse")), false);
 * equal(needsRehash("$2b$10$abcdefghijklmnopqrstuv"), true);
 * ```
 */
export function needsRehash(hash: string): boolean {
  const stored = typeof hash === "string" ? parsePhc(hash) : null;
  return stored === null || stored.ln !== COST.ln || stored.r !== COST.r || stored.p !== COST.p ||
    stored.salt.length < SALT_BYTES || stored.key.length !== KEY_BYTES;
}
