import { randomBytes } from "../crypto/token.ts";
import type { RateLimitRule, RateLimitTake } from "./rate_limit_storage.ts";

/** How many characters of an entry are its time. */
const TIME_LENGTH = 13;
/** How long an entry is. */
export const HIT_LENGTH = 18;

/** A time in milliseconds since 1970 as text that sorts like the times do. */
export function timeText(time: number): string {
  return String(Math.max(0, Math.trunc(time))).padStart(TIME_LENGTH, "0");
}

/** An entry: its time, and five letters that no other entry of that time has. */
export function createHit(now: number): string {
  const letters = randomBytes(5).map((byte) => 97 + byte % 26);
  return timeText(now) + String.fromCharCode(...letters);
}

/** The entries of a log. */
export function hitsOf(log: string): string[] {
  return log.match(/.{18}/g) ?? [];
}

/**
 * What a log says after an attempt.
 *
 * @param log Entries without anything between them, the newest first. One of an attempt that was let
 * through begins with its entry.
 */
export function readHits(
  log: string,
  allowed: boolean,
  { limit, window, now }: RateLimitRule,
): RateLimitTake {
  const times = hitsOf(log).map((hit) => parseInt(hit)).filter((time) => time > now - window);
  return {
    allowed,
    remaining: allowed ? limit - times.length : 0,
    resetAt: (times.slice(0, limit).at(-1) ?? now) + window,
    hit: allowed ? log.slice(0, HIT_LENGTH) : null,
  };
}
