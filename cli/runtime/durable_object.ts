/** A value of a row: TEXT, INTEGER or REAL, NULL, and BLOB as an `ArrayBuffer`. */
export type ObjectSqlValue = string | number | null | ArrayBuffer;

/** Result of a query, whose rows are taken once. */
export interface ObjectSqlCursor<T> extends Iterable<T> {
  /** The next row that has not been taken yet. */
  next(): { done?: false; value: T } | { done: true; value: undefined };
  /** The rows that have not been taken yet. */
  toArray(): T[];
  /** The only row; throws when there is another number of them. */
  one(): T;
  /** The rows as lists of values. */
  raw<U extends ObjectSqlValue[] = ObjectSqlValue[]>(): IterableIterator<U> & { toArray(): U[] };
  /** The names of the columns, in the order of `raw()`. */
  readonly columnNames: string[];
  /** Number of rows that the query has read so far, by which the platform bills. */
  readonly rowsRead: number;
  /** Number of rows that the query has written so far, by which the platform bills. */
  readonly rowsWritten: number;
}

/** The object's own SQLite database. */
export interface ObjectSql {
  /** Runs one statement, or several of which the last one gives the rows and takes the values. */
  exec<T = Record<string, ObjectSqlValue>>(sql: string, ...values: unknown[]): ObjectSqlCursor<T>;
  /** Size of the database in bytes. */
  readonly databaseSize: number;
}

/** Range and order of the keys that `list()` gives. */
export interface ObjectListOptions {
  /**
   * The first key that is listed, if there is one of that name, else the next one. Default: the
   * first of all.
   */
  start?: string;
  /** The key after which the list begins; not together with `start`. */
  startAfter?: string;
  /** The first key that is not listed. */
  end?: string;
  /** Prefix of the keys. Default: none. */
  prefix?: string;
  /** True for descending order; `start` and `end` stay what they are. Default false. */
  reverse?: boolean;
  /** Largest number of keys. Default: all. */
  limit?: number;
}

/** Keys and values as a transaction has them. */
export interface ObjectEntries {
  /** The value of a key; undefined when there is none. */
  get<T = unknown>(key: string): Promise<T | undefined>;
  /** The values of several keys, 128 at most on the platform; keys without one are left out. */
  get<T = unknown>(keys: string[]): Promise<Map<string, T>>;
  /** Stores a copy of a value, as `structuredClone` makes it. */
  put<T>(key: string, value: T): Promise<void>;
  /** Stores several values at once, 128 at most on the platform. */
  put<T>(entries: Record<string, T>): Promise<void>;
  /** Removes a key; false when it was not there. */
  delete(key: string): Promise<boolean>;
  /** Removes several keys, 128 at most on the platform; returns how many were there. */
  delete(keys: string[]): Promise<number>;
  /** The keys with their values, in the order of the keys' UTF-8 bytes. */
  list<T = unknown>(options?: ObjectListOptions): Promise<Map<string, T>>;
}

/** Keys and values without promises. */
export interface ObjectKv {
  /** The value of a key; undefined when there is none. */
  get<T = unknown>(key: string): T | undefined;
  /** Stores a copy of a value, as `structuredClone` makes it. */
  put<T>(key: string, value: T): void;
  /** Removes a key; false when it was not there. */
  delete(key: string): boolean;
  /** The keys with their values, in the order of the keys' UTF-8 bytes. */
  list<T = unknown>(options?: ObjectListOptions): Iterable<[string, T]>;
}

/** Keys and values within `transaction()`, which can be undone. */
export interface ObjectTransaction extends ObjectEntries {
  /** Undoes what the transaction has written; after that it can do nothing more. */
  rollback(): void;
}

/** The storage of a durable object that has SQLite. */
export interface ObjectStorage extends ObjectEntries {
  /** Removes all keys and tables. */
  deleteAll(): Promise<void>;
  /** Runs a function whose writes are kept together, or undone when it rejects. */
  transaction<T>(work: (transaction: ObjectTransaction) => Promise<T>): Promise<T>;
  /**
   * Runs a function whose writes, also those by SQL, are kept together, or undone when it throws.
   */
  transactionSync<T>(work: () => T): T;
  /** Time of the object's alarm, in milliseconds since 1970; null when none is set. */
  getAlarm(): Promise<number | null>;
  /**
   * Sets the one alarm of the object: milliseconds since 1970, or a date. A moment that is past is
   * due at once.
   */
  setAlarm(time: number | Date): Promise<void>;
  /** Takes the alarm away, if one is set. */
  deleteAlarm(): Promise<void>;
  /** Waits until everything is written. */
  sync(): Promise<void>;
  /** The object's SQLite database. */
  readonly sql: ObjectSql;
  /** The same keys as those of `get` and `put`, without promises. */
  readonly kv: ObjectKv;
}

/** Names one durable object. */
export interface DurableObjectName {
  /** Name that the id was made of by `idFromName()`; left out for other ids. */
  readonly name?: string;
  /** The id as text, for `idFromString()`. */
  toString(): string;
  /** True when the other id names the same object. */
  equals(other: { toString(): string }): boolean;
}

/** State of a durable object, which the platform passes to its constructor: storage, alarms and sockets. */
export interface DurableObjectState {
  /** The object's own id. */
  readonly id: DurableObjectName;
  /** The object's own storage, which no other object reads. */
  readonly storage: ObjectStorage;
  /** Takes work that goes on after the answer. */
  waitUntil(work: Promise<unknown>): void;
  /** Holds all other events of the object back until the function is done. */
  blockConcurrencyWhile<T>(work: () => Promise<T>): Promise<T>;
  /** Ends the object with an error; the next call begins a new one over the same storage. */
  abort(reason?: string): void;
  /** Accepts a socket that may outlive the object's sleep, with at most 10 tags to find it by. */
  acceptWebSocket(socket: WebSocket, tags?: string[]): void;
  /** Open sockets that were accepted: all, or those with a tag. */
  getWebSockets(tag?: string): WebSocket[];
  /** Tags with which a socket was accepted. */
  getTags(socket: WebSocket): string[];
}

/** A durable object that can be called. */
export interface DurableObjectCaller {
  /** Sends a request to the object's `fetch`. */
  fetch(request: Request | string | URL, init?: RequestInit): Promise<Response>;
}

/** Handlers of a durable object, which the platform calls and no stub has, but for `fetch`. */
export interface DurableObjectHandlers {
  /** Answers a request that a caller sends to the object. */
  fetch?(request: Request): Response | Promise<Response>;
  /** Called when the time of `setAlarm()` has come; after an error again, with a pause. */
  alarm?(info?: { retryCount: number; isRetry: boolean }): void | Promise<void>;
  /** Called for a message at a socket of `acceptWebSocket()`. */
  webSocketMessage?(socket: WebSocket, message: string | ArrayBuffer): void | Promise<void>;
  /** Called when the other end has closed such a socket. */
  webSocketClose?(
    socket: WebSocket,
    code: number,
    reason: string,
    wasClean: boolean,
  ): void | Promise<void>;
  /** Called when the connection of such a socket breaks. */
  webSocketError?(socket: WebSocket, error: unknown): void | Promise<void>;
}

/** A durable object of a class as its callers have it: with the class's methods, each of which answers with a promise. */
export type DurableObjectStub<T = unknown> =
  & DurableObjectCaller
  & {
    readonly [K in Exclude<keyof T, keyof DurableObjectHandlers | "ctx" | "env">]: T[K] extends
      (...args: infer A) => infer R ? (...args: A) => Promise<Awaited<R>>
      : Promise<Awaited<T[K]>>;
  };

/** All durable objects of a class. */
export interface DurableObjectNamespace<T = unknown> {
  /** The id of the object with this name. */
  idFromName(name: string): DurableObjectName;
  /** The id that `toString()` wrote. */
  idFromString(id: string): DurableObjectName;
  /** A new id, which no name leads to: keep it as text. */
  newUniqueId(): DurableObjectName;
  /** The object with this id. */
  get(id: DurableObjectName): DurableObjectStub<T>;
  /** The object with this name. */
  getByName(name: string): DurableObjectStub<T>;
}
