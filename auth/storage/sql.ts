/**
 * The storage over a SQL database: users and sessions.
 *
 * @module
 */

import { createSafeLogger, type Logger } from "../lib/logger.ts";
import type { User } from "../types/user.ts";
import type { SqlParts, StorageGroup } from "./group.ts";
import {
  createRowReader,
  personValues,
  readUserColumns,
  type Row,
  userValues,
  valuesOf,
} from "./rows.ts";
import type { SqlDatabase, SqlResult, SqlStatement, SqlValue } from "./sql_database.ts";
import {
  changesOf,
  createSqlExecutor,
  type SqlExecutor,
  sweepRows,
  sweepText,
} from "./sql_executor.ts";
import * as text from "./statements.ts";
import { ACCOUNT, createUserStatements } from "./statements.ts";
import type { SqlTransaction } from "./transactions.ts";
import type {
  DeleteSessionsOptions,
  InsertSessionOptions,
  NewSessionRecord,
  PreparedPasskey,
  SaveUserOptions,
  StoredSession,
  UserRecord,
} from "./records.ts";
import type { Storage } from "./storage.ts";

/** Options for {@linkcode createSqlStorage}. */
export interface SqlStorageOptions {
  /**
   * Columns that the application added to `users`. A user has them as further fields, with the values
   * that the database gives; declare them in a type for `getUser<AppUser>()`. No sign-in writes them.
   */
  userColumns?: readonly string[] | undefined;
  /** Told of rows that cannot be read. Default: nobody is. */
  logger?: Logger;
}

/**
 * The storage over a SQL database with the shape of D1, whose tables are those of `authSchema`. Its
 * statements are prepared once per database object.
 *
 * A lost connection is tried again, at most twice, for whatever comes to the same when done twice.
 *
 * @param database A D1 binding, or an adapter with its shape.
 * @param options Columns that the application added to `users`, and a logger. Default: none.
 * @throws {ConfigurationError} When `userColumns` names what cannot be a column of the application.
 *
 * @example
 * ```ts
 * import { createAuth, createSqlStorage, type SqlDatabase } from "@framework/auth";
 * import { authSchema } from "@framework/auth/storage";
 * import { sqlite } from "@framework/auth/sqlite";
 * import { equal } from "node:assert/strict";
 * import { DatabaseSync } from "node:sqlite";
 *
 * interface Env {
 *   DB: SqlDatabase;
 * }
 * const auth = createAuth<Env>((env) => ({
 *   database: createSqlStorage(env.DB, { userColumns: ["plan"], logger: console }),
 * }));
 *
 * // In the place of a D1 binding.
 * using file = new DatabaseSync(":memory:");
 * file.exec(`${authSchema.up}; ALTER TABLE users ADD COLUMN plan TEXT`);
 * const env = { DB: sqlite(file) };
 * equal(await auth.storage(env).getUser("ada"), null);
 * ```
 */
export function createSqlStorage(database: SqlDatabase, options: SqlStorageOptions = {}): Storage {
  const userColumns = readUserColumns(options.userColumns);
  const logger = createSafeLogger(options.logger);
  const { dialect } = database;
  const executor = createSqlExecutor(database);
  const parts: SqlParts = {
    executor: userColumns.length === 0 ? executor : {
      ...executor,
      // Else only who signs in would learn that a column is missing.
      checkTables: (isWorker) =>
        executor.checkTables(isWorker)?.then(async () => void await storage.getUser("")),
    },
    dialect,
    statements: createUserStatements({ userColumns, shareLock: dialect?.shareLock }),
    reader: createRowReader({
      userColumns,
      // The value is not reported: nobody knows what it is.
      onCorrupt: (column, id) => logger.error("stored-row-corrupt", { column, id }),
    }),
  };
  const storage = createOperations(parts);
  return storage;
}

/** Returns a function that opens a storage at its first call, and gives the same one from then on. */
export function openOnce(open: () => Storage): () => Storage {
  let opened: Storage | undefined;
  return () => opened ??= open();
}

/** Makes the operations on users and sessions. */
function createOperations(parts: SqlParts): Storage {
  const { executor, reader, statements } = parts;
  const { prepare, readNow, repeat, once } = executor;
  const groups = new Map<unknown, unknown>();

  function readUser(sql: string, id: string): Promise<User | null> {
    return repeat("read the user", () => firstUser(parts, prepare(sql).bind(id)));
  }
  function stored(row: Row | null): StoredSession | null {
    return row === null ? null : reader.storedSession(row);
  }

  function insertionStatements(
    session: NewSessionRecord,
    { owner, replaces, ...options }: InsertSessionOptions,
  ): SqlStatement[] {
    return [
      ...saveStatements(parts, session.userId, owner, options),
      prepare(statements.insertSession).bind(
        session.id,
        session.tokenHash,
        session.userId,
        session.userAgent,
        session.createdAt,
        session.authenticatedAt,
        session.refreshedAt,
        session.expiresAt,
        session.tenantId ?? null,
        ...conditionValues(options),
      ),
      ...(replaces === undefined ? [] : [prepare(text.REPLACE_SESSION).bind(replaces, session.id)]),
      prepare(statements.selectSessionOwner).bind(session.id),
    ];
  }

  return {
    group<Operations>(group: StorageGroup<Operations>) {
      // Made once: every group writes its statements.
      if (!groups.has(group)) groups.set(group, group.sql(parts as never));
      return groups.get(group) as Operations;
    },
    createUser(record, { within } = {}) {
      const values = userValues(record);
      if (within) return (within as SqlTransaction).insertUser(text.INSERT_USER, values);
      return once("create the user", async () => {
        await prepare(text.INSERT_USER).bind(...values).run();
      });
    },
    getUser: (id) => readUser(statements.selectUser, id),
    getActiveUser: (id) => readUser(statements.selectActiveUser, id),
    credentialsCount(id, proofBegunAt) {
      return repeat(
        "read the user",
        async () => await prepare(text.SELECT_SHUT_OUT).bind(id, proofBegunAt).first() === null,
      );
    },
    insertSession(session, options = {}) {
      return once("store the session", async () => {
        try {
          const results = await saveBatch(executor, insertionStatements(session, options));
          const row = results.at(-1)?.results[0] as Row | undefined;
          const user = row === undefined ? null : reader.user(row);
          if (user === null) return null;
          const made = options.owner && !options.existing && results[0]!.results.length > 0;
          return { user, created: made === true };
        } catch (error) {
          if (executor.failureOf(error) === "owner-gone") return null;
          throw error;
        }
      });
    },
    readSession(tokenHash) {
      const sql = statements.readSession;
      const row = readNow<Row>(sql, tokenHash);
      if (row !== undefined) return stored(row);
      return repeat(
        "read the session",
        () => prepare(sql).bind(tokenHash).first<Row>().then(stored),
      );
    },
    renewSession(id, options) {
      return repeat("renew the session", async () => {
        const { from, at, expiresAt } = options;
        const renewed = await prepare(text.RENEW_SESSION).bind(id, from, at, expiresAt).run();
        return changesOf(renewed) === 1;
      });
    },
    deleteSession(tokenHash) {
      return repeat("end the session", async () => {
        return changesOf(await prepare(text.DELETE_SESSION).bind(tokenHash).run()) > 0;
      });
    },
    deleteSessions(userId, { exceptId = "", tenantId = null }: DeleteSessionsOptions = {}) {
      return repeat("end the sessions", async () => {
        const deletion = prepare(text.DELETE_SESSIONS).bind(userId, exceptId, tenantId);
        return changesOf(await deletion.run());
      });
    },
    async sweep(now, limit) {
      const sweeps = text.ENDING.map((table) => sweepText(table, parts.dialect));
      if (executor.inProcess) {
        let removed = 0;
        for (const sql of sweeps) removed += await sweepRows(executor, sql, { now, limit });
        return removed;
      }
      return repeat("remove what has ended", async () => {
        const results = await executor.batch(sweeps.map((sql) => prepare(sql).bind(now, limit)));
        return results.reduce((sum, result) => sum + changesOf(result), 0);
      });
    },
  };
}

/** Start of a proof without credentials: later than any moment from which credentials can count. */
const ALWAYS = 2 ** 53 - 1;

/** The last values of the statements that depend on what holds of the user at that moment. */
export function conditionValues(
  { proofBegunAt = ALWAYS, unproved = false, mailbox = "" }: SaveUserOptions = {},
): [proofBegunAt: number, unproved: 0 | 1, mailbox: string] {
  return [proofBegunAt, unproved ? 1 : 0, mailbox];
}

/**
 * A passkey to be stored together with a sign-in: its insertion, under the conditions of that; or the check of one.
 * Before either stands the lock of its user.
 */
export interface SqlPreparedPasskey extends PreparedPasskey {
  readonly prepared: (
    conditions: ReturnType<typeof conditionValues>,
    sessionId?: string,
  ) => SqlStatement[];
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
 * when it made the user, unless that is known to exist.
 */
export function saveStatements(
  parts: SqlParts,
  userId: string,
  record: UserRecord | undefined,
  options: SaveUserOptions,
): SqlStatement[] {
  const { executor: { prepare }, statements } = parts;
  const { account, passkey, existing = false, linked } = options;
  const conditions = conditionValues(options);
  return [
    // Else the way in could be removed between the statement that asks for it and the next one.
    ...existing && account ? lockUser(parts, userId) : [],
    ...record === undefined ? [] : [
      ...existing ? [] : [prepare(text.INSERT_NEW_USER).bind(...userValues(record))],
      prepare(text.UPDATE_KNOWN_USER).bind(...changeValues(record), ...conditions),
    ],
    ...(passkey as SqlPreparedPasskey | undefined)?.prepared(conditions) ?? [],
    ...account === undefined ? [] : [
      prepare(statements.saveAccount()).bind(
        ...valuesOf(ACCOUNT, account),
        ...conditions,
        linked ? 1 : 0,
      ),
    ],
  ];
}

/**
 * Runs a batch that gives a user a mailbox. A database with several connections calls it taken also by the row that
 * another sign-in of the same new user is inserting, or by another user who kept the address and proves it at the same
 * time; the second try finds that row.
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

/**
 * First statement of a batch that holds only as long as nothing else of the user changes, such as
 * "another way to sign in remains": in some databases, two such batches would not see each other.
 */
export function lockUser({ executor, dialect }: SqlParts, userId: string): SqlStatement[] {
  return dialect === undefined ? [] : [executor.prepare(dialect.lockUser).bind(userId)];
}
