import { createHit, HIT_LENGTH, readHits, timeText } from "../rate_limit/hit_log.ts";
import type { RateLimitStorage } from "../rate_limit/rate_limit_storage.ts";
import { inBackground, sweepRows, sweepText } from "./sql_sweep.ts";
import type { SqlDialect } from "./sql_dialect.ts";
import type { SqlExecutor } from "./sql_executor.ts";

/**
 * ?1 key, ?2 entry, ?3 when the row may go, ?4 characters of a full log, ?5 where its last entry begins, ?6 the
 * time at or before which entries are forgotten. The log holds the entries that were let through, the
 * newest first, so its last one decides. An entry is never older than the one before it, also when two
 * machines' clocks differ. Nothing is written, and no row comes back, when the limit is reached.
 */
export const TAKE_RATE_LIMIT = `INSERT INTO rate_limits (key, hits, expires_at) VALUES (?1, ?2, ?3)
ON CONFLICT (key) DO UPDATE SET expires_at = ?3, hits = substr(CASE
  WHEN ?2 > rate_limits.hits THEN ?2 ELSE substr(rate_limits.hits, 1, 13) || substr(?2, 14)
END || rate_limits.hits, 1, ?4)
WHERE substr(rate_limits.hits, ?5, 13) <= ?6 RETURNING hits`;

/** ?1 key. */
export const READ_RATE_LIMIT = "SELECT hits FROM rate_limits WHERE key = ?1";

/** ?1 key, ?2 entry. */
export const REFUND_RATE_LIMIT =
  "UPDATE rate_limits SET hits = replace(hits, ?2, '') WHERE key = ?1";

// More than all attempts since the last sweep can have added.
const SWEEP_ROWS = 500;

/** The values for {@linkcode TAKE_RATE_LIMIT}. */
export function takeValues(
  key: string,
  { limit, window, now }: { limit: number; window: number; now: number },
): [string, string, number, number, number, string] {
  const full = HIT_LENGTH * limit;
  const forgotten = timeText(now - window);
  // Twice as long as needed: the clock of whoever removes it may be ahead.
  return [key, createHit(now), now + 2 * window, full, full - HIT_LENGTH + 1, forgotten];
}

/** Makes the operations: the decision is one statement; only a refusal reads when the next one may be. */
export function createRateLimitOperations(
  executor: SqlExecutor,
  dialect: SqlDialect | undefined,
): RateLimitStorage {
  const { prepare, repeat } = executor;
  return {
    takeRateLimit(key, rule) {
      // One in a hundred. Not left to sign-ins: whoever makes up identifiers has none that succeeds.
      if (rule.now % 100 === 7) {
        const sql = sweepText("rate_limits", dialect);
        inBackground(sweepRows(executor, sql, { now: rule.now, limit: SWEEP_ROWS }));
      }
      // Should a lost connection have counted it, it counts twice: better than not at all.
      return repeat("count an attempt", async () => {
        const values = takeValues(key, rule);
        const taken = await prepare(TAKE_RATE_LIMIT).bind(...values).first<{ hits: string }>();
        const row = taken ?? await prepare(READ_RATE_LIMIT).bind(key).first<{ hits: string }>();
        return readHits(row?.hits ?? "", taken !== null, rule);
      });
    },
    async refundRateLimit(key, hit) {
      await repeat(
        "take back an attempt",
        () => prepare(REFUND_RATE_LIMIT).bind(key, String(hit)).run(),
      );
    },
  };
}
