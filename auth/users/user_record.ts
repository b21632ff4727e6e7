import { ConfigurationError } from "../errors/configuration_error.ts";
import { InvalidEmailError } from "../errors/input_errors.ts";
import { describe } from "../config/check.ts";
import type { UserRecord } from "../storage/storage.ts";
import { parseEmailAddress } from "./email_address.ts";
import type { User } from "./user.ts";

const MAX_ID = 255;

/** Two ids that differ in what no encoding of text keeps apart would be one user. */
function isId(id: unknown): boolean {
  // No \p{Cc}: its set would be made when the program is read, which a worker starts with.
  // deno-lint-ignore no-control-regex -- controls are what is looked for
  const control = /[\0-\x1f\x7f-\x9f]/;
  return typeof id === "string" && id !== "" && id.length <= MAX_ID && id.isWellFormed() &&
    !control.test(id);
}

function isTextOrNothing(value: unknown): boolean {
  return value === undefined || value === null || typeof value === "string";
}

function isListOfTexts(value: unknown): boolean {
  return value === undefined ||
    (Array.isArray(value) && value.every((item) => typeof item === "string"));
}

function isMomentOrNothing(value: unknown): boolean {
  return value === undefined || value === null ||
    (value instanceof Date && Number.isFinite(value.getTime()));
}

const FIELDS: readonly [name: keyof User, isRight: (value: unknown) => boolean, give: string][] = [
  ["id", isId, `a text of 1 to ${MAX_ID} characters, without control characters`],
  ["name", isTextOrNothing, "a text"],
  ["image", isTextOrNothing, "a text"],
  ["role", (role) => role !== null && isTextOrNothing(role), "a text"],
  ["roles", isListOfTexts, "a list of texts"],
  ["emailVerified", isMomentOrNothing, "a valid Date"],
];

function assertUser(user: unknown, source: string): asserts user is User {
  if (typeof user !== "object" || user === null) {
    throw new ConfigurationError(`${source} gave ${describe(user)}: give a user with an id`);
  }
  for (const [name, isRight, give] of FIELDS) {
    const value = (user as User)[name];
    if (isRight(value)) continue;
    throw new ConfigurationError(
      `${source} gave a user whose "${name}" is ${describe(value)}: give ${give}`,
    );
  }
}

/** A text that every database keeps as it is: PostgreSQL takes no NUL, and UTF-8 has no lone surrogates. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "");
}

/**
 * Makes what is stored out of a user that the application gave. Only known fields are taken over, so
 * nothing that happens to hang on the object reaches the database.
 *
 * @param source Who gave it, for messages.
 * @throws {ConfigurationError} When a field has the wrong type.
 * @throws {InvalidEmailError} When the address cannot be one.
 */
export function createUserRecord(given: unknown, at: number, source: string): UserRecord {
  assertUser(given, source);
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
  if (name !== undefined) user.name = name === null ? null : storable(name);
  if (image !== undefined) user.image = image === null ? null : storable(image);
  if (emailVerified !== undefined) user.emailVerified = emailVerified;
  if (role !== undefined) user.role = storable(role);
  if (roles !== undefined) user.roles = roles.map(storable);
  return { user, emailIdentity, at };
}
