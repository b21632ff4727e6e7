import {
  createObjectNamespace,
  type ObjectClass,
} from "../../testing/platform/durable_object_namespace.ts";
import type { ObjectRecord } from "../../testing/platform/durable_object_storage.ts";
import {
  RateLimitObject,
  type RateLimitObjectNamespace,
  type RateLimitObjectState,
} from "../rate_limit/durable_object.ts";

/** The testing package's namespace of the objects that count, and what tests want to know about them. */
export interface ObjectDouble extends RateLimitObjectNamespace<string> {
  /** Throws every object out of memory; what is stored stays. */
  evict(): void;
  /** Number of requests to objects. */
  asked: number;
  /** The next questions fail with these, in order. */
  failures: Error[];
  /** Moment at which an object wants to be woken; null for never. */
  alarm(name: string): Promise<number | null>;
  /** Wakes an object. */
  wake(name: string): Promise<void>;
  /** Number of tables that an object stores. */
  tables(name: string): number;
  close(): void;
}

interface State extends RateLimitObjectState {
  id: { name: string };
  storage: RateLimitObjectState["storage"] & { deleteAlarm(): Promise<void> };
  abort(reason: string): never;
}

/** Makes an empty namespace. */
export function createObjectDouble(): ObjectDouble {
  const records = new Map<string, ObjectRecord>();
  const living = new Map<string, { object: RateLimitObject; state: State }>();

  class Living extends RateLimitObject {
    constructor(state: State) {
      super(state);
      living.set(state.id.name, { object: this, state });
    }
  }

  const namespace = createObjectNamespace({
    binding: "LIMITS",
    className: "RateLimitObject",
    load: () => Promise.resolve(Living as ObjectClass),
    env: {},
    // The test wakes the objects.
    alarms: { changed() {}, wake: () => Promise.resolve() },
    waitUntil() {},
    run: (work) => work(),
    records,
    guard() {},
  });

  const double: ObjectDouble = {
    asked: 0,
    failures: [],
    idFromName: (name) => name,
    get: (name) => ({
      async fetch(url, init) {
        double.asked++;
        const failure = double.failures.shift();
        if (failure !== undefined) throw failure;
        return await namespace.getByName(name).fetch(url, init);
      },
    }),
    evict() {
      for (const { state } of living.values()) {
        try {
          state.abort("evicted");
        } catch {
          // It always throws.
        }
      }
    },
    alarm: (name) => living.get(name)!.state.storage.getAlarm(),
    async wake(name) {
      const { object, state } = living.get(name)!;
      await state.storage.deleteAlarm();
      await object.alarm();
    },
    tables(name) {
      const { sql } = living.get(name)!.state.storage;
      const tables = sql.exec("SELECT name FROM sqlite_master WHERE type = 'table'").toArray();
      return tables.length;
    },
    close() {
      for (const { database } of records.values()) database?.close();
    },
  };
  return double;
}
