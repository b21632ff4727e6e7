/**
 * Contract between the outbox and those that its events are delivered to.
 *
 * @module
 */

import type { AuthEvent } from "../types/events.ts";

/** Fields of an event as it is delivered: ids, no tokens, codes or addresses. `docs/webhooks.md` lists those of each type. */
export interface OutboxData {
  /** Id of the user whom the event concerns; left out where there is none. */
  userId?: string | undefined;
  /** Any other field. */
  [name: string]: unknown;
}

/** Event as it is delivered; the same bytes at each try. */
export interface OutboxMessage {
  /** Stable id of the event, the same at each try and at each destination. */
  id: string;
  /** Type of the event, such as "sign-up". */
  type: string;
  /** Time of the event, in milliseconds since 1970. */
  at: number;
  /** Fields of the event: ids, no tokens, codes or addresses. */
  data: OutboxData;
}

/** Circumstances of one try. */
export interface DeliveryTry {
  /** Number of this try, from 1 on. */
  attempt: number;
  /** Ends the try when its time is over. */
  signal: AbortSignal;
  /** The time, in milliseconds since 1970. */
  now: number;
}

/** Receiver of events. */
export interface Destination {
  /** Name that tells it from the others, kept with what is to be delivered: do not change it. */
  id: string;
  /** Types of events that it gets. Default: all that tell of a change, see `docs/webhooks.md`. */
  events?: readonly AuthEvent["type"][] | undefined;
  /** Delivers an event, at least once. What it throws is tried again later; see {@linkcode DeliveryError}. */
  deliver(message: OutboxMessage, circumstances: DeliveryTry): Promise<void>;
}

/** Reads the fields of a stored event. One that somebody else has written may be no object: it has none, and keeps no other waiting. */
export function dataOf(text: string): OutboxData {
  try {
    const data: unknown = JSON.parse(text);
    return typeof data === "object" && data !== null ? data as OutboxData : {};
  } catch {
    return {};
  }
}
