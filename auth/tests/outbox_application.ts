import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createAuth } from "../app/create_auth.ts";
import type { AuthOptions } from "../app/options.ts";
import { sqlite } from "../storage/sqlite.ts";
import type { Destination, OutboxMessage } from "../outbox/message.ts";
import { outbox, type OutboxOptions } from "../outbox/outbox.ts";

export const NOW = Date.UTC(2026, 10, 28);
export const DAY = 86_400_000;

/** A message as a destination was given it. */
export interface Arrived extends OutboxMessage {
  attempt: number;
}

/** A destination that fails as often as it is told. */
export function destination(id: string, rest: Partial<Destination> = {}) {
  const arrived: Arrived[] = [];
  const failures: unknown[] = [];
  const one: Destination = {
    id,
    deliver(message, { attempt }) {
      const failure = failures.shift();
      if (failure !== undefined) return Promise.reject(failure);
      arrived.push({ ...message, attempt });
      return Promise.resolve();
    },
    ...rest,
  };
  return { one, arrived, failures };
}

/** An application with an outbox over SQLite, whose background work a request waits for. */
export function open(options: OutboxOptions, rest: Partial<AuthOptions> = {}) {
  const file = new DatabaseSync(":memory:");
  const clock = { now: NOW };
  const logged: [string, Record<string, unknown>][] = [];
  const log = (event: string, fields?: object) => void logged.push([event, { ...fields }]);
  const auth = createAuth({
    database: sqlite(file),
    secret: "a secret of at least thirty-two bytes",
    providers: [outbox(options)],
    now: () => clock.now,
    logger: { info() {}, warn: log, error: log },
    ...rest,
  });
  const background: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>) => void background.push(work);
  async function run(work: () => Promise<unknown>): Promise<void> {
    const request = new Request("http://localhost/", { method: "POST" });
    const info = { waitUntil, clientAddress: "203.0.113.7" };
    const response = await auth.run(request, {}, info, async () => {
      await work();
      return new Response();
    });
    assert.equal(response.status, 200, await response.text());
    while (background.length > 0) await background.shift();
  }
  const rows = () => file.prepare("SELECT type, destination FROM auth_outbox").all();
  return { auth, clock, file, logged, run, rows, [Symbol.dispose]: () => file.close() };
}

/** Result of a call that has nothing to deliver. */
export const NONE = { delivered: 0, failed: 0, dead: 0, more: false };
