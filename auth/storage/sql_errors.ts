import { ConfigurationError } from "../errors/configuration_error.ts";
import { StorageUnavailableError, UserExistsError } from "../errors/storage_errors.ts";

const MISSING = /no such table|no such column|has no column named/i;
const USER_TAKEN = /UNIQUE constraint failed: users\.(?:id|email_identity)/i;
const CONSTRAINT = /constraint failed/i;

/**
 * The typed error for what a database threw. A broken constraint of the application's own tables is the
 * application's to see as it is; all else means that the store did not do its work.
 */
export function storageError(error: unknown, operation: string): unknown {
  const message = error instanceof Error ? error.message : String(error);
  if (USER_TAKEN.test(message)) return new UserExistsError(undefined, { cause: error });
  if (CONSTRAINT.test(message)) return error;
  if (MISSING.test(message)) {
    return new ConfigurationError(
      `Cannot ${operation}: the tables of @framework/auth are missing or of another version. ` +
        "Apply the migrations of the application (framework migrate up), or run `authSchema.up` of " +
        "@framework/auth/storage on the database.",
      { field: "database", cause: error },
    );
  }
  return new StorageUnavailableError(`Cannot ${operation}: the database did not answer`, {
    cause: error,
  });
}
