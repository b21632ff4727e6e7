/**
 * Exact rate limits in Valkey or Redis.
 *
 * @module
 */

import { StorageUnavailableError } from "../errors.ts";
import { optionsAt, wrongOption } from "../lib/options.ts";
import type { RateLimitStorage, RateLimitTake } from "../storage/rate_limits.ts";

/**
 * Function that sends one command to the server and returns its answer, such as
 * `(command) => client.sendCommand(command)`.
 */
export type SendValkeyCommand = (command: string[]) => Promise<unknown>;

/** Options for {@linkcode createValkeyRateLimitStorage}. */
export interface ValkeyRateLimitStorageOptions {
  /** Text before each key. Default `"rate-limit:"`. */
  prefix?: string;
  /** Milliseconds after which a server that has not answered counts as failed, 1 to 60,000. Default 2,000. */
  timeout?: number;
}

/**
 * KEYS[1] is the key; ARGV: limit, window in milliseconds, a text that no other attempt has. A sorted set holds the attempts
 * that were let through by their times. One that is refused writes nothing but what is over, and a clock that was set
 * back, as after a failover, puts no attempt before those that are there.
 */
const TAKE = `local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local key, limit, window = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', key, '-inf', now - window)
local count = redis.call('ZCARD', key)
local hit = ''
if count < limit then
  local newest = redis.call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2]
  local time = math.max(now, tonumber(newest or 0))
  hit = string.format('%.0f:', time) .. ARGV[3]
  redis.call('ZADD', key, time, hit)
  redis.call('PEXPIRE', key, time + window - now)
  count = count + 1
end
local at = math.max(0, count - limit)
local oldest = redis.call('ZRANGE', key, at, at, 'WITHSCORES')[2]
return { hit, limit - count, oldest + window - now }`;

const EXAMPLE =
  "a function that sends a command: (command) => client.sendCommand(command), or ([name, ...values]) => " +
  "client.call(name, ...values)";

/**
 * Counts attempts in Valkey (or Redis from 6.2), which several servers share. It is exact: within any span as long as
 * the window at most `limit` are let through, however many come at once and to however many servers. The decision is
 * one script on one key, by the clock of the server, and a key is gone when its window is over. A failover to a replica
 * may forget the attempts of the last moments, so nothing else is kept here. A server that does not answer in time
 * is a {@linkcode StorageUnavailableError}, and an attempt whose answer was lost may have been counted.
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
  if (typeof send !== "function") throw wrongOption("send", send, EXAMPLE);
  const { prefix = "rate-limit:", timeout = 2000 } = optionsAt(options, "options", [
    "prefix",
    "timeout",
  ]) as ValkeyRateLimitStorageOptions;
  if (typeof prefix !== "string") throw wrongOption("prefix", prefix, "a text");
  if (!Number.isInteger(timeout) || timeout < 1 || timeout > 60_000) {
    throw wrongOption("timeout", timeout, "whole milliseconds, 1 to 60,000");
  }

  async function ask(operation: string, command: string[]): Promise<unknown> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Error(`There was no answer within ${timeout} ms`)),
        timeout,
      );
    });
    try {
      // Clients keep a command while there is no connection, for as long as that takes.
      return await Promise.race([send(command), late]);
    } catch (cause) {
      throw new StorageUnavailableError(`Cannot ${operation}: Valkey did not answer`, { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async takeRateLimit(key, { limit, window, now }): Promise<RateLimitTake> {
      const values = [String(limit), String(window), crypto.randomUUID()];
      const answer = await ask("count an attempt", ["EVAL", TAKE, "1", prefix + key, ...values]);
      const [hit, remaining, wait] = answer as [unknown, unknown, unknown];
      const name = String(hit);
      return {
        allowed: name !== "",
        remaining: Math.max(0, Number(remaining)),
        // In the caller's time, whose clock may be another.
        resetAt: now + Number(wait),
        hit: name === "" ? null : name,
      };
    },
    async refundRateLimit(key, hit) {
      await ask("take back an attempt", ["ZREM", prefix + key, String(hit)]);
    },
  };
}
