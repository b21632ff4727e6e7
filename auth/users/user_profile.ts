/** What a provider says about a user, in the words of this library. */
export interface UserProfile {
  /** Who the user is at the provider. It must never change and never be another user's: no e-mail address. */
  id: string;
  /** The address, as the provider writes it; left out when it tells none. */
  email?: string | undefined;
  /** What the provider calls the user; left out when it tells none. */
  name?: string | undefined;
  /** Address of a picture at the provider; left out when there is none. */
  image?: string | undefined;
  /** When the provider verified the address; null, or left out, when it did not. */
  emailVerified?: Date | null;
}
