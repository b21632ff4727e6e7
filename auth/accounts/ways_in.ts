import type { User } from "../users/user.ts";
import { verifiedEmail } from "../users/verified_email.ts";
import type { Settings } from "../http/contracts.ts";

/**
 * Whether a user has a way in beside accounts at providers and passkeys. Nobody here knows who has a
 * password, since those are in the application's own table. What counts is the proved address: with it
 * the user gets in by an e-mail, or gets a password by one, where the application has such a way to sign in.
 */
export function hasMailWay(user: User, { providers }: Settings): boolean {
  if (verifiedEmail(user) === null) return false;
  return [...providers.values()].some(({ type }) => type === "email" || type === "credentials");
}
