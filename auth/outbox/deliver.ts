/**
 * Delivery of stored events: leases, tries, back-off and dead letters.
 *
 * @module
 */

import type { Delivered, DeliverOptions, Settings } from "../core/contracts.ts";
import { DeliveryError } from "./errors.ts";
import { toHex } from "../lib/encoding.ts";
import { checkKeys, wrongOption } from "../lib/options.ts";
import { isWorkerPlatform } from "../lib/runtime.ts";
import { randomBytes } from "../lib/secret.ts";
import { laneOf, outboxGroup, type OutboxRecord, type OutboxStorage } from "../storage/outbox.ts";
import { groupOf } from "../storage/storage.ts";
import { type CheckedOutbox, DAY, isFor } from "./destination.ts";
import { dataOf, type Destination, type OutboxMessage } from "./message.ts";

/** Seconds before each further try: ten in three days. */
const PAUSES: readonly number[] = [
  5,
  60,
  300,
  1800,
  7200,
  18_000,
  36_000,
  50_400,
  72_000,
  72_000,
];

/** Milliseconds of one try. */
const TRY = 10_000;
/** Milliseconds after which a destination keeps others waiting. */
const SLOW = 2000;
/** Milliseconds for which a lane that was slow comes behind the others: a cron job of each minute asks it again. */
const BEHIND = 45_000;
/** Lanes that one statement names: a database has a number of values that a statement may have. */
const NAMED = 50;
/** Milliseconds for which nobody else is given what a runner has: many times of what its tries take. */
const LEASE = 60_000;
/** Messages that a tenant has in a call, until it comes behind all others that are due as long as there are any. */
const SHARE = 100;
/** Messages that are tried side by side. */
const ROUND = 20;

/** Time before the next try, in milliseconds; null after the last one. Half of it is by chance, so that not all come at once. */
export function pauseAfter(tries: number, chance: number): number | null {
  const seconds = PAUSES[tries - 1];
  return seconds === undefined ? null : Math.round(seconds * 1000 * (0.75 + chance / 2));
}

/** A number from 0 to below 1. */
function createChance(): number {
  const [a, b] = randomBytes(2) as unknown as [number, number];
  return (a * 256 + b) / 65_536;
}

/** Delivers what is due, see `auth.deliver()`. */
export async function deliverDue(
  settings: Settings,
  outbox: CheckedOutbox,
  options: DeliverOptions = {},
): Promise<Delivered> {
  checkKeys(options, ["limit", "seconds"], "");
  // D1 lets a call of a worker ask 1,000 times.
  const { limit = isWorkerPlatform() ? 300 : 1000, seconds = 20 } = options;
  if (!Number.isInteger(limit) || limit < 1) throw wrongOption("limit", limit, "a whole number");
  if (!(seconds > 0)) throw wrongOption("seconds", seconds, "a number of seconds above 0");
  const storage = groupOf(settings.storage, outboxGroup);
  const done: Delivered = { delivered: 0, failed: 0, dead: 0, more: false };
  const end = performance.now() + seconds * 1000;
  const had = new Map<string, number>();
  for (let left = limit;;) {
    const runner: Runner = { settings, outbox, storage, had, lease: toHex(randomBytes(16)) };
    const leased = await leaseNext(runner, Math.min(ROUND, left));
    if (leased.length === 0) break;
    // Each asks up to three times, whether it is shared out or delivered, and so does the lease of all.
    left -= leased.length + 1;
    for (const outcome of await Promise.all(leased.map((record) => handle(runner, record)))) {
      if (outcome !== null) done[outcome]++;
    }
    if (left <= 0 || performance.now() >= end) {
      done.more = true;
      break;
    }
  }
  // As many as a call can add, so that they do not become ever more; not so many that one transaction has them all.
  await storage.dropDeadMessages(settings.now() - outbox.keep, Math.min(limit, 1000));
  return done;
}

interface Runner {
  settings: Settings;
  outbox: CheckedOutbox;
  storage: OutboxStorage;
  /** Number of messages that each lane of a tenant has had since nobody else waited. */
  had: Map<string, number>;
  lease: string;
}

/**
 * Leases what comes next: tenants take turns, so that none has all of a round while others wait, and who has had its
 * share comes behind the others, which may wait behind more of it than the storage looks at. Lanes that were slow come behind
 * all others, whose events would wait for them else, and those that have failed slowly are not asked for a while.
 */
async function leaseNext(
  { settings, outbox: { slow, tenants }, storage, had, lease }: Runner,
  limit: number,
): Promise<OutboxRecord[]> {
  const now = settings.now();
  for (const [lane, { until }] of slow) if (until <= now) slow.delete(lane);
  const take = (without: readonly string[]) =>
    storage.leaseMessages({
      ...{ lease, now, until: now + LEASE, limit },
      without: without.slice(-NAMED),
      byTurns: tenants !== null,
    });
  const failing = [...slow].filter(([, { hasFailed }]) => hasFailed).map(([lane]) => lane);
  const sated = [...had].filter(([lane, count]) => count >= SHARE && !slow.has(lane))
    .map(([lane]) => lane);
  const behind = [...sated, ...slow.keys()];
  let leased = await take(behind);
  if (leased.length === 0 && failing.length < behind.length) {
    // Nobody else waits: to look for others in each round would read all of what is due each time.
    had.clear();
    leased = await take(failing);
  }
  for (const { destination } of leased) {
    const lane = laneOf(destination);
    if (tenants?.owns(destination)) had.set(lane, (had.get(lane) ?? 0) + 1);
  }
  return leased;
}

/** Tries a message, or shares one out that has no destination yet; null for the latter, and for one that nobody wants. */
async function handle(
  runner: Runner,
  record: OutboxRecord,
): Promise<"delivered" | "failed" | "dead" | null> {
  const { settings, outbox: { tenants, slow }, storage, lease } = runner;
  const { id, destination } = record;
  if (destination === "") {
    await storage.endMessage({ id, destination, lease }, await shareOut(runner, record));
    return null;
  }
  const attempt = record.tries + 1;
  const begun = performance.now();
  function note(how: { hasFailed: boolean }): void {
    // By the tenant: it could set an address anew, whose id nobody knows. To the end of the list, of which the newest are named.
    const lane = laneOf(destination);
    slow.delete(lane);
    slow.set(lane, { ...how, until: settings.now() + BEHIND });
  }
  try {
    const found = await findDestination(runner, destination);
    if (found === null && tenants?.owns(destination)) {
      // Its tenant has removed it, and wants nothing more.
      await storage.endMessage({ id, destination, lease });
      return null;
    }
    if (found === null) {
      throw new DeliveryError(
        "DELIVERY_UNREACHABLE",
        `No destination of outbox() has the id "${destination}"`,
      );
    }
    await deliverIn(TRY, found, messageOf(record), { attempt, now: settings.now() });
  } catch (error) {
    const isLate = error instanceof DeliveryError && error.code === "DELIVERY_TIMEOUT";
    if (isLate || performance.now() - begun > SLOW) note({ hasFailed: true });
    return await putOff(runner, record, error);
  }
  if (performance.now() - begun > SLOW) note({ hasFailed: false });
  // Somebody else has it when the lease is over: then it arrives twice.
  await storage.endMessage({ id, destination, lease });
  return "delivered";
}

/** The message for each destination that gets it. */
async function shareOut(
  { settings, outbox: { destinations, tenants } }: Runner,
  record: OutboxRecord,
): Promise<OutboxRecord[]> {
  const ids = destinations.filter((one) => isFor(one, record.type)).map(({ id }) => id);
  const { tenantId } = messageOf(record).data;
  if (tenants && typeof tenantId === "string") {
    ids.push(...await tenants.share(settings, record, tenantId));
  }
  // In the place that the event has, before those that came later.
  return ids.map((destination) => ({ ...record, destination }));
}

async function findDestination(
  { settings, outbox: { destinations, tenants } }: Runner,
  id: string,
): Promise<Destination | null> {
  if (tenants?.owns(id)) return await tenants.find(settings, id);
  return destinations.find((one) => one.id === id) ?? null;
}

function messageOf({ id, type, at, text }: OutboxRecord): OutboxMessage {
  return { id, type, at, data: dataOf(text) };
}

/** Tries a message once. One that is not over in time has failed, whatever becomes of it. */
export async function deliverIn(
  milliseconds: number,
  destination: Destination,
  message: OutboxMessage,
  circumstances: { attempt: number; now: number },
): Promise<void> {
  const stop = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new DeliveryError(
        "DELIVERY_TIMEOUT",
        `The destination "${destination.id}" did not take the event within ${
          milliseconds / 1000
        } seconds`,
      );
      stop.abort(error);
      // What ends by the signal says itself how: the status of an answer whose body drips counts.
      timer = setTimeout(() => reject(error));
    }, milliseconds);
  });
  try {
    const delivery = (async () =>
      await destination.deliver(message, { ...circumstances, signal: stop.signal }))();
    await Promise.race([delivery, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Notes a failed try, of which only what the library says itself is kept: anything else may hold a secret. */
async function putOff(
  { settings, storage, lease }: Runner,
  { id, destination, type, tries: before }: OutboxRecord,
  error: unknown,
): Promise<"failed" | "dead"> {
  const tries = before + 1;
  const now = settings.now();
  const { retryAt = 0, final = false }: Partial<DeliveryError> = error instanceof DeliveryError
    ? error
    : {};
  const pause = final ? null : pauseAfter(tries, createChance());
  const dueAt = pause === null ? null : Math.max(now + pause, Math.min(retryAt, now + DAY));
  const failure = error instanceof DeliveryError
    ? error.message.slice(0, 300)
    : `The destination failed with ${error instanceof Error ? error.name : "no error"}`;
  const fields = { event: id, type, destination, tries };
  if (dueAt === null) settings.logger.error("event-not-delivered", { ...fields, error });
  else settings.logger.warn("event-delivery-failed", { ...fields, error });
  await storage.putOffMessage({ id, destination, lease }, { tries, dueAt, failure });
  return dueAt === null ? "dead" : "failed";
}
