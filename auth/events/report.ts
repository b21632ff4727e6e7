import type { AuthEvent, AuthEvents, Report } from "./events.ts";
import type { Settings } from "../http/contracts.ts";

/** What a {@linkcode Report} is made of. */
export interface ReportOptions {
  /** The options of the application. */
  settings: Pick<Settings, "events" | "logger" | "now">;
  /** Names the request. */
  requestId: string;
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
  const { settings: { events, logger, now }, requestId, waitUntil } = options;

  async function tell(type: keyof AuthEvents, event: AuthEvent): Promise<void> {
    const listener = events[type] as ((event: AuthEvent) => unknown) | undefined;
    if (listener === undefined) return;
    try {
      await listener(event);
    } catch (error) {
      logger.error("event-listener-failed", { requestId, type: event.type, error });
    }
  }

  return function report(occurrence) {
    const { type, ...fields } = occurrence;
    const address = options.address();
    const request = { requestId, ...(address !== null && { address }) };
    logger[WARNINGS.has(type) ? "warn" : "info"](type, { ...fields, ...request });
    const event: AuthEvent = Object.freeze({ ...occurrence, ...request, at: new Date(now()) });
    for (const name of [type, "*"] as const) {
      if (events[name] !== undefined) waitUntil(tell(name, event));
    }
  };
}
