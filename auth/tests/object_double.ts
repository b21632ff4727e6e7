import { DatabaseSync } from "node:sqlite";
import {
  RateLimitObject,
  type RateLimitObjectNamespace,
  type RateLimitObjectState,
} from "../rate_limit/durable_object.ts";

/** A namespace of objects in this process, over SQLite. */
export interface ObjectDouble extends RateLimitObjectNamespace<string> {
  /** Throws every object out of memory; what is stored stays. */
  evict(): void;
  /** How often an object was asked. */
  asked: number;
  /** The next questions fail with these, in order. */
  failures: Error[];
  /** When each object wants to be woken, by name. */
  alarms: Map<string, number>;
  /** Wakes an object. */
  wake(name: string): Promise<void>;
  /** How many tables an object stores. */
  tables(name: string): number;
  close(): void;
}

/** Makes an empty namespace. */
export function createObjectDouble(): ObjectDouble {
  const databases = new Map<string, DatabaseSync>();
  const objects = new Map<string, RateLimitObject>();

  function databaseOf(name: string): DatabaseSync {
    const database = databases.get(name) ?? new DatabaseSync(":memory:");
    databases.set(name, database);
    return database;
  }

  function stateOf(name: string): RateLimitObjectState {
    return {
      storage: {
        sql: {
          exec(sql, ...values) {
            const rows = databaseOf(name).prepare(sql).all(...values);
            return { toArray: () => rows };
          },
        },
        getAlarm: () => Promise.resolve(double.alarms.get(name) ?? null),
        setAlarm: (time) => Promise.resolve(void double.alarms.set(name, time)),
        deleteAll() {
          databaseOf(name).exec("DROP TABLE IF EXISTS rate_limits");
          return Promise.resolve();
        },
      },
    };
  }

  function objectOf(name: string): RateLimitObject {
    const object = objects.get(name) ?? new RateLimitObject(stateOf(name));
    objects.set(name, object);
    return object;
  }

  const double: ObjectDouble = {
    asked: 0,
    failures: [],
    alarms: new Map(),
    idFromName: (name) => name,
    get: (name) => ({
      async fetch(url, init) {
        double.asked++;
        await Promise.resolve();
        const failure = double.failures.shift();
        if (failure !== undefined) throw failure;
        return await objectOf(name).fetch(new Request(url, init));
      },
    }),
    evict: () => objects.clear(),
    async wake(name) {
      double.alarms.delete(name);
      await objectOf(name).alarm();
    },
    tables(name) {
      const row = databaseOf(name).prepare(
        "SELECT COUNT(*) AS n FROM sqlite_master WHERE type = 'table'",
      )
        .get();
      return Number(row!.n);
    },
    close() {
      for (const database of databases.values()) database.close();
    },
  };
  return double;
}
