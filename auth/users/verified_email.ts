import type { User } from "./user.ts";

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
