/**
 * Events of a request: the log, the application's listeners, and changes that they tell of.
 *
 * @module
 */

import type { AuthEvent, AuthEvents, Occurrence, Report } from "../types/events.ts";
import type { EndpointModule, RequestStore, Settings } from "./contracts.ts";

/** Options for {@linkcode Report}. */
export interface ReportOptions {
  /** The options of the application. */
  settings: Pick<Settings, "events" | "logger" | "now">;
  /** Names the request. */
  requestId(): string;
  /** The address of the client, or null. */
  address(): string | null;
  /** Takes work that the response does not wait for. */
  waitUntil(work: Promise<unknown>): void;
}

const WARNINGS: ReadonlySet<AuthEvent["type"]> = new Set([
  "sign-in-failed",
  "replay-detected",
  "rate-limited",
  "origin-refused",
]);

/** Makes what reports the events of one request. */
export function createReport(options: ReportOptions): Report {
  const { settings: { events, logger, now }, waitUntil } = options;

  async function tell(type: keyof AuthEvents, event: AuthEvent): Promise<void> {
    const listener = events[type] as ((event: AuthEvent) => unknown) | undefined;
    if (listener === undefined) return;
    try {
      await listener(event);
    } catch (error) {
      logger.error("event-listener-failed", {
        requestId: event.requestId,
        type: event.type,
        error,
      });
    }
  }

  return function report(occurrence) {
    const { type, ...fields } = occurrence;
    const address = options.address();
    const request = { requestId: options.requestId(), ...(address !== null && { address }) };
    logger[WARNINGS.has(type) ? "warn" : "info"](type, { ...fields, ...request });
    const event: AuthEvent = Object.freeze({ ...occurrence, ...request, at: new Date(now()) });
    for (const name of [type, "*"] as const) {
      if (events[name] !== undefined) waitUntil(tell(name, event));
    }
  };
}

/** Listeners of an application, and one more that hears everything. Neither waits for the other, nor fails with it. */
export function alsoListening(
  events: AuthEvents,
  listen: (event: AuthEvent) => Promise<void>,
): AuthEvents {
  return {
    ...events,
    async "*"(event) {
      const results = await Promise.allSettled([
        listen(event),
        (async () => await events["*"]?.(event))(),
      ]);
      for (const result of results) if (result.status === "rejected") throw result.reason;
    },
  };
}

/** Events of a change, for {@linkcode reportChange}. */
export interface ChangeEvents<Result> {
  /** The events, in the order in which they are reported. */
  events: readonly Occurrence[];
  /** Id of the session, account or address that the change is about, where the events do not say it. Default: they do. */
  subject?: string;
  /**
   * Time of the change in milliseconds since 1970, where it was read before: what is stored has no earlier one. Default: it is
   * read later.
   */
  since?: number | undefined;
  /** Tells by the result of the change if an event has happened. Default: when the result is true. */
  happened?(result: Result, event: Occurrence): boolean;
}

/**
 * Makes a change and reports the events that it was. With `outbox()` they are stored in the transaction of the change.
 *
 * @param change The change, and nothing else that writes.
 * @throws What the change throws.
 */
export async function reportChange<Result>(
  store: RequestStore,
  { events, subject, since, happened = (result) => result === true }: ChangeEvents<Result>,
  change: () => Promise<Result>,
): Promise<Result> {
  const { modules } = store.auth.settings;
  const outbox = modules.find((one): one is EndpointModule => "expect" in one);
  const told = events.map((event) => ({ ...event, subject }));
  const expected = outbox?.expect?.(store, told, since);
  let result: Result;
  try {
    result = await change();
  } catch (error) {
    await expected?.end(null);
    throw error;
  }
  const done = events.map((event) => happened(result, event));
  await expected?.end(done);
  for (const [index, event] of events.entries()) if (done[index]) store.report(event);
  return result;
}
