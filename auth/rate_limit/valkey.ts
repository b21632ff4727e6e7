/**
 * Exact rate limits in Valkey or Redis.
 *
 * @module
 */

import { StorageUnavailableError } from "../errors.ts";
import { optionsAt } from "../lib/options.ts";
import type { RateLimitStorage, RateLimitTake } from "../storage/rate_limits.ts";
import { createValkeySender, type SendValkeyCommand } from "../storage/valkey.ts";

/** Options for {@linkcode createValkeyRateLimitStorage}. */
export interface ValkeyRateLimitStorageOptions {
  /** Text before each key. Default `"rate-limit:"`. */
  prefix?: string;
  /** Milliseconds after which a server that has not answered counts as failed, 1 to 60,000. Default 2,000. */
  timeout?: number;
}

/**
 * KEYS[1] is the key; ARGV: limit, window in milliseconds, a text that no other attempt has. A sorted set holds the attempts
 * that were let through by their times. One that is refused writes nothing, and a clock that was set back, as after a
 * failover, puts no attempt before those that are there. The first command that writes is the one that a server without
 * memory refuses: after any other it would let it through.
 */
const TAKE = `local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local key, limit, window = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local after = string.format('(%.0f', now - window)
local count = redis.call('ZCOUNT', key, after, '+inf')
local hit = ''
if count < limit then
  local newest = redis.call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2]
  local time = math.max(now, tonumber(newest or 0))
  hit = string.format('%.0f:', time) .. ARGV[3]
  redis.call('ZADD', key, time, hit)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now - window)
  redis.call('PEXPIRE', key, time + window - now)
  count = count + 1
end
local at = math.max(0, count - limit)
local oldest = redis.call('ZRANGEBYSCORE', key, after, '+inf', 'WITHSCORES', 'LIMIT', at, 1)[2]
return { hit, limit - count, oldest + window - now }`;

/**
 * Counts attempts in Valkey (or Redis from 6.2), which several servers share. It is exact: within any span as long as
 * the window at most `limit` are let through, however many come at once and to however many servers. The decision is
 * one script on one key, by the clock of the server, and a key is gone when its window is over. A failover to a replica
 * may forget the attempts of the last moments. A server that does not answer in time
 * is a {@linkcode StorageUnavailableError}: an attempt whose answer comes late is taken back, and only one whose answer was lost
 * may have been counted.
 *
 * @param send Sends a command by the client of your choice, over one connection or to a cluster.
 * @param options `prefix` of the keys, default `"rate-limit:"`; `timeout` in milliseconds, default 2,000.
 * @throws {ConfigurationError} When `send` is not a function, or an option is wrong.
 *
 * @example
 * ```ts
 * import { createRateLimiter, createValkeyRateLimitStorage } from "@framework/auth/rate-limit";
 * import { equal } from "node:assert/strict";
 *
 * // In the place of a server; with the package redis it is (command) => client.sendCommand(command).
 * const send = (_command: string[]) => Promise.resolve(["1790000000000:b1", 9, 3_600_000]);
 *
 * const storage = createValkeyRateLimitStorage(send);
 * const limiter = createRateLimiter(storage, { name: "export", limit: 10, window: 3600 });
 * equal((await limiter.check(new Request("https://app.example/export"))).remaining, 9);
 * ```
 */
export function createValkeyRateLimitStorage(
  send: SendValkeyCommand,
  options: ValkeyRateLimitStorageOptions = {},
): RateLimitStorage {
  const { prefix = "rate-limit:", timeout } = optionsAt(options, "options", [
    "prefix",
    "timeout",
  ]) as ValkeyRateLimitStorageOptions;
  const ask = createValkeySender(send, prefix, timeout);

  async function takeBack(key: string, hit: unknown): Promise<void> {
    await ask("take back an attempt", ["ZREM", prefix + key, String(hit)]);
  }

  return {
    async takeRateLimit(key, { limit, window, now }): Promise<RateLimitTake> {
      const values = [String(limit), String(window), crypto.randomUUID()];
      const command = ["EVAL", TAKE, "1", prefix + key, ...values];
      const answer = await ask("count an attempt", command, async (answer) => {
        // Whoever it was has been told that it did not count.
        const hit = readAnswer(answer)?.hit;
        if (hit) await takeBack(key, hit);
      });
      const read = readAnswer(answer);
      if (read === null) {
        // As of a connection that is in a transaction, where it counts later or never.
        throw new StorageUnavailableError(
          "Cannot count an attempt: Valkey answered something else",
        );
      }
      const { hit, remaining, wait } = read;
      return {
        allowed: hit !== "",
        remaining: Math.max(0, remaining),
        // In the caller's time, whose clock may be another.
        resetAt: now + wait,
        hit: hit === "" ? null : hit,
      };
    },
    refundRateLimit: takeBack,
  };
}

/** Answer of the script; null for anything else, by which nobody is let through. */
function readAnswer(answer: unknown): { hit: string; remaining: number; wait: number } | null {
  if (!Array.isArray(answer) || answer.length !== 3) return null;
  const [name, left, ends] = answer as unknown[];
  // Clients tell texts as bytes where they are asked to, and integers that are large as texts or bigints.
  const hit = name instanceof Uint8Array ? new TextDecoder().decode(name) : name;
  const [remaining, wait] = [left, ends].map((one) => one === null ? NaN : Number(one));
  const isHit = typeof hit === "string" && /^(?:\d+:.+)?$/.test(hit);
  return isHit && Number.isFinite(remaining) && Number.isFinite(wait)
    ? { hit, remaining: remaining!, wait: wait! }
    : null;
}
