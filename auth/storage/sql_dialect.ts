import type { AuthSchema } from "./schema.ts";

/** What an error of a database means, as far as the storage acts on it. */
export type SqlFailure =
  /** The id or the mailbox of a user is another's. */
  | "user-taken"
  /** An account, or the id of a passkey, is another user's. */
  | "account-taken"
  /** The user whose it was to be is deleted at the same time. */
  | "owner-gone"
  /** Another constraint is broken: one of the application's own tables. */
  | "constraint"
  /** A table or a column is missing. */
  | "tables-missing"
  /** The work was taken back, and may succeed in a moment. */
  | "undone"
  /** The connection is lost: nobody knows whether the work was done. */
  | "lost"
  /** The database cannot do it now, and more tries would not help: it is full, overloaded, or away. */
  | "unavailable";

/** In what a database differs from SQLite, which has one writer at a time and so needs no locks. */
export interface SqlDialect {
  /** What an error of the database means; null for whatever the storage does not act on. */
  failureOf(error: unknown): SqlFailure | null;
  /** What makes the tables, for the message that they are missing. */
  readonly schema: string;
  /** Tables and their steps, for `upgradeTables()`. Default: `authSchema`. */
  readonly tables?: AuthSchema;
  /** Statements that come first in the transaction of each step of the tables. Default: none. */
  readonly beforeStep?: readonly string[];
  /**
   * The statement that removes at most `?2` rows of a table whose `column` is at or before `?1`, the oldest first, by
   * the index of that column, and waits for nobody who does the same. Default: SQLite's.
   */
  sweep?(table: string, column: string): string;
  /** What ends a `SELECT` whose rows must stay as they are until the transaction is over. */
  readonly shareLock: string;
  /** The statement after which nobody else changes what the user `?1` has until the transaction is over. */
  readonly lockUser: string;
  /** The statement after which nobody else comes past the same one with the text `?1` until the transaction is over. */
  readonly lockText: string;
}
