/**
 * Events that arrive: stored with the change that they tell of, and delivered until they have arrived.
 *
 * @module
 */

import type { EndpointModule, ExpectedEvents, RequestStore, Settings } from "../core/contracts.ts";
import type { Provider } from "../core/provider.ts";
import { alsoListening } from "../core/report.ts";
import { findRequest } from "../core/request.ts";
import { toHex } from "../lib/encoding.ts";
import { checkKeys, isOptions, wrongOption } from "../lib/options.ts";
import { randomBytes } from "../lib/secret.ts";
import { findActor } from "../session/actor.ts";
import { outboxGroup, type OutboxRecord, type OutboxStorage } from "../storage/outbox.ts";
import type { ExpectedMessage } from "../storage/outbox_together.ts";
import { TENANT_PREFIX } from "../storage/webhook_endpoints.ts";
import { groupOf } from "../storage/storage.ts";
import type { AuthEvent, Occurrence } from "../types/events.ts";
import { deliverDue } from "./deliver.ts";
import {
  type CheckedOutbox,
  DAY,
  isFor,
  readDestination,
  type TenantDestinations,
  type TenantWebhooks,
} from "./destination.ts";
import type { Destination } from "./message.ts";

/** Options for {@linkcode outbox}. */
export interface OutboxOptions {
  /** Receivers, such as `webhook()` makes them, or functions of the application. */
  destinations: readonly Destination[];
  /** Receivers that tenants set, as `tenantWebhooks()` makes them. Default: they set none. */
  tenants?: TenantWebhooks;
  /** Further fields of the messages: "address" is the address of the client. Default: none. */
  include?: readonly "address"[];
  /**
   * Days after the event for which messages are kept that could not be delivered, 5 or more: the tries are among them. Default
   * 30.
   */
  keep?: number;
}

function readOptions(options: unknown): CheckedOutbox {
  if (!isOptions(options)) throw wrongOption("outbox()", options, "an object with destinations");
  checkKeys(options, ["destinations", "tenants", "include", "keep"], "outbox()");
  const { destinations, tenants, include = [], keep = 30 } = options as unknown as OutboxOptions;
  if (!Array.isArray(destinations)) {
    throw wrongOption("destinations", destinations, "a list, such as [webhook({ url, secret })]");
  }
  const read = destinations.map(readDestination);
  for (const { id } of read) {
    if (read.filter((one) => one.id === id).length > 1) {
      throw wrongOption("destinations", id, "destinations of different ids");
    }
  }
  if (tenants !== undefined && tenants?.kind !== "tenant-webhooks") {
    throw wrongOption("tenants", tenants, "tenantWebhooks({ fetch: createPublicFetch() })");
  }
  const claimed = tenants && read.find(({ id }) => id.startsWith(TENANT_PREFIX));
  if (claimed) {
    // Its events would be looked for among the addresses of tenants, and dropped as those of one that is removed.
    throw wrongOption(
      "destinations",
      claimed.id,
      `an id that does not begin with "${TENANT_PREFIX}", which those of tenantWebhooks() do`,
    );
  }
  if (!Array.isArray(include) || include.some((field) => field !== "address")) {
    throw wrongOption("include", include, '["address"] or nothing');
  }
  // What is tried for up to four days would be dropped in the moment in which it is given up, seen by nobody.
  if (!Number.isInteger(keep) || keep < 5) {
    throw wrongOption("keep", keep, "a number of days from 5 on, of which the tries take four");
  }
  const found = tenants === undefined ? null : tenants.definition as TenantDestinations;
  return {
    destinations: read,
    tenants: found,
    hasAddress: include.length > 0,
    keep: keep * DAY,
    slow: new Map(),
  };
}

/** Id of an event: its time, so that ids are in its order, and 20 random digits. */
function createId(at: number): string {
  return `evt_${Math.max(0, at).toString(16).padStart(12, "0")}${toHex(randomBytes(10))}`;
}

function recordOf(
  store: RequestStore,
  { type, subject: _subject, ...fields }: Occurrence & { subject?: string | undefined },
  { at, hasAddress }: { at: number; hasAddress: boolean },
): OutboxRecord {
  const actor = findActor(store);
  const address = hasAddress ? store.address() : null;
  const data = {
    ...actor?.kind === "administrator" && { actorId: actor.id },
    ...fields,
    requestId: store.requestId(),
    ...address !== null && { address },
  };
  return {
    id: createId(at),
    destination: "",
    type,
    text: JSON.stringify(data),
    at,
    tries: 0,
    dueAt: at,
    failure: null,
  };
}

/** An event of a change whose listeners are told next. */
interface Told {
  event: Occurrence;
  message: OutboxRecord;
  /** True when it is stored. */
  stored: boolean;
}

/**
 * Stores events and delivers them, at least once each, in no order: `auth.deliver(env)` does it, which a cron job, a queue or
 * a timer calls. What tells of a change of users, sessions, passkeys, keys or members is stored in the transaction of the
 * change, so that it is lost by no crash and told of nothing that did not happen; `docs/webhooks.md` has the list. A message
 * is tried ten times more over three days, and then kept as a dead letter, see {@linkcode deadLetters}.
 *
 * It stands among the providers, and needs a SQL database for the promise: another storage keeps the event after the change.
 * Applications that do not import it do not bundle it.
 *
 * @param options Receivers. Default: 30 days for dead letters, no addresses.
 * @throws {ConfigurationError} When an option is wrong, or there is no database.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, createUser, outbox } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const arrived: string[] = [];
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   providers: [outbox({
 *     destinations: [{
 *       id: "crm",
 *       deliver: ({ type, data }) => Promise.resolve(void arrived.push(`${type} ${data.userId}`)),
 *     }],
 *   })],
 * });
 * const background: Promise<unknown>[] = [];
 * const waitUntil = (work: Promise<unknown>) => void background.push(work);
 * await auth.run(new Request("http://localhost/", { method: "POST" }), {}, { waitUntil }, async () => {
 *   await createUser({ id: "ada" });
 *   return new Response();
 * });
 * await Promise.all(background);
 * deepEqual(await auth.deliver({}), { delivered: 1, failed: 0, dead: 0, more: false });
 * deepEqual(arrived, ["sign-up ada"]);
 * ```
 */
export function outbox(options: OutboxOptions): Provider {
  const checked = readOptions(options);
  const told = new WeakMap<RequestStore, Told[]>();
  const { destinations, tenants, hasAddress } = checked;
  const isWanted = (type: string) =>
    destinations.some((one) => isFor(one, type)) || tenants?.isWanted(type) === true;

  function expect(
    store: RequestStore,
    events: readonly (Occurrence & { subject?: string | undefined })[],
    since?: number,
  ): ExpectedEvents {
    const { settings } = store.auth;
    const at = settings.now();
    const storage = storageOf(settings);
    const expected = events.map((event) => {
      if (!isWanted(event.type)) return null;
      const message = recordOf(store, event, { at, hasAddress });
      return { event, message, waiting: storage.prepareMessage(message, event, since ?? at) };
    });
    return {
      async end(happened) {
        try {
          await settle(storage, expected, happened, (one) => {
            const list = told.get(store) ?? [];
            told.set(store, list);
            list.push(one);
          });
        } catch (error) {
          settings.logger.error("outbox-failed", { requestId: store.requestId(), error });
        }
      },
    };
  }

  async function keep(settings: Settings, event: AuthEvent): Promise<void> {
    const store = findRequest();
    if (store === undefined || !isWanted(event.type)) return;
    const list = told.get(store) ?? [];
    const index = list.findIndex((one) => isSame(one.event, event));
    const [found] = index < 0 ? [] : list.splice(index, 1);
    if (found?.stored) return;
    const { at, requestId: _id, address: _address, ...fields } = event;
    const message = found?.message ??
      recordOf(store, fields as Occurrence, { at: at.getTime(), hasAddress });
    await storageOf(settings).putMessages([message]);
  }

  const definition: EndpointModule & { tenants?: TenantDestinations } = {
    ...tenants !== null && {
      tenants,
      endTenant: (settings: Settings, tenantId: string) => tenants.end(settings, tenantId),
    },
    id: "outbox",
    endpoints: () => [],
    check(settings) {
      if (!settings.hasDatabase) {
        throw wrongOption("database", undefined, "a database, which outbox() needs");
      }
      // Says at once when the storage cannot keep it.
      storageOf(settings);
      tenants?.check(settings);
    },
    expect,
    deliver: (settings, bounds) => deliverDue(settings, checked, bounds),
    listen: (settings) => alsoListening(settings.events, (event) => keep(settings, event)),
  };
  return { kind: "provider", definition };
}

function storageOf({ storage }: Pick<Settings, "storage">): OutboxStorage {
  return groupOf(storage, outboxGroup);
}

/** Tells by all fields of the event itself. */
function isSame(occurrence: Occurrence, event: AuthEvent): boolean {
  return Object.entries(occurrence).every(([name, value]) =>
    name === "subject" || event[name as keyof AuthEvent] === value
  );
}

async function settle(
  storage: OutboxStorage,
  expected: readonly ({
    event: Occurrence;
    message: OutboxRecord;
    waiting: ExpectedMessage;
  } | null)[],
  happened: readonly boolean[] | null,
  tell: (one: Told) => void,
): Promise<void> {
  const wrong: string[] = [];
  for (const [index, one] of expected.entries()) {
    if (one === null) continue;
    const stored = one.waiting.end();
    // A change that has failed may have been made before, and taken back or not.
    if (happened === null) await one.waiting.recheck();
    else if (happened[index]) tell({ event: one.event, message: one.message, stored });
    else if (stored) wrong.push(one.message.id);
  }
  if (wrong.length > 0) await storage.dropMessages(wrong);
}
