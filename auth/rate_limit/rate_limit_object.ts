import {
  READ_RATE_LIMIT,
  REFUND_RATE_LIMIT,
  TAKE_RATE_LIMIT,
  takeValues,
} from "../storage/sql_rate_limits.ts";
import { readHits } from "./hit_log.ts";
import type { RateLimitRule } from "./rate_limit_storage.ts";

/** What is needed of the state of a durable object that has SQLite. */
export interface RateLimitObjectState {
  /** Its storage: `ctx.storage` of a class named in `new_sqlite_classes`. */
  storage: {
    /** Its database, which answers at once. */
    sql: { exec(sql: string, ...values: (string | number)[]): { toArray(): unknown[] } };
    getAlarm(): Promise<number | null>;
    setAlarm(time: number): Promise<void>;
    deleteAll(): Promise<void>;
  };
}

/** What the storage asks of an object. */
export type RateLimitObjectQuestion =
  | { key: string; rule: RateLimitRule }
  | { key: string; hit: string };

const TABLE = `CREATE TABLE IF NOT EXISTS rate_limits
  (key TEXT PRIMARY KEY, hits TEXT NOT NULL, expires_at INTEGER NOT NULL)`;

function hitsIn([row]: unknown[]): string | undefined {
  return (row as { hits: string } | undefined)?.hits;
}

/**
 * The durable object that counts the attempts of one key, for `createDurableObjectRateLimitStorage()`. Nothing
 * is awaited between the look and the write, and the answer leaves when the write is safe. When all is over
 * it removes everything that it stored.
 *
 * Export it from the worker; with `framework build`, from a file of `app/objects`:
 *
 * ```ts ignore
 * // app/objects/rate_limit.ts
 * export { RateLimitObject } from "@framework/auth/rate-limit";
 * ```
 *
 * and name it in `wrangler.jsonc`, among `durable_objects.bindings` and as one of `new_sqlite_classes`.
 *
 * @example
 * ```ts
 * import { RateLimitObject } from "@framework/auth/rate-limit";
 * import { equal } from "node:assert/strict";
 * import { DatabaseSync } from "node:sqlite";
 *
 * // In the place of the platform: one object for all keys.
 * using file = new DatabaseSync(":memory:");
 * const object = new RateLimitObject({
 *   storage: {
 *     sql: {
 *       exec(sql, ...values) {
 *         const rows = file.prepare(sql).all(...values);
 *         return { toArray: () => rows };
 *       },
 *     },
 *     getAlarm: () => Promise.resolve(null),
 *     setAlarm: () => Promise.resolve(),
 *     deleteAll: () => Promise.resolve(),
 *   },
 * });
 *
 * const body = JSON.stringify({ key: "ada", rule: { limit: 3, window: 60_000, now: Date.now() } });
 * const request = new Request("https://rate-limit.invalid/", { method: "POST", body });
 * equal((await (await object.fetch(request)).json()).remaining, 2);
 * ```
 */
export class RateLimitObject {
  readonly #storage: RateLimitObjectState["storage"];
  #ready = false;

  /**
   * Called by the platform, once for each object that it wakes.
   *
   * @param state What the platform gives it: the storage, with SQLite.
   */
  constructor(state: RateLimitObjectState) {
    this.#storage = state.storage;
  }

  #run(sql: string, ...values: (string | number)[]): unknown[] {
    if (!this.#ready) this.#storage.sql.exec(TABLE);
    this.#ready = true;
    return this.#storage.sql.exec(sql, ...values).toArray();
  }

  /**
   * Counts an attempt, or takes one back: what `createDurableObjectRateLimitStorage()` sends, as
   * JSON.
   */
  async fetch(request: Request): Promise<Response> {
    const question: RateLimitObjectQuestion = await request.json();
    const { key } = question;
    if ("hit" in question) {
      this.#run(REFUND_RATE_LIMIT, key, question.hit);
      return new Response(null, { status: 204 });
    }
    const { rule } = question;
    const taken = hitsIn(this.#run(TAKE_RATE_LIMIT, ...takeValues(key, rule)));
    const hits = taken ?? hitsIn(this.#run(READ_RATE_LIMIT, key)) ?? "";
    if (taken !== undefined && await this.#storage.getAlarm() === null) {
      await this.#storage.setAlarm(rule.now + rule.window);
    }
    return Response.json(readHits(hits, taken !== undefined, rule));
  }

  /** Removes what is over. The platform calls it when the last window has passed. */
  async alarm(): Promise<void> {
    const [row] = this.#run("SELECT MAX(expires_at) AS end FROM rate_limits");
    const end = (row as { end: number | null } | undefined)?.end ?? 0;
    if (end > Date.now()) return await this.#storage.setAlarm(end);
    this.#ready = false;
    await this.#storage.deleteAll();
  }
}
