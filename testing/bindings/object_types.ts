/** A value of a row: TEXT, INTEGER or REAL, NULL, and BLOB as an `ArrayBuffer`. */
export type ObjectSqlValue = string | number | null | ArrayBuffer;

/** What a query gave; rows are taken from it once. */
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
  /** How many rows the query has looked at so far, by which the platform bills. */
  readonly rowsRead: number;
  /** How many rows the query has written so far, by which the platform bills. */
  readonly rowsWritten: number;
}

/** The object's own SQLite database. */
export interface ObjectSql {
  /** Runs one statement, or several of which the last one gives the rows and takes the values. */
  exec<T = Record<string, ObjectSqlValue>>(sql: string, ...values: unknown[]): ObjectSqlCursor<T>;
  /** Size of the database in bytes. */
  readonly databaseSize: number;
}

/** Which keys are listed, and in which order. */
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
  /** What the keys begin with. Default: anything. */
  prefix?: string;
  /** True for descending order; `start` and `end` stay what they are. Default false. */
  reverse?: boolean;
  /** How many keys at most. Default: all. */
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

/** What a transaction's function is given. */
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
  /** When `alarm()` of the object is due, in milliseconds since 1970; null when no alarm is set. */
  getAlarm(): Promise<number | null>;
  /**
   * Sets the one alarm of the object: milliseconds since 1970, or a date. A moment that is past is
   * due at once.
   */
  setAlarm(time: number | Date): Promise<void>;
  /** Takes the alarm away, if one is set. */
  deleteAlarm(): Promise<void>;
  /** Waits until everything is written; here it is at once. */
  sync(): Promise<void>;
  /** The object's SQLite database. */
  readonly sql: ObjectSql;
  /** The same keys as those of `get` and `put`, without promises. */
  readonly kv: ObjectKv;
}
