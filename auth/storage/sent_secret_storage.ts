import type { SecretRecord, StoredSecret } from "./secret_storage.ts";

/** A one-time secret to be stored that is about something. */
export interface SentSecretRecord extends SecretRecord {
  /** What it is about, such as the mailbox that it is sent to. */
  identifier: string;
}

/** How many secrets stay. */
export interface KeepSecretsOptions {
  /** Of the same purpose and identifier the newest `keep` stay, the new one included. */
  keep: number;
}

/** When somebody tries, and how often they may. */
export interface CountAttemptOptions {
  /** Now, in milliseconds since 1970. */
  now: number;
  /** How many attempts a secret has. */
  max: number;
}

/** The part of the port that keeps the one-time secrets which are sent to somebody: links, codes and challenges. */
export interface SentSecretStorage {
  /** Stores a secret as `putSecret()` does, and removes all but the newest that are about the same. */
  putNewestSecret(secret: SentSecretRecord, options: KeepSecretsOptions): Promise<void>;
  /** Counts one attempt; null, and none counted, when there is no such secret, it has ended or has had `max`. */
  countAttempt(
    purpose: string,
    hash: string,
    options: CountAttemptOptions,
  ): Promise<StoredSecret | null>;
  /** Removes the secrets of a purpose that are about something; returns how many. */
  dropSecrets(purpose: string, identifier: string): Promise<number>;
}
