// deno-lint-ignore-file require-await -- what an operation throws must be a rejection

/**
 * Events to deliver of the memory storage.
 *
 * @module
 */

import { type KeptMessage, keyOf, type MemoryState, removeFrom } from "./memory_state.ts";
import { laneOf, type OutboxRecord, type OutboxStorage } from "./outbox.ts";

function isBefore(a: OutboxRecord, b: Pick<OutboxRecord, "id" | "destination">): boolean {
  return a.id < b.id || a.id === b.id && a.destination < b.destination;
}

function inOrder(a: OutboxRecord, b: OutboxRecord): number {
  return isBefore(a, b) ? -1 : 1;
}

function copy({ lease: _lease, ...record }: KeptMessage): OutboxRecord {
  return record;
}

/** Makes the operations on events to deliver. No body waits, which is what makes it atomic. */
export function createMemoryOutbox({ messages }: MemoryState): OutboxStorage {
  function put(record: OutboxRecord): void {
    const key = keyOf(record.id, record.destination);
    if (!messages.has(key)) messages.set(key, { ...record, lease: null });
  }

  function find(
    { id, destination }: Pick<OutboxRecord, "id" | "destination">,
  ): KeptMessage | undefined {
    return messages.get(keyOf(id, destination));
  }

  const isDead = ({ dueAt, failure }: OutboxRecord) => dueAt === null && failure !== null;

  return {
    async putMessages(given) {
      for (const record of given) put(record);
    },
    // Nothing of it outlives the process, so nothing is lost between two calls.
    prepareMessage: () => ({ end: () => false, recheck: () => Promise.resolve() }),
    async dropMessages(ids) {
      removeFrom(
        messages,
        ({ id, destination, lease }) => ids.includes(id) && destination === "" && lease === null,
      );
    },
    async leaseMessages({ lease, now, until, limit, without = [], byTurns = false }) {
      const turns = new Map<string, number>();
      function turnOf({ destination }: OutboxRecord): number {
        const lane = laneOf(destination);
        if (!byTurns || lane === destination) return 1;
        const turn = (turns.get(lane) ?? 0) + 1;
        turns.set(lane, turn);
        return turn;
      }
      const leased = [...messages.values()]
        .filter(({ dueAt }) => dueAt !== null && dueAt <= now)
        .filter(({ destination }) => !without.includes(laneOf(destination)))
        .sort((a, b) => a.dueAt! - b.dueAt! || inOrder(a, b))
        .map((one) => ({ one, turn: turnOf(one) }))
        .sort((a, b) => a.turn - b.turn)
        .slice(0, limit);
      return leased.map(({ one }) => {
        const record = copy(one);
        Object.assign(one, { lease, dueAt: until });
        return record;
      });
    },
    async endMessage(message, others = []) {
      if (find(message)?.lease !== message.lease) return false;
      for (const other of others) put(other);
      return messages.delete(keyOf(message.id, message.destination));
    },
    async putOffMessage(message, next) {
      const found = find(message);
      if (found?.lease !== message.lease) return false;
      Object.assign(found, next, { lease: null });
      return true;
    },
    async listDeadMessages({ destination, after = { id: "", destination: "" }, limit }) {
      return [...messages.values()]
        .filter((one) => isDead(one) && (destination ?? one.destination) === one.destination)
        .filter((one) =>
          !isBefore(one, after) && !(one.id === after.id && one.destination === after.destination)
        )
        .sort(inOrder)
        .slice(0, limit)
        .map(copy);
    },
    async reviveMessage(message, now) {
      const found = find(message);
      if (found === undefined || !isDead(found)) return false;
      Object.assign(found, { dueAt: now, tries: 0 });
      return true;
    },
    async dropDeadMessages(before, limit) {
      const old = [...messages.values()]
        .filter((one) => isDead(one) && one.at < before)
        .sort((a, b) => a.at - b.at || inOrder(a, b))
        .slice(0, limit);
      return removeFrom(messages, (one) => old.includes(one));
    },
  };
}
