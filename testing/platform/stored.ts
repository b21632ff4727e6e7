import type { KvEntry } from "@framework/cli/testing";
import type { DatabaseSync } from "node:sqlite";
import type { CacheEntry } from "./cache.ts";
import type { ObjectRecord } from "./durable_object_storage.ts";
import type { WaitingMessage } from "./queue.ts";
import type { RateLimitCounts } from "./rate_limit.ts";
import type { SentEmail } from "./send_email.ts";
import type { R2Entry } from "./r2_object.ts";
import type { R2Upload } from "./r2_uploads.ts";
import { copyDatabase } from "./sqlite.ts";
import type { WorkflowRecord } from "./workflow_run.ts";

/** Data that the bindings of one context store, each by the name of its binding. */
export interface Stored {
  databases: Map<string, DatabaseSync>;
  kv: Map<string, Map<string, KvEntry>>;
  buckets: Map<string, Map<string, R2Entry>>;
  /** Uploads in parts by their bucket, then by id. */
  uploads: Map<string, Map<string, R2Upload>>;
  /** By the name of the queue. */
  queues: Map<string, WaitingMessage[]>;
  /** Sent mails by their binding. */
  emails: Map<string, SentEmail[]>;
  /** Responses in caches by the cache's name, then by address; copies of answers, which {@linkcode readStored} leaves out. */
  caches: Map<string, Map<string, CacheEntry>>;
  /** Counted calls by the namespace of the rate limit. */
  limits: Map<string, RateLimitCounts>;
  /** Instances by the name of their workflow, then by id. */
  workflows: Map<string, Map<string, WorkflowRecord>>;
  /** Durable objects by their class, then by id. */
  objects: Map<string, Map<string, ObjectRecord>>;
}

/** Stored data by name, such as `DB.users` for a table and `CACHE.key` for an entry: its rows. */
export type StoredState = Record<string, Record<string, unknown>[]>;

/** Creates empty storage. */
export function createStored(): Stored {
  return {
    databases: new Map(),
    kv: new Map(),
    buckets: new Map(),
    uploads: new Map(),
    queues: new Map(),
    emails: new Map(),
    caches: new Map(),
    limits: new Map(),
    workflows: new Map(),
    objects: new Map(),
  };
}

/** Copies everything; entries and messages are replaced and never changed, so their lists are copied. */
export function copyStored(stored: Stored): Stored {
  return {
    databases: mapValues(stored.databases, copyDatabase),
    kv: mapValues(stored.kv, (entries) => new Map(entries)),
    buckets: mapValues(stored.buckets, (entries) => new Map(entries)),
    uploads: mapValues(stored.uploads, (uploads) => new Map(uploads)),
    queues: mapValues(stored.queues, (messages) => [...messages]),
    emails: mapValues(stored.emails, (emails) => [...emails]),
    caches: mapValues(stored.caches, (entries) => new Map(entries)),
    limits: mapValues(
      stored.limits,
      ({ period, counts }) => ({ period, counts: new Map(counts) }),
    ),
    workflows: mapValues(stored.workflows, (records) => new Map(records)),
    objects: mapValues(
      stored.objects,
      (records) =>
        mapValues(records, ({ entries, database, alarm }) => ({
          entries: new Map(entries),
          ...(database === undefined ? {} : { database: copyDatabase(database) }),
          alarm,
        })),
    ),
  };
}

/** Closes the databases. */
export function closeStored({ databases, objects }: Stored): void {
  const records = [...objects.values()].flatMap((each) => [...each.values()]);
  for (const database of [...databases.values(), ...records.map((record) => record.database)]) {
    database?.close();
  }
}

/**
 * Reads what is stored, in a form that can be compared and shown.
 *
 * @param now Milliseconds since 1970: entries that have expired are left out.
 */
export function readStored(stored: Stored, now: number): StoredState {
  const state: StoredState = {};
  for (const [name, database] of stored.databases) readTables(database, name, state);
  for (const [name, entries] of stored.kv) {
    for (const [key, { bytes, metadata, expiration }] of entries) {
      if (expiration !== undefined && expiration * 1000 <= now) continue;
      state[`${name}.${key}`] = [{ value: bytes, metadata, expiration }];
    }
  }
  for (const [name, entries] of stored.buckets) {
    for (const [key, { bytes, version: _, etag: _etag, checksums: _sums, ...rest }] of entries) {
      state[`${name}.${key}`] = [{ ...rest, value: bytes }];
    }
  }
  for (const [name, uploads] of stored.uploads) {
    for (const [id, { parts, ...rest }] of uploads) {
      const rows = [...parts].map(([part, { bytes }]) => ({ part, value: bytes }));
      if (rest.state === "open") state[`${name} upload ${id.slice(0, 8)}`] = [rest, ...rows];
    }
  }
  for (const [name, messages] of stored.queues) {
    state[name] = messages.map(({ body, due }) => ({ body: body, due }));
  }
  for (const [name, emails] of stored.emails) {
    state[name] = emails.map(({ messageId: _, ...email }) => email);
  }
  for (const [name, records] of stored.workflows) {
    for (const [id, { steps, ...record }] of records) {
      const rows = [...steps].map(([step, value]) => ({ step, ...value }));
      state[`${name}.${id}`] = [record, ...rows];
    }
  }
  for (const [name, records] of stored.objects) {
    for (const [id, { entries, database, alarm }] of records) {
      const own = `${name}.${id.slice(0, 8)}`;
      for (const [key, value] of entries) state[`${own}.${key}`] = [{ value }];
      if (alarm !== null) state[`${own} alarm`] = [{ time: alarm }];
      if (database !== undefined) readTables(database, own, state);
    }
  }
  return state;
}

function readTables(database: DatabaseSync, name: string, state: StoredState): void {
  const tables = database.prepare(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  ).all();
  for (const { name: table } of tables) {
    const select = database.prepare(`SELECT * FROM "${String(table).replaceAll('"', '""')}"`);
    select.setReadBigInts(true);
    state[`${name}.${table}`] = select.all();
  }
  state[`${name} schema`] = tables.map(({ sql }) => ({ sql }));
}

function mapValues<T, U>(values: ReadonlyMap<string, T>, map: (value: T) => U): Map<string, U> {
  return new Map([...values].map(([name, value]) => [name, map(value)]));
}
