/**
 * Checks of new passwords.
 *
 * @module
 */

import { wrongOption } from "../lib/options.ts";
import { isHashable } from "./hash.ts";

/** Reason to refuse a password. */
export type PasswordProblemCode = "TOO_SHORT" | "NOT_HASHABLE" | "BLOCKED";

/** Reason to refuse a password, with a message. */
export interface PasswordProblem {
  /** Stable, upper-case name of the problem. */
  code: PasswordProblemCode;
  /** For the person who chose the password. */
  message: string;
}

/** Options for {@linkcode checkPassword}. */
export interface PasswordPolicy {
  /**
   * The least number of characters, 8 to 64. Default 15, for a password that is the only factor; 8 is
   * enough next to a second one (NIST SP 800-63B-4, 3.1.1.2).
   */
  minLength?: number;
  /**
   * Passwords that nobody may choose, because they were published or name the service: lower-case texts,
   * or a function that answers true for them. Default: none.
   */
  blocklist?: ReadonlySet<string> | ((password: string) => boolean | Promise<boolean>);
}

const DEFAULT_LENGTH = 15;
const SHORTEST = 8;
// Whoever asks for more refuses passwords that a person can choose (OWASP ASVS 6.2.9).
const LONGEST = 64;

function readMinLength(value: unknown): number {
  if (value === undefined) return DEFAULT_LENGTH;
  const fits = typeof value === "number" && Number.isInteger(value) && value >= SHORTEST &&
    value <= LONGEST;
  if (!fits) throw wrongOption("minLength", value, `a whole number from ${SHORTEST} to ${LONGEST}`);
  return value;
}

/**
 * Checks a policy and fills in its defaults.
 *
 * @throws {ConfigurationError} When `minLength` is out of its bounds, or `blocklist` is neither a set nor a function.
 */
export function readPolicy(
  { minLength, blocklist }: PasswordPolicy,
): PasswordPolicy & { minLength: number } {
  const isList = blocklist === undefined || typeof blocklist === "function" ||
    typeof (blocklist as Partial<ReadonlySet<string>> | null)?.has === "function";
  if (!isList) throw wrongOption("blocklist", blocklist, "a Set of texts, or a function");
  return { minLength: readMinLength(minLength), ...blocklist !== undefined && { blocklist } };
}

async function isBlocked(password: string, { blocklist }: PasswordPolicy): Promise<boolean> {
  if (blocklist === undefined) return false;
  if (typeof blocklist === "function") return await blocklist(password) !== false;
  return blocklist.has(password) || blocklist.has(password.toLowerCase());
}

/**
 * Checks a new password: its length and the blocklist. There are no rules about kinds of
 * characters, which make passwords worse (NIST SP 800-63B-4, 3.1.1.2). Characters are Unicode code
 * points of the normalized text, as `hashPassword()` takes it.
 *
 * @param password What was typed.
 * @param policy `minLength` in characters, 15 by default, and a `blocklist`, by default none.
 * @returns The problem, or null for a password that can be used.
 * @throws {ConfigurationError} When `minLength` is out of its bounds.
 *
 * @example
 * ```ts
 * import { checkPassword } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const blocklist = new Set(["correct horse battery staple"]);
 * equal(await checkPassword("a sentence that I like", { blocklist }), null);
 * equal((await checkPassword("Correct Horse Battery Staple", { blocklist }))?.code, "BLOCKED");
 * equal((await checkPassword("hunter2"))?.message, "Use at least 15 characters");
 * ```
 */
export async function checkPassword(
  password: string,
  policy: PasswordPolicy = {},
): Promise<PasswordProblem | null> {
  const minLength = readMinLength(policy.minLength);
  if (!isHashable(password)) {
    return {
      code: "NOT_HASHABLE",
      message: "This password is too long or contains invalid characters",
    };
  }
  const normalized = password.normalize("NFC");
  if ([...normalized].length < minLength) {
    // Languages have it as "Use at least {n} characters".
    return { code: "TOO_SHORT", message: `Use at least ${minLength} characters` };
  }
  if (await isBlocked(normalized, policy)) {
    return { code: "BLOCKED", message: "This password is too common. Choose another one." };
  }
  return null;
}
