/**
 * Operations in a transaction of the application.
 *
 * @module
 */

import type { RequestStore } from "../core/contracts.ts";
import { currentRequest } from "../core/request.ts";
import { ConfigurationError } from "../errors.ts";
import { groupOf, type StorageTransaction } from "../storage/storage.ts";
import { type JoinedQuery, joinGroup } from "../storage/transactions.ts";

/** Makes the `within` of `createUser()` from the open transaction of a client. */
export type Join = (query: JoinedQuery) => StorageTransaction;

/** Number of open transactions of a request. */
const openJoins = new WeakMap<RequestStore, number>();

function refuseSession(): never {
  throw new ConfigurationError(
    "A session was begun inside of joinTransaction(), whose transaction may still be taken back. Call startSession() " +
      "after joinTransaction() has returned.",
    { field: "joinTransaction" },
  );
}

/**
 * Has `createUser()` take part in a transaction of the application, by whatever client began it: that of Drizzle, Kysely,
 * Prisma or a driver. The user is stored by the application's statement runner on its connection, so that it is there
 * with the rows of the application or not at all.
 *
 * The library begins and ends nothing, repeats nothing and has no time limit of its own there; a user who is refused is
 * taken back to a savepoint, and the application goes on as it likes. Events are told once `run` has ended well and the
 * user is there; when it rejects, none are. Begin the session afterwards, by `startSession()`: its cookie and its
 * mails are for a user who exists. Until `run` has ended, no session of the request begins.
 *
 * @param run Begins the transaction, gives what runs a statement in it to `join`, and ends it. It may do all of it again
 * when the database took the transaction back.
 * @returns What `run` returns.
 * @throws {ConfigurationError} When the storage is not a SQL database.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createUser, joinTransaction, startSession } from "@framework/auth";
 * import { authSchema } from "@framework/auth/storage";
 * import { sqlite } from "@framework/auth/sqlite";
 * import { equal } from "node:assert/strict";
 * import { DatabaseSync } from "node:sqlite";
 *
 * using file = new DatabaseSync(":memory:"); // of a file: a connection beside the library's
 * file.exec(`${authSchema.up}; CREATE TABLE profiles (user_id TEXT)`);
 * const auth = createAuth({ database: sqlite(file) });
 *
 * await auth.run(new Request("http://localhost/signup"), {}, undefined, async () => {
 *   const user = await joinTransaction(async (join) => {
 *     file.exec("BEGIN");
 *     const within = join(({ text, values }) => file.prepare(text).all(...values as string[]));
 *     const user = await createUser({ email: "ada@example.com" }, { within });
 *     file.prepare("INSERT INTO profiles VALUES (?)").run(user.id);
 *     file.exec("COMMIT");
 *     return user;
 *   });
 *   await startSession(user.id);
 *   return new Response();
 * });
 * equal(file.prepare("SELECT COUNT(*) AS n FROM profiles JOIN users ON id = user_id").get()?.n, 1);
 * ```
 */
export async function joinTransaction<T>(run: (join: Join) => Promise<T>): Promise<T> {
  const store = currentRequest("joinTransaction");
  const { settings } = store.auth;
  const { storage } = settings;
  const group = groupOf(storage, joinGroup);
  const told = new Map<string, () => void>();
  let isOpen = true;

  function join(query: JoinedQuery): StorageTransaction {
    return {
      ...group.join((statement) => {
        if (isOpen) return query(statement);
        // The connection may be another's by now.
        throw new ConfigurationError(
          "createUser() was given a transaction of joinTransaction() that has ended. Await createUser() inside of it.",
          { field: "within" },
        );
      }),
      // By the user: one whom a second try of the transaction makes again is told of once.
      afterCommit: (userId, tell) => void told.set(userId, tell),
    };
  }

  // The cookie would stay in the browser when the transaction is taken back.
  store.hold = refuseSession;
  openJoins.set(store, (openJoins.get(store) ?? 0) + 1);
  let result: T;
  try {
    result = await run(join);
  } finally {
    isOpen = false;
    const others = openJoins.get(store)! - 1;
    openJoins.set(store, others);
    if (others === 0) store.hold = undefined;
  }
  for (const [userId, tell] of told) {
    // An application may take back what it does not throw for, and PostgreSQL answers the COMMIT of a transaction that
    // had an error with a ROLLBACK.
    const user = await storage.getUser(userId).catch((error) => {
      settings.logger.error("joined-transaction-unknown", { userId, error });
      return null;
    });
    if (user !== null) tell();
  }
  return result;
}
