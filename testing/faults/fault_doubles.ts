import { type SqlDatabase, StorageUnavailableError } from "@framework/auth/storage";
import type { D1Database } from "../platform/d1.ts";
import { TestingError } from "../errors.ts";
import { type Pass, passDatabase } from "./exchanges.ts";
import { createFaults, type FaultOptions, type Faults, type Faulty } from "./faults.ts";

/** Options for `storage()` of fault doubles. */
export interface FaultyStorageOptions<Storage> {
  /**
   * Creates the error of an exchange that fails, by the name of the method. Default: that of a lost connection for a SQL
   * database, otherwise a `StorageUnavailableError`.
   */
  error?: (operation: string) => Error;
  /** Methods that "stale" has read what `copy` returned; of a SQL database all statements that only read do. Default: none. */
  reads?: readonly (keyof Storage & string)[];
  /** Copies the storage when "stale" begins. Default: "stale" is refused. */
  copy?: () => Storage;
}

/** Storage, `fetch` and clock of an application, whose faults the test begins and heals. */
export interface FaultDoubles {
  /**
   * Wraps what the application stores in: a storage or a SQL database of the library, a client of another store. Each call
   * of a method is an exchange.
   *
   * @param name Name for `begin({ storage: { name: … } })`.
   * @param storage Object whose methods return promises, or a database with `prepare()` and `batch()`.
   * @throws {TestingError} `OPTIONS` for a name that is taken.
   */
  storage<Storage extends object>(
    name: string,
    storage: Storage,
    options?: FaultyStorageOptions<Storage>,
  ): Storage;
  /**
   * Wraps the function by which the application asks other servers.
   *
   * @param send Sends a request. Default: the global `fetch`.
   */
  fetch(send?: typeof fetch): typeof fetch;
  /**
   * Wraps the application's clock.
   *
   * @param clock Returns milliseconds since 1970. Default: `Date.now`.
   */
  now(clock?: () => number): () => number;
  /**
   * Begins faults, until they are healed. Those that begin later come before those that run.
   *
   * @throws {TestingError} `OPTIONS` for a value or a name that does not exist.
   */
  begin(options: FaultOptions): Faults;
}

/**
 * Creates doubles for an application whose storage, `fetch` or clock is given to it by the test: a server of Node or Deno,
 * `createAuth()`, a storage of your own. In a test context, `ctx.faults()` does the same for the bindings.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, StorageUnavailableError } from "@framework/auth/storage";
 * import { createFaultDoubles } from "@framework/testing/faults";
 * import assert from "node:assert/strict";
 *
 * const faults = createFaultDoubles();
 * const storage = faults.storage("users", createMemoryStorage());
 * {
 *   using _ = faults.begin({ storage: "down" });
 *   await assert.rejects(storage.getUser("ada"), StorageUnavailableError);
 * }
 * assert.equal(await storage.getUser("ada"), null);
 * ```
 */
export function createFaultDoubles(): FaultDoubles {
  const stores: Faulty[] = [];
  const copies = new Map<string, () => unknown>();
  const control = createFaults({
    stores,
    copy: () => Object.fromEntries([...copies].map(([name, copy]) => [name, copy()])),
    nothing: "nothing that stores was given to storage()",
  });

  function storage<Storage extends object>(
    name: string,
    storage: Storage,
    { error, reads = [], copy }: FaultyStorageOptions<Storage> = {},
  ): Storage {
    if (stores.some((store) => store.name === name)) {
      throw new TestingError(
        "OPTIONS",
        `storage() was given the name ${JSON.stringify(name)} twice. Pass a name for each.`,
      );
    }
    stores.push({ name, mayBeStale: copy !== undefined });
    if (copy !== undefined) copies.set(name, copy);
    const errorOf = error ?? (isDatabase(storage) ? lostConnection(storage) : unavailable);
    const pass: Pass<Storage> = ({ operation, run, mayBeStale = false }) =>
      control.exchange({
        binding: name,
        operation,
        detail: () => "",
        isCall: false,
        mayBeStale: copy !== undefined && mayBeStale,
        error: () => errorOf(operation),
        run,
      }, storage);
    return isDatabase(storage)
      ? passSql(storage, pass as Pass<unknown> as Pass<SqlDatabase>) as Storage
      : passObject(storage, (root: Storage) => root, { pass, reads });
  }

  return {
    storage,
    fetch: (send = globalThis.fetch) => (input, init) => control.call(() => send(input, init)),
    now: (clock = Date.now) => () => clock() + control.skew(),
    begin: control.begin,
  };
}

function isDatabase(storage: object): storage is SqlDatabase {
  return "prepare" in storage && "batch" in storage;
}

function unavailable(operation: string): Error {
  return new StorageUnavailableError(`Cannot do "${operation}": the storage did not answer`);
}

/** The error by which a database says that its connection is lost; drivers of servers say it by the code. */
function lostConnection({ dialect }: SqlDatabase): () => Error {
  return () =>
    dialect === undefined
      ? new Error("D1_ERROR: Network connection lost.")
      : Object.assign(new Error("Network connection lost."), { code: "ECONNRESET" });
}

/**
 * Wraps a SQL database, of which every read may be a replica's. What it answers at once in its own process becomes a
 * promise, as a fault needs it.
 */
function passSql(database: SqlDatabase, pass: Pass<SqlDatabase>): SqlDatabase {
  const { direct, dialect, migrate } = database;
  const wrapped = passDatabase(
    database as unknown as D1Database,
    pass as unknown as Pass<D1Database>,
    () => true,
  );
  const passDirect: Pass<SqlDatabase> = ({ run, ...exchange }) =>
    pass({ ...exchange, run: (target) => run(target.direct ?? target) });
  return {
    ...(direct === undefined ? {} : { direct: passSql(direct, passDirect) }),
    ...(dialect === undefined ? {} : { dialect }),
    prepare: wrapped.prepare as unknown as SqlDatabase["prepare"],
    batch: wrapped.batch as unknown as SqlDatabase["batch"],
    ...("exec" in database ? { exec: wrapped.exec } : {}),
    ...("withSession" in database ? { withSession: wrapped.withSession } : {}),
    ...(migrate === undefined ? {} : {
      migrate: () => pass({ operation: "migrate", run: () => migrate.call(database) }),
    }),
  };
}

/** @param find Finds the object in the storage, or in a copy of it. */
function passObject<Root extends object, Found extends object>(
  found: Found,
  find: (root: Root) => Found,
  given: { pass: Pass<Root>; reads: readonly string[] },
): Found {
  return new Proxy(found, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== "function" || typeof property === "symbol") return member;
      const call = (object: object, args: unknown[]) =>
        Reflect.apply(Reflect.get(object, property) as typeof member, object, args);
      // Groups of operations of a storage of the library, which it gives at once.
      if (property === "group") {
        return (...args: unknown[]) => {
          const group = call(target, args) as object | null | undefined;
          return group && passObject(group, (root: Root) => call(find(root), args), given);
        };
      }
      return (...args: unknown[]) =>
        given.pass({
          operation: property,
          mayBeStale: given.reads.includes(property),
          run: (root) => call(find(root), args) as Promise<unknown>,
        });
    },
  });
}
