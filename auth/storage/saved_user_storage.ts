import type { SavedUser, SaveUserOptions, UserRecord } from "./storage.ts";

/** The part of the port that a sign-in needs whose session is no row. */
export interface SavedUserStorage {
  /**
   * Stores a user who signs in. A new id is inserted. Of a known user only those of e-mail, name and
   * image that are not `undefined` are written, never roles. Null, and nothing stored, when the user is
   * disabled or the options refuse.
   *
   * @throws {UserExistsError} When the mailbox is another user's.
   */
  saveUser(record: UserRecord, options?: SaveUserOptions): Promise<SavedUser | null>;
}
