import type { ListedSession, ListSessionsOptions } from "./storage.ts";

/** The part of the port that a list of sessions needs. */
export interface SessionListStorage {
  /** The sessions of a user that have not ended, the one renewed last first. */
  listSessions(userId: string, options: ListSessionsOptions): Promise<ListedSession[]>;
  /** Ends the session of this user with this id; false when the user has no such session. */
  deleteSessionById(userId: string, id: string): Promise<boolean>;
}
