import { AccountTakenError } from "../errors/account_errors.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { StorageUnavailableError, UserExistsError } from "../errors/storage_errors.ts";

// The first alternative of each is SQLite, as D1 and node:sqlite report it, the second PostgreSQL.
const MISSING =
  /no such table|no such column|has no column named|(?:relation|column) .+ does not exist/i;
const USER_TAKEN =
  /UNIQUE constraint failed: users\.(?:id|email_identity)|unique constraint "users_(?:pkey|email_identity_key)"/i;
const ACCOUNT_TAKEN =
  /NOT NULL constraint failed: accounts\.user_id|UNIQUE constraint failed: passkeys\.id|"user_id" of relation "accounts"|unique constraint "passkeys_pkey"/i;
const CONSTRAINT =
  /constraint failed|violates (?:\S+ )?(?:unique|foreign key|not-null|check) constraint|violates not-null/i;
const OWNER_GONE =
  /violates foreign key constraint "(?:sessions|accounts|passkeys|verifications)_user_id_fkey"/i;

// What D1 and PostgreSQL say when the connection went away: nobody knows whether the work was done.
const LOST =
  /network connection lost|caused object to be reset|reset because its code was updated|transient issue on remote node|connection terminated|server closed the connection|terminating connection/i;
const LOST_CODES: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE", "57P01"]);
// Who waits for a lock in vain, or is the one whom a deadlock costs its transaction, has done nothing.
const UNDONE = /database is locked|SQLITE_BUSY/i;
const UNDONE_CODES: ReadonlySet<unknown> = new Set(["40001", "40P01"]);

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error ? (error as { code?: unknown }).code : undefined;
}

/**
 * Whether the same work may succeed in a moment: "undone" when it certainly was not done, "unknown" when
 * it may have been, null when it will fail again.
 */
export function transience(error: unknown): "undone" | "unknown" | null {
  const message = messageOf(error);
  const code = codeOf(error);
  if (UNDONE_CODES.has(code) || UNDONE.test(message)) return "undone";
  return LOST_CODES.has(code) || LOST.test(message) ? "unknown" : null;
}

/** True when the id or the mailbox of a user is another's. */
export function isUserTaken(error: unknown): boolean {
  return USER_TAKEN.test(messageOf(error));
}

/** True when an account, or the id of a passkey, is another user's. */
export function isAccountTaken(error: unknown): boolean {
  return ACCOUNT_TAKEN.test(messageOf(error));
}

/** True when something of a user's was refused because its owner was deleted at the same time. */
export function isOwnerGone(error: unknown): boolean {
  return OWNER_GONE.test(messageOf(error));
}

/**
 * The typed error for what a database threw. A broken constraint of the application's own tables is the
 * application's to see as it is; all else means that the store did not do its work.
 */
export function storageError(error: unknown, operation: string): unknown {
  const message = messageOf(error);
  if (isUserTaken(error)) return new UserExistsError(undefined, { cause: error });
  if (isAccountTaken(error)) return new AccountTakenError(undefined, { cause: error });
  if (CONSTRAINT.test(message)) return error;
  if (MISSING.test(message)) {
    return new ConfigurationError(
      `Cannot ${operation}: the tables of @framework/auth are missing or of another version. ` +
        "Apply the migrations of the application (framework migrate up), or run `authSchema.up` of " +
        "@framework/auth/storage (`postgresSchema.up` of @framework/auth/storage-postgres) on the database.",
      { field: "database", cause: error },
    );
  }
  return new StorageUnavailableError(`Cannot ${operation}: the database did not answer`, {
    cause: error,
  });
}
