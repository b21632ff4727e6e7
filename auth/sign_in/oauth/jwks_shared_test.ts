import assert from "node:assert/strict";
import { createShared } from "./jwks.ts";

const MINUTE = 60_000;

function createClock(): { at: number; fetch: typeof fetch; now(): number } {
  return {
    at: 0,
    fetch,
    now() {
      return this.at;
    },
  };
}

Deno.test("createShared() fetches once for all who ask at once, and again after five minutes", async () => {
  const clock = createClock();
  let loads = 0;
  const shared = createShared(async () => {
    const mine = ++loads;
    await new Promise((resolve) => setTimeout(resolve, 5));
    return mine;
  });
  const first = await Promise.all(Array.from({ length: 20 }, () => shared.get(clock)));
  assert.deepEqual(new Set(first), new Set([1]));
  clock.at = 5 * MINUTE - 1;
  assert.equal(await shared.get(clock), 1);
  clock.at = 5 * MINUTE;
  assert.equal(await shared.get(clock), 2);
  // A clock that jumps back.
  clock.at = 0;
  assert.equal(await shared.get(clock), 3);
});

// Tracks: R093, F24
Deno.test("createShared() fetches a fresh value at once, and then not again for a minute", async () => {
  const clock = createClock();
  let loads = 0;
  const shared = createShared(() => Promise.resolve(++loads));
  await shared.get(clock);
  for (let turn = 0; turn < 100; turn++) {
    assert.equal(await shared.get(clock, { fresh: true }), 2);
  }
  clock.at = MINUTE;
  assert.equal(await shared.get(clock, { fresh: true }), 3);
});

// Tracks: R093, F24
Deno.test("createShared() goes on with what it has for an hour when nobody answers", async () => {
  const clock = createClock();
  let works = true;
  const shared = createShared(() =>
    works ? Promise.resolve("value") : Promise.reject(new Error("no"))
  );
  works = false;
  await assert.rejects(shared.get(clock), /no/);
  works = true;
  await shared.get(clock);
  works = false;
  clock.at = 59 * MINUTE;
  assert.equal(await shared.get(clock), "value");
  assert.equal(await shared.get(clock, { fresh: true }), "value");
  clock.at = 60 * MINUTE;
  await assert.rejects(shared.get(clock), /no/);
});

// Tracks: R093, F22, F24
Deno.test("createShared() asks a provider that fails once for all who wait", async () => {
  const clock = createClock();
  let loads = 0;
  const shared = createShared(async () => {
    if (++loads === 1) return "value";
    await new Promise((resolve) => setTimeout(resolve, 5));
    throw new Error("no");
  });
  await shared.get(clock);
  for (const fresh of [true, false]) {
    loads = 1;
    clock.at += 6 * MINUTE;
    const asked = Array.from({ length: 20 }, () => shared.get(clock, { fresh }));
    assert.deepEqual(new Set(await Promise.all(asked)), new Set(["value"]));
    assert.equal(loads, 2);
  }
});

// Tracks: F22
Deno.test("createShared() lets nobody wait for others longer than for the provider", async () => {
  const caller = { ...createClock(), timeout: 50 };
  let loads = 0;
  const shared = createShared(() =>
    ++loads === 1 ? new Promise<number>(() => {}) : Promise.resolve(loads)
  );
  void shared.get(caller);
  const timers = globalThis.setTimeout;
  let pauses = 0;
  globalThis.setTimeout = ((work: () => void) => {
    pauses++;
    return timers(work, 0);
  }) as typeof setTimeout;
  try {
    assert.equal(await shared.get(caller), 2);
    assert.equal(pauses, 2);
  } finally {
    globalThis.setTimeout = timers;
  }
});

Deno.test("createShared() does not wait forever for a request that has died", async () => {
  const clock = createClock();
  let loads = 0;
  const shared = createShared(() =>
    ++loads === 1 ? new Promise<number>(() => {}) : Promise.resolve(loads)
  );
  void shared.get(clock);
  const timers = globalThis.setTimeout;
  // Nothing else is patient here.
  globalThis.setTimeout = ((work: () => void) => timers(work, 0)) as typeof setTimeout;
  try {
    assert.equal(await shared.get(clock), 2);
  } finally {
    globalThis.setTimeout = timers;
  }
});
