import { AccountTakenError } from "../errors/account_errors.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { StorageUnavailableError, UserExistsError } from "../errors/storage_errors.ts";
import type { SqlFailure } from "./sql_dialect.ts";

// As D1 and node:sqlite report it; the first that fits.
const FAILURES: readonly [failure: SqlFailure, says: RegExp][] = [
  ["user-taken", /UNIQUE constraint failed: users\.(?:id|email_identity)/i],
  [
    "account-taken",
    /NOT NULL constraint failed: accounts\.user_id|UNIQUE constraint failed: passkeys\.id/i,
  ],
  ["constraint", /constraint failed/i],
  ["tables-missing", /no such table|no such column|has no column named/i],
  // Who waits for a lock in vain has done nothing.
  ["undone", /database is locked|SQLITE_BUSY/i],
  [
    "lost",
    /network connection lost|caused object to be reset|reset because its code was updated|transient issue on remote node/i,
  ],
  [
    "unavailable",
    /disk|readonly database|unable to open|overloaded|exceeded timeout|out of memory/i,
  ],
];

/** Tells that the database does not work at the moment, as opposed to a statement that it refuses. */
export function isPassing(failure: SqlFailure | null): boolean {
  return failure === "lost" || failure === "undone" || failure === "unavailable";
}

/**
 * The error of a statement that an application sent to D1 itself, when the database did not do its work: a 503 like
 * those of the library. Any other error as it is. The platform says some of it of other connections, too, without
 * the name in front.
 */
export function d1Error(error: unknown): unknown {
  const failure = sqliteFailureOf(error);
  return isPassing(failure) && /^D1[_ ]/.test((error as Error)?.message)
    ? storageError(error, { failure, operation: "run a statement of the application" })
    : error;
}

/** What an error of SQLite means; null for whatever the storage does not act on. */
export function sqliteFailureOf(error: unknown): SqlFailure | null {
  const message = error instanceof Error ? error.message : String(error);
  return FAILURES.find(([, says]) => says.test(message))?.[0] ?? null;
}

/** What {@linkcode storageError} is told. */
export interface FailedOperation {
  /** What the error means. */
  failure: SqlFailure | null;
  /** What was to be done, such as "read the session". */
  operation: string;
  /** What makes the tables of this database. Default: of SQLite. */
  schema?: string | undefined;
}

/**
 * The typed error for what a database threw. A broken constraint of the application's own tables is the
 * application's to see as it is; all else means that the store did not do its work.
 */
export function storageError(cause: unknown, failed: FailedOperation): unknown {
  const { failure, operation, schema = "`authSchema.up` of @framework/auth/storage" } = failed;
  switch (failure) {
    case "user-taken":
      return new UserExistsError(undefined, { cause });
    case "account-taken":
      return new AccountTakenError(undefined, { cause });
    case "owner-gone":
    case "constraint":
      return cause;
    case "tables-missing":
      return new ConfigurationError(
        `Cannot ${operation}: the tables are missing or of another version. ` +
          `Apply your migrations, or run ${schema} on the database.`,
        { field: "database", cause },
      );
    default:
      return new StorageUnavailableError(`Cannot ${operation}: the database did not answer`, {
        cause,
      });
  }
}
