import { readStoredSession, readUser, type Row, userValues } from "./rows.ts";
import type { SqlDatabase, SqlResult, SqlStatement } from "./sql_database.ts";
import { storageError } from "./sql_errors.ts";
import * as text from "./sql_text.ts";
import type { InsertSessionOptions, NewSessionRecord, Storage } from "./storage.ts";

/** A statement is parsed by the database's client once, however many requests run it. */
function createPreparer(database: SqlDatabase): (sql: string) => SqlStatement {
  const prepared = new Map<string, SqlStatement>();
  return function prepare(sql) {
    let statement = prepared.get(sql);
    if (statement === undefined) {
      statement = database.prepare(sql);
      prepared.set(sql, statement);
    }
    return statement;
  };
}

async function attempt<T>(operation: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storageError(error, operation);
  }
}

function changes(result: SqlResult): number {
  return result.meta.changes ?? 0;
}

function buildStorage(database: SqlDatabase): Storage {
  const prepare = createPreparer(database);

  function insertionStatements(
    session: NewSessionRecord,
    options: InsertSessionOptions,
  ): SqlStatement[] {
    const { owner, replaces } = options;
    const statements: SqlStatement[] = [];
    if (owner !== undefined) {
      const { email, name, image } = owner.user;
      const given = [email, name, image].map((value) => value === undefined ? 0 : 1);
      statements.push(
        prepare(text.USER_EXISTS).bind(owner.user.id),
        prepare(text.UPSERT_USER).bind(...userValues(owner), ...given),
      );
    }
    statements.push(
      prepare(text.INSERT_SESSION).bind(
        session.id,
        session.tokenHash,
        session.userId,
        session.userAgent,
        session.createdAt,
        session.authenticatedAt,
        session.refreshedAt,
        session.expiresAt,
      ),
    );
    if (replaces !== undefined) {
      statements.push(prepare(text.REPLACE_SESSION).bind(replaces, session.id));
    }
    statements.push(prepare(text.SELECT_SESSION_OWNER).bind(session.id));
    return statements;
  }

  return {
    createUser(record, alongside = []) {
      return attempt("create the user", async () => {
        const insertion = prepare(text.INSERT_USER).bind(...userValues(record));
        if (alongside.length === 0) await insertion.run();
        else await database.batch([insertion, ...alongside]);
      });
    },
    getUser(id) {
      return attempt("read the user", async () => {
        const row = await prepare(text.SELECT_USER).bind(id).first<Row>();
        return row === null ? null : readUser(row);
      });
    },
    insertSession(session, options = {}) {
      return attempt("store the session", async () => {
        const results = await database.batch(insertionStatements(session, options));
        const row = results.at(-1)?.results[0] as Row | undefined;
        const user = row === undefined ? null : readUser(row);
        if (user === null) return null;
        return { user, created: options.owner !== undefined && results[0]!.results.length === 0 };
      });
    },
    readSession(tokenHash) {
      return attempt("read the session", async () => {
        const row = await prepare(text.READ_SESSION).bind(tokenHash).first<Row>();
        return row === null ? null : readStoredSession(row);
      });
    },
    renewSession(id, options) {
      return attempt("renew the session", async () => {
        const { from, at, expiresAt } = options;
        return changes(await prepare(text.RENEW_SESSION).bind(id, from, at, expiresAt).run()) === 1;
      });
    },
    deleteSession(tokenHash) {
      return attempt("end the session", async () => {
        return changes(await prepare(text.DELETE_SESSION).bind(tokenHash).run()) > 0;
      });
    },
    sweep(now, limit) {
      return attempt("remove ended sessions", async () => {
        return changes(await prepare(text.SWEEP_SESSIONS).bind(now, limit).run());
      });
    },
  };
}

const storages = new WeakMap<SqlDatabase, Storage>();

/**
 * The storage over a SQL database with the shape of D1, whose tables are those of `authSchema`. The
 * same database object gives the same storage, so its statements are prepared once.
 *
 * @param database A D1 binding, or an adapter with its shape.
 *
 * @example
 * ```ts
 * import { createAuth, createSqlStorage, type SqlDatabase } from "@framework/auth";
 *
 * interface Env {
 *   DB: SqlDatabase;
 * }
 * const auth = createAuth<Env>((env) => ({ database: createSqlStorage(env.DB) }));
 * ```
 */
export function createSqlStorage(database: SqlDatabase): Storage {
  let storage = storages.get(database);
  if (storage === undefined) {
    storage = buildStorage(database);
    storages.set(database, storage);
  }
  return storage;
}
