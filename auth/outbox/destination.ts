/**
 * Destinations of events, as the options of an outbox name them.
 *
 * @module
 */

import { isOptions, wrongOption } from "../lib/options.ts";
import { CHANGE_EVENTS } from "../storage/outbox_proofs.ts";
import type { Destination } from "./message.ts";

/** Options of an outbox, checked. */
export interface CheckedOutbox {
  /** Receivers. */
  destinations: readonly Destination[];
  /** True when messages have the address of the client. */
  hasAddress: boolean;
  /** Milliseconds for which messages are kept that could not be delivered. */
  keep: number;
}

/** Milliseconds of a day. */
export const DAY = 86_400_000;

/** Tells if a destination gets events of a type. */
export function isFor(
  { events = CHANGE_EVENTS }: Pick<Destination, "events">,
  type: string,
): boolean {
  return events.includes(type);
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
  if (events !== undefined && !Array.isArray(events)) {
    throw wrongOption(`${path}.events`, events, "a list of types of events");
  }
  return value as unknown as Destination;
}
