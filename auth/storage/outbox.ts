/**
 * Events that are to be delivered: port, SQL and accessor.
 *
 * @module
 */

import { findRunningRequest } from "../lib/runtime.ts";
import type { Occurrence } from "../types/events.ts";
import type { SqlParts, StorageGroup } from "./group.ts";
import { proofOf } from "./outbox_proofs.ts";
import { createTogether, type ExpectedMessage, waitIn } from "./outbox_together.ts";
import { TENANT_PREFIX } from "./webhook_endpoints.ts";
import {
  columnsOf,
  type Fields,
  isText,
  isTextOrNull,
  isTime,
  isTimeOrNull,
  type Row,
  valuesOf,
} from "./rows.ts";
import { changesOf } from "./sql_executor.ts";

/** A message on its way to one destination, or to all of them. */
export interface OutboxRecord {
  /** Id of the event. */
  id: string;
  /** Id of the destination; "" until it is known who gets it. */
  destination: string;
  /** Type of the event. */
  type: string;
  /** Fields of the event as JSON. */
  text: string;
  /** Time of the event, in milliseconds since 1970. */
  at: number;
  /** Number of tries that have failed. */
  tries: number;
  /** Time of the next try, in milliseconds since 1970; null when there is none any more. */
  dueAt: number | null;
  /** Failure of the last try; null for none. */
  failure: string | null;
}

/** A message as its runner has it. */
export interface LeasedMessage {
  /** Id of the event. */
  id: string;
  /** Id of the destination. */
  destination: string;
  /** Text that the runner has made up for this lease. */
  lease: string;
}

/** Selection of messages. */
export interface LeaseOptions {
  /** Random text of the runner. */
  lease: string;
  /** The time, in milliseconds since 1970. */
  now: number;
  /** Time at which others may take them, in milliseconds since 1970. */
  until: number;
  /** Maximum number of messages. */
  limit: number;
  /**
   * Lanes whose messages are left out, at most 60: ids of destinations, and of those of a tenant the first 20 characters, by
   * which all of them begin: one text leaves out all that go to the tenant. Default: none.
   */
  without?: readonly string[];
  /**
   * True where tenants take turns: one message of each before the second of any, at least among the 200 that are due longest
   * and not left out; what goes to no tenant comes by its time alone. Default: those that are due longest come first, whosever
   * they are.
   */
  byTurns?: boolean;
}

/** Selection of messages that are no longer tried. */
export interface DeadRange {
  /** Id of the destination. Default: any. */
  destination?: string | undefined;
  /** Place after which the list goes on. Default: from the oldest. */
  after?: Pick<OutboxRecord, "id" | "destination"> | undefined;
  /** Maximum number of messages. */
  limit: number;
}

/** Operations on events that are to be delivered. */
export interface OutboxStorage {
  /** Stores messages; one whose id and destination are there stays as it is. Safe to repeat. */
  putMessages(messages: readonly OutboxRecord[]): Promise<void>;
  /**
   * Has what this request writes from now on store a message in the same transaction, once the change that the event tells
   * of has been made in it. A storage that cannot says that it has stored nothing.
   *
   * @param event The event, by whose type the storage knows the change.
   * @param since Time from which on the change counts, in milliseconds since 1970.
   */
  prepareMessage(
    message: OutboxRecord,
    event: Occurrence & { subject?: string | undefined },
    since: number,
  ): ExpectedMessage;
  /** Removes messages of events that nobody has begun to deliver. Safe to repeat. */
  dropMessages(ids: readonly string[]): Promise<void>;
  /**
   * Leases messages that are due, in the order in which they are to be tried: nobody else is given them until the lease is
   * over. Of several at once one has each, and none is told that there are none while there are. Safe to repeat.
   */
  leaseMessages(options: LeaseOptions): Promise<OutboxRecord[]>;
  /**
   * Removes a message that is leased, and stores others in its place, all or nothing. False when the lease is another's.
   * Safe to repeat.
   */
  endMessage(message: LeasedMessage, others?: readonly OutboxRecord[]): Promise<boolean>;
  /** Notes a failed try of a message that is leased, and gives the lease back. False when it is another's. Safe to repeat. */
  putOffMessage(
    message: LeasedMessage,
    next: Pick<OutboxRecord, "tries" | "dueAt" | "failure">,
  ): Promise<boolean>;
  /** Lists messages that are no longer tried, by id and destination. Safe to repeat. */
  listDeadMessages(range: DeadRange): Promise<OutboxRecord[]>;
  /** Has a message that is no longer tried be tried again from `now` on; false when there is none. Safe to repeat. */
  reviveMessage(message: Pick<OutboxRecord, "id" | "destination">, now: number): Promise<boolean>;
  /** Removes messages that are no longer tried, of events before a time, at most `limit`; returns how many. Safe to repeat. */
  dropDeadMessages(before: number, limit: number): Promise<number>;
}

/** Characters by which destinations of one tenant begin alike: the prefix, `wh_`, and ten digits that are the tenant's. */
const LANE_LENGTH = 20;

/** The lane of a destination: all destinations of a tenant are in one, and any other is in a lane of its own. */
export function laneOf(destination: string): string {
  return destination.startsWith(TENANT_PREFIX) ? destination.slice(0, LANE_LENGTH) : destination;
}

/** Messages among which those of other lanes are looked for. */
const LOOKED_AT = 100_000;
/** Messages among which tenants take turns. */
const QUEUED = 200;
/** Times that a runner looks for messages when others take those that it has seen. */
const TRIES = 5;

const MESSAGE: Fields<OutboxRecord> = {
  id: isText,
  destination: isText,
  type: isText,
  text: isText,
  at: isTime,
  tries: isTime,
  dueAt: isTimeOrNull,
  failure: isTextOrNull,
};

/** The statements. */
function writeStatements() {
  const columns = columnsOf(MESSAGE);
  const values = "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8";
  const insert = `INSERT INTO auth_outbox (${columns})`;
  const once = "ON CONFLICT (id, destination) DO NOTHING";
  const leased = "id = ?1 AND destination = ?2 AND lease = ?3";
  const dead = "due_at IS NULL AND failure IS NOT NULL";
  const isTenants = `substr(destination, 1, ${TENANT_PREFIX.length}) = '${TENANT_PREFIX}'`;
  const lane =
    `CASE WHEN ${isTenants} THEN substr(destination, 1, ${LANE_LENGTH}) ELSE destination END`;
  return {
    /** ?1 to ?8 the columns. */
    put: `${insert} VALUES (${values}) ${once}`,
    /** ?1 to ?8 the columns, and the values of a condition from ?9 on. */
    putWhere: (condition: string) => `${insert} SELECT ${values} WHERE ${condition} ${once}`,
    /** ?1 id, ?2 time, and the values of a condition from ?3 on. */
    confirm: (condition: string) =>
      `UPDATE auth_outbox SET due_at = ?2 WHERE id = ?1 AND destination = '' AND due_at IS NULL AND ${condition}`,
    /** ?1 id. */
    refute: "DELETE FROM auth_outbox WHERE id = ?1 AND destination = '' AND due_at IS NULL",
    /** ?1 id, and the values of a condition from ?2 on. */
    drop: (condition: string = "") =>
      `DELETE FROM auth_outbox WHERE id = ?1 AND destination = '' AND lease IS NULL${condition}`,
    /** ?1 now, ?2 limit, and lanes that are left out from ?3 on. */
    due(without: number, byTurns: boolean) {
      // Each in the order of the index, by which the look ends at the last one that is wanted.
      let from = "auth_outbox WHERE due_at <= ?1";
      if (without > 0) {
        const places = Array.from({ length: without }, (_, index) => `?${index + 3}`).join(", ");
        from = `(SELECT ${columns} FROM ${from} ORDER BY due_at LIMIT ${LOOKED_AT}) AS waiting
WHERE ${lane} NOT IN (${places})`;
      }
      if (!byTurns) {
        const order = without > 0 ? "due_at" : "due_at, id, destination";
        return `SELECT ${columns} FROM ${from} ORDER BY ${order} LIMIT ?2`;
      }
      // What is no tenant's comes by its time alone.
      return `SELECT ${columns} FROM (SELECT ${columns}, CASE WHEN ${isTenants}
THEN ROW_NUMBER() OVER (PARTITION BY ${lane} ORDER BY due_at, id, destination) ELSE 1 END AS turn
FROM (SELECT ${columns} FROM ${from} ORDER BY due_at LIMIT ${QUEUED}) AS queue) AS queued
ORDER BY turn, due_at, id, destination LIMIT ?2`;
    },
    /** ?1 id, ?2 destination, ?3 lease, ?4 end of the lease, ?5 when it was due. */
    lease: `UPDATE auth_outbox SET lease = ?3, due_at = ?4
WHERE id = ?1 AND destination = ?2 AND (due_at = ?5 OR lease = ?3)`,
    /** ?1 id, ?2 destination, ?3 lease. */
    end: `DELETE FROM auth_outbox WHERE ${leased}`,
    /** ?1 to ?8 the columns, ?9 destination of the message before, ?10 its lease. */
    putInPlace: `${insert} SELECT ${values}
WHERE EXISTS (SELECT 1 FROM auth_outbox AS leased WHERE leased.id = ?1 AND leased.destination = ?9 AND leased.lease = ?10)
${once}`,
    /** ?1 id, ?2 destination, ?3 lease, ?4 tries, ?5 next time, ?6 failure. */
    putOff:
      `UPDATE auth_outbox SET lease = NULL, tries = ?4, due_at = ?5, failure = ?6 WHERE ${leased}`,
    /** ?1 id and ?2 destination of the last one before, ?3 limit, ?4 destination. */
    dead: (isOne: boolean) =>
      `SELECT ${columns} FROM auth_outbox WHERE ${dead} AND id >= ?1 AND (id > ?1 OR destination > ?2)${
        isOne ? " AND destination = ?4" : ""
      } ORDER BY id, destination LIMIT ?3`,
    /** ?1 id, ?2 destination, ?3 now. */
    revive:
      `UPDATE auth_outbox SET due_at = ?3, tries = 0 WHERE id = ?1 AND destination = ?2 AND ${dead}`,
    /** ?1 time, ?2 limit. */
    oldDead:
      `SELECT id, destination FROM auth_outbox WHERE ${dead} AND at < ?1 ORDER BY at LIMIT ?2`,
    /** ?1 id, ?2 destination. */
    dropDead: `DELETE FROM auth_outbox WHERE id = ?1 AND destination = ?2 AND ${dead}`,
  };
}

// Pure, so that a bundle which has no use for them leaves them out.
const text = /* @__PURE__ */ writeStatements();

/** Makes the operations on events that are to be delivered. */
function createOutboxOperations({ executor, reader }: SqlParts): OutboxStorage {
  const { prepare, batch, repeat } = executor;

  return {
    putMessages(messages) {
      return repeat("store the events", async () => {
        if (messages.length > 0) {
          await batch(messages.map((one) => prepare(text.put).bind(...valuesOf(MESSAGE, one))));
        }
      });
    },
    prepareMessage(message, event, since) {
      const request = findRunningRequest();
      const proof = proofOf(event, since);
      if (request === undefined || proof === null) {
        return { end: () => false, recheck: () => Promise.resolve() };
      }
      executor.divert((database) => createTogether(database, text));
      const isUndone = ` AND ${proof.gone ? "" : "NOT "}${proof.exists(1)}`;
      return waitIn(request, {
        values: valuesOf(MESSAGE, message),
        proof,
        recheck: () =>
          repeat("drop an event", async () => {
            await prepare(text.drop(isUndone)).bind(message.id, ...proof.values).run();
          }),
      });
    },
    dropMessages(ids) {
      return repeat("drop events", async () => {
        if (ids.length > 0) await batch(ids.map((id) => prepare(text.drop()).bind(id)));
      });
    },
    leaseMessages({ lease, now, until, limit, without = [], byTurns = false }) {
      return repeat("lease events", async () => {
        const select = prepare(text.due(without.length, byTurns)).bind(now, limit, ...without);
        for (let tries = 0; tries < TRIES; tries++) {
          const { results } = await select.all<Row>();
          const due = results.map((row) => reader.record(row, MESSAGE))
            .filter((one) => one !== null);
          if (due.length === 0) return [];
          // In the order of their keys: two that lease the same ones wait for each other, and neither for ever.
          const sorted = [...due].sort(byKey);
          const leased = await batch(
            sorted.map(({ id, destination, dueAt }) =>
              prepare(text.lease).bind(id, destination, lease, until, dueAt)
            ),
          );
          const own = due.filter((one) => changesOf(leased[sorted.indexOf(one)]) > 0);
          if (own.length > 0) return own;
          // Another runner was quicker with all of these, and there may be more.
        }
        return [];
      });
    },
    endMessage({ id, destination, lease }, others = []) {
      return repeat("end the delivery of an event", async () => {
        const results = await batch([
          ...others.map((one) =>
            prepare(text.putInPlace).bind(...valuesOf(MESSAGE, one), destination, lease)
          ),
          prepare(text.end).bind(id, destination, lease),
        ]);
        return changesOf(results.at(-1)) > 0;
      });
    },
    putOffMessage({ id, destination, lease }, { tries, dueAt, failure }) {
      return repeat("put an event off", async () => {
        const put = prepare(text.putOff).bind(id, destination, lease, tries, dueAt, failure);
        return changesOf(await put.run()) > 0;
      });
    },
    listDeadMessages({ destination, after = { id: "", destination: "" }, limit }) {
      return repeat("list events that were not delivered", async () => {
        const list = prepare(text.dead(destination !== undefined));
        const values = [after.id, after.destination, limit];
        if (destination !== undefined) values.push(destination);
        const { results } = await list.bind(...values).all<Row>();
        return results.map((row) => reader.record(row, MESSAGE)).filter((one) => one !== null);
      });
    },
    reviveMessage({ id, destination }, now) {
      return repeat(
        "try an event again",
        async () => changesOf(await prepare(text.revive).bind(id, destination, now).run()) > 0,
      );
    },
    dropDeadMessages(before, limit) {
      return repeat("drop events that were not delivered", async () => {
        const { results } = await prepare(text.oldDead).bind(before, limit)
          .all<{ id: string; destination: string }>();
        if (results.length === 0) return 0;
        const dropped = await batch(
          results.map(({ id, destination }) => prepare(text.dropDead).bind(id, destination)),
        );
        return dropped.reduce((sum, result) => sum + changesOf(result), 0);
      });
    },
  };
}

/** Order of the keys of messages. */
export function byKey(a: OutboxRecord, b: OutboxRecord): number {
  return a.id < b.id || a.id === b.id && a.destination < b.destination ? -1 : 1;
}

/**
 * Group of operations on events that are to be delivered, for `groupOf()`.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, groupOf, outboxGroup } from "@framework/auth/storage";
 * import { deepEqual } from "node:assert/strict";
 *
 * const outbox = groupOf(createMemoryStorage(), outboxGroup);
 * deepEqual(await outbox.listDeadMessages({ limit: 10 }), []);
 * ```
 */
export const outboxGroup: StorageGroup<OutboxStorage> = {
  name: "outbox",
  sql: createOutboxOperations,
};
