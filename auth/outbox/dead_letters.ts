/**
 * Events that could not be delivered: list, and another try.
 *
 * @module
 */

import type { EndpointModule, Settings } from "../core/contracts.ts";
import { currentRequest } from "../core/request.ts";
import { ConfigurationError, RequestError } from "../errors.ts";
import { isStorable } from "../lib/encoding.ts";
import { byKey, outboxGroup, type OutboxRecord, type OutboxStorage } from "../storage/outbox.ts";
import { groupOf } from "../storage/storage.ts";
import { tenantsOf } from "./destination.ts";
import { dataOf, type OutboxData } from "./message.ts";

/** An event that could not be delivered to a destination. */
export interface DeadLetter {
  /** Id of the event. */
  id: string;
  /** Id of the destination. */
  destination: string;
  /** Type of the event. */
  type: string;
  /** Time of the event. */
  at: Date;
  /** Number of tries. */
  tries: number;
  /** Failure of the last one. */
  failure: string;
  /** Fields of the event. */
  data: OutboxData;
}

/** Options for {@linkcode deadLetters}. */
export interface DeadLettersOptions {
  /**
   * Id of a tenant: events for the addresses that it has set, see `tenantWebhooks()`, and no others. None are found where the
   * value is no id, such as undefined. Default: events of all destinations.
   */
  tenantId?: string;
  /** Id of a destination. Default: any. */
  destination?: string | undefined;
  /** Place from which the list goes on, as the page before said it. Default: from the oldest. */
  after?: string | null | undefined;
  /** Maximum number of events, 1 to 500. Default 50. */
  limit?: number | undefined;
}

/** Options for {@linkcode sendAgain}. */
export interface SendAgainOptions {
  /**
   * Id of the tenant who asks: the event has to be one for an address that it has set. It is none where the value is no id,
   * such as undefined. Default: an event for any destination.
   */
  tenantId?: string;
}

/** A page of events that could not be delivered. */
export interface DeadLetters {
  /** Events, the oldest first. */
  letters: DeadLetter[];
  /** Place from which the next page goes on; null at the end. */
  after: string | null;
}

function outboxOf(settings: Settings): OutboxStorage {
  if (!settings.modules.some((one) => "deliver" in (one as EndpointModule))) {
    throw new ConfigurationError(
      "The application has no outbox: put outbox() among the providers",
      {
        field: "providers",
      },
    );
  }
  return groupOf(settings.storage, outboxGroup);
}

function letterOf({ id, destination, type, at, tries, failure, text }: OutboxRecord): DeadLetter {
  const data = dataOf(text);
  return { id, destination, type, at: new Date(at), tries, failure: failure!, data };
}

/**
 * Destinations whose events are meant; undefined for all. A tenant has the addresses that are there now: not those that it
 * has removed, and not those of a tenant that had its id before.
 */
async function destinationsOf(
  options: SendAgainOptions,
  settings: Settings,
): Promise<string[] | undefined> {
  // An id that is missing by mistake must not mean everybody.
  if (!("tenantId" in options)) return undefined;
  const { tenantId } = options;
  return isName(tenantId) ? await tenantsOf(settings).list(settings, tenantId) : [];
}

/** Tells if a text may be the id of an event, a destination or a tenant: PostgreSQL fails at one that has NUL. */
function isName(value: unknown): value is string {
  return typeof value === "string" && isStorable(value, 300);
}

function readPlace(after: string | null | undefined): Pick<OutboxRecord, "id" | "destination"> {
  if (after === null || after === undefined) return { id: "", destination: "" };
  const [, id, destination] = /^(evt_[0-9a-f]+) ([\w.:-]+)$/.exec(after) ?? [];
  if (id !== undefined && destination !== undefined) return { id, destination };
  throw new RequestError("`after` is a place that the page before said, or null");
}

/**
 * Lists the events of `outbox()` that could not be delivered: all tries of three days have failed, or the receiver has said
 * that it takes no more. They are kept for 30 days, see `keep` of {@linkcode outbox}.
 *
 * It is not checked who asks: they name users. The page of a team gives `tenantId`, whose letters are those of the addresses
 * that the team has set.
 *
 * @param options Tenant, destination, place and number. Default: the oldest 50 of all destinations.
 * @throws {RequestError} When the place or the number is none.
 * @throws {ConfigurationError} When the application has no outbox, or for a tenant no `tenantWebhooks()`.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, deadLetters, outbox } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   providers: [outbox({ destinations: [{ id: "crm", deliver: () => Promise.resolve() }] })],
 * });
 * await auth.run(new Request("http://localhost/"), {}, undefined, async () => {
 *   deepEqual(await deadLetters(), { letters: [], after: null });
 *   return new Response();
 * });
 * ```
 */
export async function deadLetters(options: DeadLettersOptions = {}): Promise<DeadLetters> {
  const { destination, after, limit = 50 } = options;
  const { settings } = currentRequest("deadLetters").auth;
  const storage = outboxOf(settings);
  if (!Number.isInteger(limit) || limit < 1 || limit > 500) {
    throw new RequestError("`limit` is a number from 1 to 500");
  }
  const place = readPlace(after);
  if (destination !== undefined && !isName(destination)) return { letters: [], after: null };
  const own = await destinationsOf(options, settings);
  const wanted = own?.filter((id) => (destination ?? id) === id) ?? [destination];
  const lists = await Promise.all(
    wanted.map((destination) =>
      storage.listDeadMessages({ destination, after: place, limit: limit + 1 })
    ),
  );
  const found = lists.flat().sort(byKey);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1)! : null;
  return {
    letters: page.map(letterOf),
    after: last && `${last.id} ${last.destination}`,
  };
}

/**
 * Has an event be tried again that could not be delivered, at once and then for three days more. `auth.deliver()` delivers
 * it, under the id that it had.
 *
 * @param letter The event and its destination, as {@linkcode deadLetters} lists them.
 * @param options The tenant of whose letters it has to be, where a team asks. Default: a letter of any destination.
 * @returns False when there is no such dead letter, or it is not one of the tenant's.
 * @throws {ConfigurationError} When the application has no outbox, or for a tenant no `tenantWebhooks()`.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, outbox, sendAgain } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   providers: [outbox({ destinations: [{ id: "crm", deliver: () => Promise.resolve() }] })],
 * });
 * await auth.run(new Request("http://localhost/", { method: "POST" }), {}, undefined, async () => {
 *   equal(await sendAgain({ id: "evt_1", destination: "crm" }), false);
 *   return new Response();
 * });
 * ```
 */
export async function sendAgain(
  { id, destination }: Pick<DeadLetter, "id" | "destination">,
  options: SendAgainOptions = {},
): Promise<boolean> {
  const { settings } = currentRequest("sendAgain").auth;
  const storage = outboxOf(settings);
  if (!isName(id) || !isName(destination)) return false;
  const own = await destinationsOf(options, settings);
  if (own?.includes(destination) === false) return false;
  return await storage.reviveMessage({ id, destination }, settings.now());
}
