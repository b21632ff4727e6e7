/** A value of a row: TEXT, INTEGER or REAL, NULL, and BLOB as an `ArrayBuffer`. */
export type ObjectSqlValue = string | number | null | ArrayBuffer;

/** Result of a query, whose rows can be read once. */
export interface ObjectSqlCursor<T> extends Iterable<T> {
  /** Returns the next row. */
  next(): { done?: false; value: T } | { done: true; value: undefined };
  /** Returns the remaining rows. */
  toArray(): T[];
  /** Returns the only row; throws unless there is exactly one. */
  one(): T;
  /** Returns the rows as lists of values. */
  raw<U extends ObjectSqlValue[] = ObjectSqlValue[]>(): IterableIterator<U> & { toArray(): U[] };
  /** Names of the columns, in the order of `raw()`. */
  readonly columnNames: string[];
  /** Number of rows that the query has read so far, which the platform bills. */
  readonly rowsRead: number;
  /** Number of rows that the query has written so far, which the platform bills. */
  readonly rowsWritten: number;
}

/** The object's own SQLite database. */
export interface ObjectSql {
  /** Runs one statement, or several; the last one returns the rows and receives the values. */
  exec<T = Record<string, ObjectSqlValue>>(sql: string, ...values: unknown[]): ObjectSqlCursor<T>;
  /** Size of the database in bytes. */
  readonly databaseSize: number;
}

/** Range and order of keys for `list()`. */
export interface ObjectListOptions {
  /** First key to list; when it does not exist, the next one. Default: the first of all. */
  start?: string;
  /** Key after which the list begins; cannot be combined with `start`. */
  startAfter?: string;
  /** Key before which the list ends. */
  end?: string;
  /** Prefix of the keys. Default: none. */
  prefix?: string;
  /** True for descending order; `start` and `end` keep their meaning. Default false. */
  reverse?: boolean;
  /** Maximum number of keys. Default: all. */
  limit?: number;
}

/** Keys and values in a transaction. */
export interface ObjectEntries {
  /** Returns the value of a key; undefined when there is none. */
  get<T = unknown>(key: string): Promise<T | undefined>;
  /** Returns the values of several keys, at most 128 on the platform; missing keys are left out. */
  get<T = unknown>(keys: string[]): Promise<Map<string, T>>;
  /** Stores a structured clone of a value. */
  put<T>(key: string, value: T): Promise<void>;
  /** Stores several values at once, at most 128 on the platform. */
  put<T>(entries: Record<string, T>): Promise<void>;
  /** Deletes a key; returns false when it did not exist. */
  delete(key: string): Promise<boolean>;
  /** Deletes several keys, at most 128 on the platform; returns how many existed. */
  delete(keys: string[]): Promise<number>;
  /** Lists keys with their values, ordered by the keys' UTF-8 bytes. */
  list<T = unknown>(options?: ObjectListOptions): Promise<Map<string, T>>;
}

/** Synchronous access to keys and values. */
export interface ObjectKv {
  /** Returns the value of a key; undefined when there is none. */
  get<T = unknown>(key: string): T | undefined;
  /** Stores a structured clone of a value. */
  put<T>(key: string, value: T): void;
  /** Deletes a key; returns false when it did not exist. */
  delete(key: string): boolean;
  /** Lists keys with their values, ordered by the keys' UTF-8 bytes. */
  list<T = unknown>(options?: ObjectListOptions): Iterable<[string, T]>;
}

/** Keys and values within `transaction()`, which can be rolled back. */
export interface ObjectTransaction extends ObjectEntries {
  /** Rolls back the writes of the transaction, which cannot be used afterwards. */
  rollback(): void;
  /** As `getAlarm()` of the storage. */
  getAlarm(): Promise<number | null>;
  /** As `setAlarm()` of the storage. */
  setAlarm(time: number | Date): Promise<void>;
  /** As `deleteAlarm()` of the storage. */
  deleteAlarm(): Promise<void>;
}

/** The storage of a durable object that has SQLite. */
export interface ObjectStorage extends ObjectEntries {
  /** Deletes all keys and tables. */
  deleteAll(): Promise<void>;
  /** Runs a function whose writes are committed together, or rolled back when it rejects. */
  transaction<T>(work: (transaction: ObjectTransaction) => Promise<T>): Promise<T>;
  /**
   * Runs a function whose writes, including SQL, are committed together, or rolled back when it
   * throws.
   */
  transactionSync<T>(work: () => T): T;
  /** Time of the object's alarm, in milliseconds since 1970; null when none is set. */
  getAlarm(): Promise<number | null>;
  /**
   * Sets the object's only alarm: milliseconds since 1970, or a date. A time in the past is due at
   * once.
   */
  setAlarm(time: number | Date): Promise<void>;
  /** Deletes the alarm, if one is set. */
  deleteAlarm(): Promise<void>;
  /** Waits until all writes are durable. */
  sync(): Promise<void>;
  /** The object's SQLite database. */
  readonly sql: ObjectSql;
  /** Synchronous access to the keys of `get` and `put`. */
  readonly kv: ObjectKv;
}

/** Id of a durable object. */
export interface DurableObjectName {
  /** Name that `idFromName()` derived the id from; left out for other ids. */
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
  /** Receives work that continues after the response. */
  waitUntil(work: Promise<unknown>): void;
  /** Blocks all other events of the object until the function has ended. */
  blockConcurrencyWhile<T>(work: () => Promise<T>): Promise<T>;
  /** Resets the object with an error; the next call starts a new instance with the same storage. */
  abort(reason?: string): void;
  /** Accepts a socket that survives the object's hibernation, with at most 10 tags to find it by. */
  acceptWebSocket(socket: WebSocket, tags?: string[]): void;
  /** Open sockets that were accepted: all, or those with a tag. */
  getWebSockets(tag?: string): WebSocket[];
  /** Tags with which a socket was accepted. */
  getTags(socket: WebSocket): string[];
}

/** Durable object that can be called. */
export interface DurableObjectCaller {
  /** Sends a request to the object's `fetch`. */
  fetch(request: Request | string | URL, init?: RequestInit): Promise<Response>;
}

/** Handlers of a durable object, which the platform calls. Stubs have only `fetch`. */
export interface DurableObjectHandlers {
  /** Answers a request to the object. */
  fetch?(request: Request): Response | Promise<Response>;
  /** Called at the time of `setAlarm()`; retried after an error, with a delay. */
  alarm?(info?: { retryCount: number; isRetry: boolean }): void | Promise<void>;
  /** Called for a message on a socket of `acceptWebSocket()`. */
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

/** Stub of a durable object: the methods of its class, each of which returns a promise. */
export type DurableObjectStub<T = unknown> =
  & DurableObjectCaller
  & {
    readonly [K in Exclude<keyof T, keyof DurableObjectHandlers | "ctx" | "env">]: T[K] extends
      (...args: infer A) => infer R ? (...args: A) => Promise<Awaited<R>>
      : Promise<Awaited<T[K]>>;
  };

/** Namespace of all durable objects of a class. */
export interface DurableObjectNamespace<T = unknown> {
  /** Returns the id of the object with this name. */
  idFromName(name: string): DurableObjectName;
  /** Parses an id from `toString()`. */
  idFromString(id: string): DurableObjectName;
  /** Creates a new id without a name: store it as text. */
  newUniqueId(): DurableObjectName;
  /** Returns the stub of the object with this id. */
  get(id: DurableObjectName): DurableObjectStub<T>;
  /** Returns the stub of the object with this name. */
  getByName(name: string): DurableObjectStub<T>;
}
