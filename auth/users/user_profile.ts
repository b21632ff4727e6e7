/** What a provider says about a user, in the words of this library. */
export interface UserProfile {
  /** Who the user is at the provider. It must never change and never be another user's: no e-mail address. */
  id: string;
  /** The address. */
  email?: string;
  /** The name. */
  name?: string;
  /** Address of a picture. */
  image?: string;
  /** When the provider verified the address; null, or left out, when it did not. */
  emailVerified?: Date | null;
}
