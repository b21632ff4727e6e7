/**
 * Look for a password, in whatever storage.
 *
 * @module
 */

import { ConfigurationError } from "../../errors.ts";
import { type FoundPassword, passwordGroup } from "../../storage/passwords.ts";
import { groupOf, type Storage } from "../../storage/storage.ts";

/**
 * Finds the user of a mailbox with the password and the time from which checks count; null when nobody has it.
 *
 * @throws {ConfigurationError} When a storage of one's own gives no such time: without it, no check could be refused.
 */
export async function findPassword(
  storage: Storage,
  emailIdentity: string,
): Promise<FoundPassword | null> {
  const found = await groupOf(storage, passwordGroup).findPassword(emailIdentity);
  if (found !== null && !Number.isFinite(found.credentialsAfter)) {
    throw new ConfigurationError(
      "findPassword() of the storage gave no number as `credentialsAfter`: read it in the same question as the hash, " +
        "0 for a user whose credentials always count",
      { field: "database" },
    );
  }
  return found;
}
