/** A one-time secret to be stored: a token in an e-mail, a challenge, the transaction of a sign-in. */
export interface SecretRecord {
  /** What it may be used for. A secret of one purpose is none of another. */
  purpose: string;
  /** SHA-256 of the secret, base64url. The secret itself is stored nowhere. */
  hash: string;
  /** What it is about, such as the mailbox that it was sent to; null for nothing. */
  identifier: string | null;
  /** Whose it is; null when nobody is known yet. It goes with the user. */
  userId: string | null;
  /** What is needed when it comes back; null for nothing. */
  payload: string | null;
  /** Mailbox that it was sent to, as `parseEmailAddress()` says, which whoever has it proves; default null. */
  sentTo?: string | null;
  /** Public name of the session in which its owner asked for it, to confirm their own mailbox; default null. */
  sessionId?: string | null;
  /** When it was made, in milliseconds since 1970. */
  createdAt: number;
  /** When it ends, in milliseconds since 1970. */
  expiresAt: number;
}

/** A one-time secret as it is stored. */
export interface StoredSecret extends Required<SecretRecord> {
  /** How many times somebody has tried, see `countAttempt()`. */
  attempts: number;
}

/** What a secret has when nothing is said of it. */
export const UNSENT = { sentTo: null, sessionId: null, attempts: 0 } as const;

/** When a secret is taken, and for what. */
export interface TakeSecretOptions {
  /** Now, in milliseconds since 1970. */
  now: number;
  /** What it must be about. A secret that is about something else stays. Default: anything. */
  identifier?: string;
}

/** The part of the port that keeps one-time secrets. Each operation is atomic; times are milliseconds. */
export interface SecretStorage {
  /**
   * Stores a secret, in place of one with the same purpose and hash. Nothing is stored for a user who
   * does not exist.
   */
  putSecret(secret: SecretRecord): Promise<void>;
  /** The secret, which stays; null when there is none or it has ended. */
  readSecret(purpose: string, hash: string, now: number): Promise<StoredSecret | null>;
  /**
   * Removes the secret and gives it to whoever removed it: of any number of attempts at once one gets it.
   * Null when there is none, it has ended, or it is about something else, in which case it stays.
   */
  takeSecret(
    purpose: string,
    hash: string,
    options: TakeSecretOptions,
  ): Promise<StoredSecret | null>;
}
