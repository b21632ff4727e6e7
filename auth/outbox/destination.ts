/**
 * Destinations of events, as the options of an outbox name them.
 *
 * @module
 */

import type { Settings } from "../core/contracts.ts";
import { ConfigurationError } from "../errors.ts";
import { describe, didYouMean, isOptions, readList, wrongOption } from "../lib/options.ts";
import { CHANGE_EVENTS } from "../storage/outbox_proofs.ts";
import { type AuthEvent, EVENT_TYPES } from "../types/events.ts";
import type { Destination, OutboxMessage } from "./message.ts";

/** Destinations that tenants set, as `tenantWebhooks()` makes them for `outbox({ tenants })`. */
export interface TenantWebhooks {
  /** Tells them from other objects. */
  readonly kind: "tenant-webhooks";
  /** Definition for internal use. */
  readonly definition: unknown;
}

/** Destinations that are in the database, as tenants have set them. */
export interface TenantDestinations {
  /** Types of events that tenants may have. */
  readonly offered: readonly AuthEvent["type"][];
  /** Number of destinations that a tenant may have. */
  readonly max: number;
  /** Checks what they need of the application. */
  check(settings: Settings): void;
  /** Tells if tenants may have events of a type. */
  isWanted(type: string): boolean;
  /** Returns the ids of the destinations of a tenant that get an event: its type is one of theirs, and they were there. */
  share(settings: Settings, event: Pick<OutboxMessage, "type" | "at">, tenantId: string): Promise<
    string[]
  >;
  /** Returns the ids of all destinations that a tenant has. */
  list(settings: Settings, tenantId: string): Promise<string[]>;
  /** Tells if a destination is one of them, by its id. */
  owns(id: string): boolean;
  /** Removes the destinations of a tenant that is deleted. */
  end(settings: Settings, tenantId: string): Promise<void>;
  /** Finds a destination; null when the tenant has removed it. */
  find(settings: Settings, id: string): Promise<Destination | null>;
}

/** Options of an outbox, checked. */
export interface CheckedOutbox {
  /** Receivers. */
  destinations: readonly Destination[];
  /** Receivers that tenants have set; null where they cannot. */
  tenants: TenantDestinations | null;
  /** True when messages have the address of the client. */
  hasAddress: boolean;
  /** Milliseconds for which messages are kept that could not be delivered. */
  keep: number;
  /** Lanes of destinations that took long a short while ago, in the order of that: a tenant is slow with all its addresses. */
  slow: Map<string, SlowLane>;
}

/** A lane in which a destination took long. */
export interface SlowLane {
  /** True when the destination had not taken the event in the end. */
  hasFailed: boolean;
  /** Time until which it counts, in milliseconds since 1970. */
  until: number;
}

/** Milliseconds of a day. */
export const DAY = 86_400_000;

/** Tells if a destination gets events of a type. */
export function isFor(
  { events = CHANGE_EVENTS }: { events?: readonly string[] | undefined },
  type: string,
): boolean {
  return events.includes(type);
}

/** The destinations of tenants that an application has. */
export function tenantsOf(settings: Settings): TenantDestinations {
  for (const module of settings.modules) {
    const { tenants } = module as { tenants?: TenantDestinations };
    if (tenants !== undefined) return tenants;
  }
  throw new ConfigurationError(
    "The application has no webhooks of tenants: write outbox({ destinations, tenants: tenantWebhooks({ … }) })",
    { field: "providers" },
  );
}

/** Reads types of events: one that is misspelled would never come, and nobody would miss it. */
export function readEventTypes(value: unknown, field: string): Destination["events"] {
  if (value === undefined) return undefined;
  for (const [index, type] of readList(value, field, "sign-up").entries()) {
    if ((EVENT_TYPES as readonly unknown[]).includes(type)) continue;
    const near = typeof type === "string" ? didYouMean(type, EVENT_TYPES) : "";
    throw new ConfigurationError(
      `There are no events ${describe(type)}, in "${field}[${index}]". ${near}Types of events: ${
        EVENT_TYPES.join(", ")
      }`,
      { field: `${field}[${index}]` },
    );
  }
  return value as Destination["events"];
}

/** Reads a destination of the options. */
export function readDestination(value: unknown, index: number): Destination {
  const path = `destinations[${index}]`;
  if (!isOptions(value)) throw wrongOption(path, value, "an object with id and deliver");
  const { id, events, deliver } = value as unknown as Destination;
  if (typeof id !== "string" || !/^[\w.:-]{1,128}$/.test(id)) {
    throw wrongOption(`${path}.id`, id, "a name of at most 128 letters, digits and - _ . :");
  }
  if (typeof deliver !== "function") {
    throw wrongOption(`${path}.deliver`, deliver, "a function that is given the message");
  }
  readEventTypes(events, `${path}.events`);
  return value as unknown as Destination;
}
