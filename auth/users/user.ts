/** A person who can sign in. */
export interface User {
  /** Stable and unique; never an e-mail address. */
  id: string;
  /** As the person typed it. */
  email?: string | null;
  /** Display name. */
  name?: string | null;
  /** URL of a picture. */
  image?: string | null;
  /** When the address was proved, or null. */
  emailVerified?: Date | null;
  /** One role. */
  role?: string;
  /** Any number of roles. */
  roles?: string[];
}
