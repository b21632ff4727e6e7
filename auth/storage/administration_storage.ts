import type { User } from "../users/user.ts";
import type { AddWayOptions } from "./linked_account_storage.ts";
import type { UserRecord } from "./storage.ts";

/** The roles that a user is to have. What is `undefined` stays as it is. */
export interface RoleChanges {
  /** The one role; null for none. */
  role?: string | null;
  /** All of the roles; an empty list for none. */
  roles?: string[];
}

/** The part of the port that changes users, which no sign-in does. */
export interface AdministrationStorage {
  /**
   * Changes those of e-mail, its proof, name and image that are not `undefined`. A new mailbox is not
   * proved unless `emailVerified` says so, and what was sent to the old one ends: the one-time secrets of the
   * user.
   *
   * @returns The user as stored; null when there is none.
   * @throws {UserExistsError} When the mailbox is another user's.
   */
  updateUser(record: UserRecord): Promise<User | null>;
  /** Changes the roles of a user; null when there is none. */
  setUserRoles(id: string, options: { roles: RoleChanges; at: number }): Promise<User | null>;
  /** Shuts a user out and ends their sessions; false when there is no such user. */
  disableUser(id: string, at: number): Promise<boolean>;
  /** Lets a user in again, with a new sign-in; false when there is no such user. */
  enableUser(id: string, at: number): Promise<boolean>;
  /** Removes a user with everything that is theirs; false when there was none. */
  deleteUser(id: string): Promise<boolean>;
  /**
   * Says from when on the credentials of a user count, such as the change of a password: what is checked
   * with credentials and began before `at` signs nobody in. The one-time secrets of the user end. False when
   * there is no such user, or the options refuse.
   */
  setCredentialsAfter(id: string, at: number, options?: AddWayOptions): Promise<boolean>;
}
