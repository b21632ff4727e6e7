import type { Platform } from "@framework/cli/project";
import { TestingError } from "../errors.ts";

/** Event for `ctx.scheduled()`. */
export interface ScheduledEvent {
  /** Expression of the trigger. Default: the only one of the platform file. */
  cron?: string;
  /** Time for which the run was planned: milliseconds since 1970, or a date. Default: now, by the context's clock. */
  scheduledTime?: number | Date;
}

/** Result of `ctx.scheduled()`. */
export interface ScheduledResult {
  /** True when the handler has called `noRetry()`. */
  noRetry: boolean;
}

/** Controller as a handler gets it. */
export interface ScheduledControls {
  readonly cron: string;
  readonly scheduledTime: number;
  readonly type: "scheduled";
  noRetry(): void;
}

/** Reads an event, with the defaults of the platform file. */
export function readEvent(
  { cron, scheduledTime }: ScheduledEvent,
  { raw }: Platform,
  now: number,
): { cron: string; scheduledTime: number } {
  const { crons = [] } = Object(raw["triggers"]) as { crons?: unknown[] };
  const only = crons.length === 1 ? crons[0] : undefined;
  const found = cron ?? only;
  if (typeof found === "string") {
    return { cron: found, scheduledTime: Number(scheduledTime ?? now) };
  }
  throw new TestingError(
    "OPTIONS",
    `ctx.scheduled() needs the cron expression: the platform file has ${crons.length} of them. Pass one: ` +
      'ctx.scheduled({ cron: "0 * * * *" }).',
  );
}

/** Creates the controller of an event, and the result that its handler writes. */
export function createController(
  event: ScheduledEvent,
  platform: Platform,
  now: number,
): { controller: ScheduledControls; result: ScheduledResult } {
  const result: ScheduledResult = { noRetry: false };
  const read = readEvent(event, platform, now);
  const noRetry = () => void (result.noRetry = true);
  return { controller: { ...read, type: "scheduled", noRetry }, result };
}
