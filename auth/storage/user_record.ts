/**
 * Users as a sign-in stores them, checked.
 *
 * @module
 */

import { ConfigurationError, InvalidEmailError, InvalidProfileError } from "../errors.ts";
import { parseEmailAddress } from "../lib/email_address.ts";
import { isStorable, storablePart } from "../lib/encoding.ts";
import { describe } from "../lib/options.ts";
import type { User } from "../types/user.ts";
import type { UserRecord } from "./records.ts";

const MAX_ID = 255;
/** Maximum length of a name, in UTF-16 code units. */
const MAX_NAME = 256;
const MAX_IMAGE = 2048;
const MAX_ROLE = 100;
const MAX_ROLES = 100;

/** Two ids that differ in what no encoding of text keeps apart would be one user. */
function isId(id: unknown): boolean {
  return typeof id === "string" && id !== "" && isStorable(id, MAX_ID);
}

/** Tests for a picture URL that is safe in other people's browsers: https, so nothing that runs. */
function isImage(text: string): boolean {
  if (!isStorable(text, MAX_IMAGE) || !/^https:\/\//i.test(text)) return false;
  return URL.canParse(text) && new URL(text).username === "";
}

function isTextOrNothing(value: unknown): boolean {
  return value === undefined || value === null || typeof value === "string";
}

function isRole(value: unknown): boolean {
  return typeof value === "string" && value.length <= MAX_ROLE;
}

function isListOfRoles(value: unknown): boolean {
  return value === undefined ||
    (Array.isArray(value) && value.length <= MAX_ROLES && value.every(isRole));
}

function isMomentOrNothing(value: unknown): boolean {
  return value === undefined || value === null ||
    (value instanceof Date && Number.isFinite(value.getTime()));
}

type FieldRule = [name: keyof User, isRight: (value: unknown) => boolean, give: string];

// A function: bundlers cannot drop a list of templates from a bundle that does not use it.
const fieldRules = (): FieldRule[] => [
  ["id", isId, `a text of 1 to ${MAX_ID} characters, without control characters`],
  ["name", isTextOrNothing, "a text"],
  ["image", isTextOrNothing, "a text"],
  [
    "role",
    (role) => role === undefined || isRole(role),
    `a text of at most ${MAX_ROLE} characters`,
  ],
  ["roles", isListOfRoles, `a list of at most ${MAX_ROLES} texts of ${MAX_ROLE} characters`],
  ["emailVerified", isMomentOrNothing, "a valid Date"],
];

function assertUser(user: unknown, source: string): asserts user is User {
  if (typeof user !== "object" || user === null) {
    throw new ConfigurationError(`${source} gave ${describe(user)}: give a user with an id`);
  }
  for (const [name, isRight, give] of fieldRules()) {
    const value = (user as User)[name];
    if (isRight(value)) continue;
    throw new ConfigurationError(
      `${source} gave a user whose "${name}" is ${describe(value)}: give ${give}`,
    );
  }
}

/** A role that every database keeps as it is: PostgreSQL takes no NUL, and UTF-8 has no lone surrogates. */
function storableRole(text: string): string {
  return text.toWellFormed().replaceAll("\0", "");
}

/** Takes over only known fields, so nothing that happens to hang on the object reaches the database. */
function recordOf(given: User, at: number): UserRecord {
  const { id, email, name, image, emailVerified, role, roles } = given;
  const user: User = { id };
  let emailIdentity: string | null = null;
  if (typeof email === "string") {
    const parsed = parseEmailAddress(email);
    if (parsed === null) throw new InvalidEmailError();
    user.email = parsed.address;
    emailIdentity = parsed.identity;
  } else if (email === null) {
    user.email = null;
  } else if (email !== undefined) {
    throw new InvalidEmailError();
  }
  if (name !== undefined) user.name = name;
  if (image !== undefined) user.image = image;
  if (emailVerified !== undefined) user.emailVerified = emailVerified;
  if (role !== undefined) user.role = storableRole(role);
  if (roles !== undefined) user.roles = roles.map(storableRole);
  return { user, emailIdentity, at };
}

/**
 * Makes what is stored out of a user whom a sign-in describes, as {@linkcode createUserRecord} does: but what
 * cannot be stored as it is keeps nobody out. Of a name the beginning is kept, another image than one by https is
 * left out.
 *
 * @param source Who gave it, for messages.
 * @throws {ConfigurationError} When a field has the wrong type.
 * @throws {InvalidEmailError} When the address cannot be one.
 */
export function createSignInRecord(given: unknown, at: number, source: string): UserRecord {
  assertUser(given, source);
  const { name, image } = given;
  const kept = { ...given };
  if (name) kept.name = storablePart(name, MAX_NAME);
  if (image != null && !isImage(image)) delete kept.image;
  return recordOf(kept, at);
}

/**
 * Makes what is stored out of a user that the application gave, of its known fields alone.
 *
 * @param source Who gave it, for messages.
 * @throws {ConfigurationError} When a field has the wrong type.
 * @throws {InvalidEmailError} When the address cannot be one.
 * @throws {InvalidProfileError} When name or image cannot be stored and shown as they are.
 */
export function createUserRecord(given: unknown, at: number, source: string): UserRecord {
  assertUser(given, source);
  const record = recordOf(given, at);
  const { name, image } = given;
  if (name != null && !isStorable(name, MAX_NAME)) throw new InvalidProfileError("INVALID_NAME");
  if (image != null && !isImage(image)) throw new InvalidProfileError("INVALID_IMAGE");
  return record;
}
