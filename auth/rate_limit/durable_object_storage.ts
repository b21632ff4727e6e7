import { StorageUnavailableError } from "../errors/storage_errors.ts";
import type { RateLimitObjectQuestion } from "./rate_limit_object.ts";
import type { RateLimitStorage } from "./rate_limit_storage.ts";

/** What is needed of a namespace of durable objects. */
export interface RateLimitObjectNamespace<Id = unknown> {
  /** The id that belongs to a name. */
  idFromName(name: string): Id;
  /** The object with an id, wherever it runs; it is started when it does not. */
  get(id: Id): { fetch(url: string, init: { method: string; body: string }): Promise<Response> };
}

const PAUSES = [25, 100];

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
        await new Promise((resolve) => setTimeout(resolve, PAUSES[tries]));
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
