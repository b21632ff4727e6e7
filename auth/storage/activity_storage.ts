/** Something that happened to an account, as its owner is shown it. */
export interface ActivityRecord {
  /** Public name of the entry. */
  id: string;
  /** Whose account. */
  userId: string;
  /** What happened: the type of an event. */
  type: string;
  /** Id of the provider; null where none is concerned. */
  provider: string | null;
  /** Browser and system in words; null when unknown. */
  device: string | null;
  /** The network of the client, never its full address; null when unknown. */
  network: string | null;
  /** Id of the tenant in which it happened; left out when it was in none. */
  tenantId?: string;
  /** When, in milliseconds since 1970. */
  at: number;
}

/** How much of it is kept. */
export interface KeepActivityOptions {
  /** How many entries of the user stay, the newest. */
  keep: number;
  /** What is older than this goes, whoever's it is, in milliseconds since 1970. */
  since: number;
}

/** Which entries are listed. */
export interface ListActivityOptions {
  /** What is older is left out, in milliseconds since 1970. */
  since: number;
  /** How many at most. */
  limit: number;
}

/** The part of the port that keeps what happened to accounts. */
export interface ActivityStorage {
  /** Stores an entry, none without its user, and removes what there is too much of. */
  insertActivity(entry: ActivityRecord, options: KeepActivityOptions): Promise<void>;
  /** The entries of a user, the newest first. */
  listActivity(userId: string, options: ListActivityOptions): Promise<ActivityRecord[]>;
}
