/** A person who can sign in. */
export interface User {
  /** Stable and unique; never an e-mail address. */
  id: string;
  /**
   * As the person typed it, or as a provider said it. It is theirs only where `emailVerified` says so: decide by
   * `verifiedEmail()`.
   */
  email?: string | null;
  /** What the user is called on pages, in at most 256 characters; null when unknown. */
  name?: string | null;
  /** Address of a picture by https, as a provider or the application gave it; null when there is none. */
  image?: string | null;
  /** When the address was proved, or null. */
  emailVerified?: Date | null;
  /** The one role, where nobody has several; `hasRole()` looks at `roles` too. */
  role?: string;
  /** Any number of roles; `hasRole()` looks at `role` too. */
  roles?: string[];
}
