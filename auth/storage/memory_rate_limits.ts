// deno-lint-ignore-file require-await -- the port speaks in promises

/**
 * Rate limits that count in this process.
 *
 * @module
 */

import type { RateLimitRule, RateLimitStorage } from "./rate_limits.ts";

/** Refund of an attempt: its log, and its time there. */
interface Hit {
  name: string;
  time: number;
  counted: boolean;
}

// A log is a run of cells: how many they are, how many times it has, when it is over, and the times of the attempts
// that were let through, the oldest first. Of one that was given up the second says where another of its size is.
const LENGTH = 1;
const END = 2;
const TIMES = 3;

/** Cells of a log with one time. */
const SMALLEST = 4;
/** The log of who has tried nothing. */
const NOWHERE = 0;

// Above `maxKeys` so many logs are shared of each rule: who makes up keys must fill them all to shut others out.
const SHARED = 4096;

/** Which of the shared logs a key has (FNV-1a). */
function sharedBy(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index++) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) % SHARED;
}

/**
 * Counts attempts in the process. Of each key it knows the times of at most `limit` attempts. Above
 * `maxKeys` further keys share 4,096 logs until there is room: some who come new may be refused for what others did,
 * and nobody gets an attempt more.
 *
 * All logs are in one array of numbers: a million of them are no objects for the collector to visit, and who looks at one
 * waits for the memory once. A log takes 32 bytes with one time, 72 with up to six, and twice as much each
 * time that it is full.
 */
export function createMemoryRateLimits(maxKeys: number = 100_000): RateLimitStorage {
  const places = new Map<string, number>();
  let cells = new Float64Array(64);
  let used = SMALLEST;
  // By size, where the log is that was given up last.
  let vacant: number[] = [];
  let sweptAt = 0;

  function release(place: number): void {
    const size = cells[place]!;
    cells[place + LENGTH] = vacant[size] ?? NOWHERE;
    vacant[size] = place;
  }

  function allocate(size: number): number {
    const given = vacant[size];
    if (given) {
      vacant[size] = cells[given + LENGTH]!;
      return given;
    }
    const place = used;
    const end = place + size;
    if (end > cells.length) {
      const larger = new Float64Array(2 * end);
      larger.set(cells);
      cells = larger;
    }
    used = end;
    return place;
  }

  /** Moves a log to a place of about twice the size. */
  function move(place: number): number {
    const size = cells[place]!;
    // Odd: logs of a power of two would all begin in the same few sets of the processor's caches.
    const larger = size === 0 ? SMALLEST : 2 * size + 1;
    const to = allocate(larger);
    cells.copyWithin(to, place, place + size);
    cells[to] = larger;
    if (size > 0) release(place);
    return to;
  }

  /** Index at which the times of a log end. */
  function behind(place: number): number {
    return place + TIMES + cells[place + LENGTH]!;
  }

  function remove(place: number, { from, to }: { from: number; to: number }): void {
    cells.copyWithin(from, to, behind(place));
    cells[place + LENGTH]! -= to - from;
  }

  function sweep(now: number): void {
    sweptAt = now;
    for (const [name, place] of places) {
      if (cells[place + END]! > now) continue;
      release(place);
      places.delete(name);
    }
    if (places.size > 0) return;
    // Gives back the memory of a crowd that has gone.
    cells = new Float64Array(64);
    used = SMALLEST;
    vacant = [];
  }

  /** Log whose place a new key takes. */
  function nameFor(key: string, { limit, window, now }: RateLimitRule): string {
    if (places.size >= maxKeys && now - sweptAt >= 1000) sweep(now);
    // A key has one log at a time: its own begins when the shared one holds nothing any more.
    const shared = `\0${limit}/${window}/${sharedBy(key)}`;
    const place = places.get(shared) ?? NOWHERE;
    return cells[place + END]! > now || places.size >= maxKeys ? shared : key;
  }

  return {
    async takeRateLimit(key, rule) {
      const { limit, window, now } = rule;
      if (now - sweptAt >= 60_000) sweep(now);
      let name = key;
      let place = places.get(key);
      if (place === undefined) {
        name = nameFor(key, rule);
        place = places.get(name) ?? NOWHERE;
      }
      const from = place + TIMES;
      let to = from;
      while (to < behind(place) && cells[to]! <= now - window) to++;
      if (to > from) remove(place, { from, to });
      let length = cells[place + LENGTH]!;
      const allowed = length < limit;
      let hit: Hit | null = null;
      if (allowed) {
        // A clock that was set back must not put an attempt before those that are there.
        const time = length === 0 ? now : Math.max(now, cells[behind(place) - 1]!);
        if (TIMES + length >= cells[place]!) {
          place = move(place);
          places.set(name, place);
        }
        cells[place + TIMES + length] = time;
        cells[place + LENGTH] = ++length;
        cells[place + END] = time + window;
        hit = { name, time, counted: true };
      }
      // After the limit has been lowered the oldest one is not the one that is waited for.
      const awaited = Math.max(0, length - limit);
      const oldest = awaited < length ? cells[place + TIMES + awaited]! : now;
      return { allowed, remaining: Math.max(0, limit - length), resetAt: oldest + window, hit };
    },
    async refundRateLimit(_key, hit) {
      const own = hit as Hit;
      const place = places.get(own.name) ?? NOWHERE;
      let from = behind(place) - 1;
      while (from >= place + TIMES && cells[from] !== own.time) from--;
      if (own.counted && from >= place + TIMES) remove(place, { from, to: from + 1 });
      own.counted = false;
    },
  };
}
