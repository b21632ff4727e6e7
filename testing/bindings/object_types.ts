/** A value of a row. */
export type ObjectSqlValue = string | number | null | ArrayBuffer;

/** What a query gave; rows are taken from it once. */
export interface ObjectSqlCursor<T> extends Iterable<T> {
  next(): { done?: false; value: T } | { done: true; value: undefined };
  toArray(): T[];
  /** The only row. */
  one(): T;
  /** The rows as lists of values. */
  raw<U extends ObjectSqlValue[] = ObjectSqlValue[]>(): IterableIterator<U> & { toArray(): U[] };
  readonly columnNames: string[];
  readonly rowsRead: number;
  readonly rowsWritten: number;
}

/** The object's own SQLite database. */
export interface ObjectSql {
  exec<T = Record<string, ObjectSqlValue>>(sql: string, ...values: unknown[]): ObjectSqlCursor<T>;
  readonly databaseSize: number;
}

/** Which keys to list. */
export interface ObjectListOptions {
  start?: string;
  startAfter?: string;
  /** The first key that is not listed. */
  end?: string;
  prefix?: string;
  reverse?: boolean;
  limit?: number;
}

/** Keys and values as a transaction has them. */
export interface ObjectEntries {
  get<T = unknown>(key: string): Promise<T | undefined>;
  get<T = unknown>(keys: string[]): Promise<Map<string, T>>;
  put<T>(key: string, value: T): Promise<void>;
  put<T>(entries: Record<string, T>): Promise<void>;
  delete(key: string): Promise<boolean>;
  delete(keys: string[]): Promise<number>;
  list<T = unknown>(options?: ObjectListOptions): Promise<Map<string, T>>;
}

/** Keys and values without promises. */
export interface ObjectKv {
  get<T = unknown>(key: string): T | undefined;
  put<T>(key: string, value: T): void;
  delete(key: string): boolean;
  list<T = unknown>(options?: ObjectListOptions): Iterable<[string, T]>;
}

/** What a transaction's function is given. */
export interface ObjectTransaction extends ObjectEntries {
  rollback(): void;
}

/** The storage of a durable object that has SQLite. */
export interface ObjectStorage extends ObjectEntries {
  deleteAll(): Promise<void>;
  transaction<T>(work: (transaction: ObjectTransaction) => Promise<T>): Promise<T>;
  transactionSync<T>(work: () => T): T;
  /** Milliseconds since 1970, or null. */
  getAlarm(): Promise<number | null>;
  setAlarm(time: number | Date): Promise<void>;
  deleteAlarm(): Promise<void>;
  sync(): Promise<void>;
  readonly sql: ObjectSql;
  readonly kv: ObjectKv;
}
