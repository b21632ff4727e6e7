/**
 * Rate limits in a durable object.
 *
 * @module
 */

import { StorageUnavailableError } from "../errors.ts";
import { demandMethods } from "../lib/options.ts";
import {
  type RateLimitRule,
  type RateLimitStorage,
  READ_RATE_LIMIT,
  readHits,
  REFUND_RATE_LIMIT,
  TAKE_RATE_LIMIT,
  takeValues,
} from "../storage/rate_limits.ts";
import { pause, PAUSES } from "../storage/sql_executor.ts";

/** Interface used of a namespace of durable objects. */
export interface RateLimitObjectNamespace<Id = unknown> {
  /** The id that belongs to a name. */
  idFromName(name: string): Id;
  /** The object with an id, wherever it runs; it is started when it does not. */
  get(id: Id): { fetch(url: string, init: { method: string; body: string }): Promise<Response> };
}

/** True when the object was only moved or restarted. One that has too much to do is left alone. */
function isWorthAnotherTry(error: unknown): boolean {
  const { retryable, overloaded } = error as { retryable?: unknown; overloaded?: unknown };
  return retryable === true && overloaded !== true;
}

/**
 * Counts attempts in durable objects, one for each key. It is exact: within any span as long as the window at
 * most `limit` are let through, wherever they come in. The class is `RateLimitObject`.
 *
 * An object that is moved or restarted meanwhile is asked again, at most twice; an attempt may then
 * count twice. One that is overloaded is not: that is a storage that fails.
 *
 * @param namespace The binding of the class.
 * @throws {ConfigurationError} When the namespace is none, such as a binding that `wrangler.jsonc` lacks.
 *
 * @example
 * ```ts
 * import {
 *   createDurableObjectRateLimitStorage,
 *   createRateLimiter,
 *   RateLimitObject,
 *   type RateLimitObjectNamespace,
 * } from "@framework/auth/rate-limit";
 * import { equal } from "node:assert/strict";
 * import { DatabaseSync } from "node:sqlite";
 *
 * function limiterOf(env: { LIMITS: RateLimitObjectNamespace }) {
 *   return createRateLimiter(createDurableObjectRateLimitStorage(env.LIMITS), {
 *     name: "export",
 *     limit: 10,
 *     window: 3600,
 *   });
 * }
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
 * const LIMITS: RateLimitObjectNamespace = {
 *   idFromName: (name) => name,
 *   get: () => ({ fetch: (url, init) => object.fetch(new Request(url, init)) }),
 * };
 * const request = new Request("https://app.example/export");
 * equal((await limiterOf({ LIMITS }).check(request)).remaining, 9);
 * ```
 */
export function createDurableObjectRateLimitStorage<Id>(
  namespace: RateLimitObjectNamespace<Id>,
): RateLimitStorage {
  demandMethods(namespace, ["idFromName", "get"], {
    field: "namespace",
    write: "the binding of the class in durable_objects of wrangler.jsonc, such as env.LIMITS",
  });
  async function ask(question: RateLimitObjectQuestion): Promise<Response> {
    const init = { method: "POST", body: JSON.stringify(question) };
    for (let tries = 0;; tries++) {
      try {
        // A stub that has failed stays failed.
        const object = namespace.get(namespace.idFromName(question.key));
        const response = await object.fetch("https://rate-limit.invalid/", init);
        if (response.ok) return response;
        throw new Error(`The object answered with status ${response.status}`);
      } catch (cause) {
        if (!isWorthAnotherTry(cause) || tries === PAUSES.length) {
          throw new StorageUnavailableError("Cannot count an attempt: the object did not answer", {
            cause,
          });
        }
        await pause(PAUSES[tries]!);
      }
    }
  }

  return {
    async takeRateLimit(key, rule) {
      return await (await ask({ key, rule })).json();
    },
    async refundRateLimit(key, hit) {
      await ask({ key, hit: String(hit) });
    },
  };
}

/** Interface used of the state of a durable object with SQLite. */
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

/** Request of the storage to an object. */
type RateLimitObjectQuestion =
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

  /** Removes expired counts. The platform calls it when the last window has passed. */
  async alarm(): Promise<void> {
    const [row] = this.#run("SELECT MAX(expires_at) AS end FROM rate_limits");
    const end = (row as { end: number | null } | undefined)?.end ?? 0;
    if (end > Date.now()) return await this.#storage.setAlarm(end);
    this.#ready = false;
    await this.#storage.deleteAll();
  }
}
