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

/** What a secret is redeemed for. */
export interface RedeemSecretOptions {
  /** Now, in milliseconds since 1970. */
  now: number;
  /** Who must be there and not be disabled; null for nobody, as long as nobody has the mailbox. */
  userId: string | null;
  /** Mailbox that the secret proves, when it is the user's; null for none. */
  emailIdentity: string | null;
  /** As in {@linkcode ProveEmailOptions}. Default false. */
  keepOwn?: boolean;
  /** Purposes under which whatever is about the same ends with it. */
  ends: readonly string[];
  /** Purpose under which it stays until its end, without its payload, to tell who comes with it again. Default: it is removed. */
  usedAs?: string;
}

/** What becomes of a secret that is to be redeemed. */
export type RedeemOutcome =
  /** It does not hold, or its user is gone or disabled. Nothing is proved. */
  | "absent"
  /** It is taken, and proves the user's mailbox for the first time. */
  | "proved"
  /** It is taken, and the user's mailbox was proved before. */
  | "already"
  /** It is taken, and proves nothing: the mailbox is not the user's, or none was named. */
  | "redeemed";

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
  /**
   * Takes a secret, proves with it what `proveEmail()` of {@linkcode AccountStorage} proves, and ends the others
   * that are about the same: all of it or nothing, and of any number of attempts at once for one of them.
   */
  redeemSecret(
    secret: Pick<SentSecretRecord, "purpose" | "hash" | "identifier">,
    options: RedeemSecretOptions,
  ): Promise<RedeemOutcome>;
}
