import { ACCOUNT } from "./account_fields.ts";
import { valuesOf } from "./fields.ts";
import { personValues, type Row, userValues } from "./rows.ts";
import type { SqlResult, SqlStatement, SqlValue } from "./sql_database.ts";
import type { SqlExecutor } from "./sql_executor.ts";
import type { SqlParts } from "./sql_parts.ts";
import * as text from "./sql_text.ts";
import type { PreparedPasskey, SaveUserOptions, Storage, UserRecord } from "./storage.ts";
import type { User } from "../users/user.ts";

/** The part of the storage that is about users. */
export type UserOperations = Pick<
  Storage,
  | "createUser"
  | "getUser"
  | "getActiveUser"
  | "credentialsCount"
>;

/** When the proof of a sign-in without credentials has begun: later than any moment from which on those count. */
const ALWAYS = 2 ** 53 - 1;

/** The last values of the statements that depend on what holds of the user at that moment. */
export function conditionValues(
  { proofBegunAt = ALWAYS, unproved = false }: SaveUserOptions = {},
): [proofBegunAt: number, unproved: 0 | 1] {
  return [proofBegunAt, unproved ? 1 : 0];
}

/** A passkey to be stored together with a sign-in: its insertion, under the conditions of that. */
export interface SqlPreparedPasskey extends PreparedPasskey {
  readonly prepared: (conditions: ReturnType<typeof conditionValues>) => SqlStatement;
}

/** For a statement that writes a value only when there is one. */
export function isGiven(value: unknown): 0 | 1 {
  return value === undefined ? 0 : 1;
}

/** The values of {@linkcode text.UPDATE_KNOWN_USER}. */
export function changeValues(record: UserRecord): SqlValue[] {
  const { email, name, image } = record.user;
  return [...personValues(record), ...[email, name, image].map(isGiven)];
}

/**
 * A user's row as a sign-in makes or changes it, and what comes with it. The first statement gives a row
 * when it made the user.
 */
export function saveStatements(
  { executor: { prepare }, statements }: SqlParts,
  record: UserRecord | undefined,
  options: SaveUserOptions,
): SqlStatement[] {
  const { account, passkey, existing = false } = options;
  const conditions = conditionValues(options);
  return [
    ...record === undefined ? [] : [
      ...existing ? [] : [prepare(text.INSERT_NEW_USER).bind(...userValues(record))],
      prepare(text.UPDATE_KNOWN_USER).bind(...changeValues(record), ...conditions),
    ],
    ...account === undefined
      ? []
      : [prepare(statements.saveAccount).bind(...valuesOf(ACCOUNT, account), ...conditions)],
    ...passkey === undefined ? [] : [(passkey as SqlPreparedPasskey).prepared(conditions)],
  ];
}

/**
 * Runs a batch that holds {@linkcode saveStatements}. PostgreSQL calls a mailbox taken also by the very
 * row that another sign-in of the same new user is inserting; the second try finds that row.
 */
export async function saveBatch(
  executor: SqlExecutor,
  statements: SqlStatement[],
): Promise<SqlResult[]> {
  try {
    return await executor.batch(statements);
  } catch (error) {
    if (executor.failureOf(error) !== "user-taken") throw error;
    return await executor.batch(statements);
  }
}

/** The user that a statement gives back. */
export async function firstUser(
  { reader }: Pick<SqlParts, "reader">,
  statement: SqlStatement,
): Promise<User | null> {
  const row = await statement.first<Row>();
  return row === null ? null : reader.user(row);
}

/** Makes the operations. */
export function createUserOperations(parts: SqlParts): UserOperations {
  const { executor, statements } = parts;
  const { prepare, repeat, once } = executor;

  return {
    createUser(record, alongside = []) {
      return once("create the user", async () => {
        const insertion = prepare(text.INSERT_USER).bind(...userValues(record));
        if (alongside.length === 0) await insertion.run();
        else await executor.batch([insertion, ...alongside]);
      });
    },
    getUser(id) {
      return repeat(
        "read the user",
        () => firstUser(parts, prepare(statements.selectUser).bind(id)),
      );
    },
    getActiveUser(id) {
      return repeat(
        "read the user",
        () => firstUser(parts, prepare(statements.selectActiveUser).bind(id)),
      );
    },
    credentialsCount(id, proofBegunAt) {
      return repeat(
        "read the user",
        async () => await prepare(text.SELECT_SHUT_OUT).bind(id, proofBegunAt).first() === null,
      );
    },
  };
}
