/**
 * A user, as applications see one.
 *
 * @module
 */

/** A person who can sign in. */
export interface User {
  /** Stable and unique; never an email address. */
  id: string;
  /**
   * As the person typed it, or as a provider said it. It is theirs only where `emailVerified` says so: decide by
   * `verifiedEmail()`.
   */
  email?: string | null;
  /** Name shown on pages, at most 256 characters; null when unknown. */
  name?: string | null;
  /** Address of a picture by https, as a provider or the application gave it; null when there is none. */
  image?: string | null;
  /** Time at which the address was verified, or null. */
  emailVerified?: Date | null;
  /** The one role, where nobody has several; `hasRole()` looks at `roles` too. */
  role?: string;
  /** Any number of roles; `hasRole()` looks at `role` too. */
  roles?: string[];
}

/** Profile of a user at a provider, in the terms of this library. */
export interface UserProfile {
  /**
   * Id of the user at the provider. It must never change and never pass to another user, so it is
   * no email address.
   */
  id: string;
  /** The address, as the provider writes it; left out when it tells none. */
  email?: string | undefined;
  /** Name of the user; left out when the provider gives none. */
  name?: string | undefined;
  /** Address of a picture at the provider; left out when there is none. */
  image?: string | undefined;
  /** Time at which the provider verified the address; null, or left out, when it did not. */
  emailVerified?: Date | null;
}

/**
 * The address of a user, when it is proved; null when nobody has proved it, and without a user. Decide by this
 * and never by `email`, which may be what somebody typed, or what a provider said whose word is not taken.
 *
 * @param user The user, such as `getUser()` or the `signIn` callback gives; null and undefined for nobody.
 *
 * @example
 * ```ts
 * import { verifiedEmail } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * function isColleague(user: { email?: string | null; emailVerified?: Date | null }): boolean {
 *   return verifiedEmail(user)?.toLowerCase().endsWith("@example.com") ?? false;
 * }
 * equal(isColleague({ email: "ceo@example.com", emailVerified: null }), false); // anybody can say that
 * equal(isColleague({ email: "ada@example.com", emailVerified: new Date() }), true);
 * ```
 */
export function verifiedEmail(
  user: Pick<User, "email" | "emailVerified"> | null | undefined,
): string | null {
  return user?.emailVerified ? user.email ?? null : null;
}
