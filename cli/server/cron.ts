import type { SqlDatabase } from "@framework/auth/storage";
import { isDue } from "../platform/cron_expression.ts";
import type { ScheduledController } from "../runtime/types.ts";
import { logFailure } from "./log.ts";

/** Table of the last run of each schedule. */
export const CRON_TABLES = `
CREATE TABLE IF NOT EXISTS framework_cron (
  schedule TEXT PRIMARY KEY,
  last_at INTEGER NOT NULL
);`;

const MINUTE = 60_000;

/** Minutes that are made up for when the process was busy or asleep. */
const MAX_LATE = 5;

/** Jobs of a server. */
export interface RunningCron {
  /** Begins no more jobs; resolves when those that run have ended. */
  stop(): Promise<void>;
}

/**
 * Runs jobs when their schedule is due, each time in one of the processes: whoever writes the minute of the run into the
 * database first. A run whose process is killed is not repeated.
 *
 * @param database The database of the server.
 * @param schedules Cron expressions, in UTC.
 * @param run The application's handler.
 */
export function startCron(
  database: SqlDatabase,
  schedules: readonly string[],
  run: (controller: ScheduledController & { noRetry(): void }) => Promise<void>,
): RunningCron {
  const running = new Set<Promise<void>>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  // The minute in which it starts may have been another process's.
  let last = Math.floor(Date.now() / MINUTE);

  function plan(): void {
    timer = setTimeout(() => {
      const now = Math.floor(Date.now() / MINUTE);
      for (let minute = Math.max(last + 1, now - MAX_LATE); minute <= now; minute++) {
        for (const cron of schedules) {
          if (isDue(cron, minute * MINUTE)) begin(cron, minute * MINUTE);
        }
      }
      last = Math.max(last, now);
      plan();
    }, MINUTE - Date.now() % MINUTE);
  }

  function begin(cron: string, scheduledTime: number): void {
    const job = claim(database, cron, scheduledTime).then(async (isOwn) => {
      if (isOwn) await run({ cron, scheduledTime, noRetry() {} });
    }).catch((error) => logFailure("job-failed", error, { cron }));
    running.add(job);
    job.finally(() => running.delete(job));
  }

  plan();
  return {
    async stop() {
      clearTimeout(timer);
      await Promise.all(running);
    },
  };
}

/**
 * Claims a run for this process.
 *
 * @returns False when another process has it.
 */
export async function claim(
  database: SqlDatabase,
  cron: string,
  scheduledTime: number,
): Promise<boolean> {
  const { results } = await database.prepare(
    "INSERT INTO framework_cron (schedule, last_at) VALUES (?1, ?2) " +
      "ON CONFLICT (schedule) DO UPDATE SET last_at = ?2 WHERE framework_cron.last_at < ?2 RETURNING schedule",
  ).bind(cron, scheduledTime).all();
  return results.length > 0;
}
