import fc from "fast-check";
import assert from "node:assert/strict";
import { StorageUnavailableError } from "../errors.ts";
import { createKeyValueDouble, type KeyValueDouble } from "../tests/key_value_double.ts";
import { createFixedWindowStorage, createSlidingWindowStorage } from "./kv.ts";
import type { RateLimitStorage } from "../storage/rate_limits.ts";

const WINDOW = 10_000;
// A limit holds where nothing is shown earlier than the platform promises.
const LATE = { showsOwnWrites: false };
const FRESH = { staleFor: 0, showsOwnWrites: false };
const STORAGES = { createFixedWindowStorage, createSlidingWindowStorage };

function take(storage: RateLimitStorage, double: KeyValueDouble, limit: number, window = WINDOW) {
  return storage.takeRateLimit("k", { limit, window, now: double.clock.now });
}

/** The most that any span of the window has. */
function worstBurst(times: number[], window: number): number {
  return Math.max(
    0,
    ...times.map((end) => {
      return times.filter((time) => time > end - window && time <= end).length;
    }),
  );
}

const visits = fc.array(
  fc.record({
    pause: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: WINDOW })),
    isolate: fc.integer({ min: 0, max: 2 }),
    together: fc.integer({ min: 1, max: 4 }),
  }),
  { maxLength: 60 },
);

for (const [name, create] of Object.entries(STORAGES)) {
  const bound = create === createFixedWindowStorage ? "twice the limit at most" : "the limit";

  // Tracks: R144, R145, F02, F03, F14, F15, F16
  Deno.test(`${name}() lets through at most the limit per isolate, with reads of 60 seconds ago and lost writes`, async () => {
    let worst = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(visits, fc.integer({ min: 1, max: 4 }), async (given, limit) => {
        const double = createKeyValueDouble(LATE);
        const isolates = ["a", "b", "c"].map((location) => create(double.at(location)));
        const all: number[] = [];
        const each: number[][] = [[], [], []];
        for (const { pause, isolate, together } of given) {
          double.clock.now += pause;
          const takes = await Promise.all(Array.from({ length: together }, () => {
            return take(isolates[isolate]!, double, limit);
          }));
          for (const { allowed, remaining } of takes) {
            assert.ok(remaining >= 0 && remaining < limit);
            if (!allowed) continue;
            all.push(double.clock.now);
            each[isolate]!.push(double.clock.now);
          }
        }
        for (const times of each) assert.ok(worstBurst(times, WINDOW) <= limit);
        assert.ok(worstBurst(all, WINDOW) <= 3 * limit);
        worst = Math.max(worst, worstBurst(all, WINDOW) / limit);
        refused += double.refused;
      }),
      { numRuns: 200 },
    );
    // The double does what it is for: otherwise this would prove nothing.
    assert.ok(worst > 1 && refused > 100, `${worst} ${refused}`);
  });

  // Tracks: R145, F03
  Deno.test(
    `${name}() lets all isolates together through ${bound} when reads are fresh`,
    async () => {
      const factor = create === createFixedWindowStorage ? 2 : 1;
      let worst = 0;
      await fc.assert(
        fc.asyncProperty(visits, fc.integer({ min: 1, max: 4 }), async (given, limit) => {
          const double = createKeyValueDouble(FRESH);
          const isolates = ["a", "b", "c"].map((location) => create(double.at(location)));
          const times: number[] = [];
          for (const { pause, isolate } of given) {
            // A key takes one write in a second.
            double.clock.now += 1000 + pause % 4000;
            const { allowed } = await take(isolates[isolate]!, double, limit);
            if (allowed) times.push(double.clock.now);
          }
          worst = Math.max(worst, worstBurst(times, WINDOW) / limit);
          assert.ok(worstBurst(times, WINDOW) <= factor * limit);
        }),
        { numRuns: 200 },
      );
      assert.ok(factor === 1 ? worst === 1 : worst > 1, String(worst));
    },
  );

  // Tracks: R144, F02
  Deno.test(`${name}() lets one isolate through exactly the limit of 100 at once, 20 times of 20`, async () => {
    const double = createKeyValueDouble(LATE);
    const view = double.at("a");
    for (let round = 0; round < 20; round++) {
      // An application makes its storage anew in each request.
      const takes = await Promise.all(Array.from({ length: 100 }, () => {
        return create(view).takeRateLimit(`race-${round}`, {
          limit: 5,
          window: WINDOW,
          now: double.clock.now,
        });
      }));
      assert.equal(takes.filter(({ allowed }) => allowed).length, 5);
    }
  });

  // Tracks: R144, R149, F16
  Deno.test(`${name}() does not fail when writes do, and says that it could not write`, async () => {
    const double = createKeyValueDouble(LATE);
    double.fail.writes = "KV PUT failed: 500 Internal Server Error";
    const log: string[] = [];
    const line = (event: string) => void log.push(event);
    const storage = create(double.at("a"), { logger: { info: line, warn: line, error: line } });
    const allowed = [];
    for (let index = 0; index < 4; index++) allowed.push((await take(storage, double, 2)).allowed);
    assert.deepEqual(allowed, [true, true, false, false]);
    assert.deepEqual(log, ["rate-limit-write-failed", "rate-limit-write-failed"]);
  });

  // Tracks: R149
  Deno.test(`${name}() throws when it cannot read, and counts nothing then`, async () => {
    const double = createKeyValueDouble(LATE);
    const storage = create(double.at("a"));
    double.fail.reads = "KV GET failed: 500 Internal Server Error";
    for (let index = 0; index < 3; index++) {
      await assert.rejects(take(storage, double, 2), StorageUnavailableError);
    }
    double.fail.reads = undefined;
    assert.equal((await take(storage, double, 2)).allowed, true);
    assert.equal((await take(storage, double, 2)).allowed, true);
    assert.equal((await take(storage, double, 2)).allowed, false);
  });

  // Tracks: F16, R150
  Deno.test(`${name}() has windows below 60 seconds and keys of any length, and leaves nothing`, async () => {
    const double = createKeyValueDouble(FRESH);
    const [one, other] = [create(double.at("a")), create(double.at("b"))];
    for (const key of ["k".repeat(2000), "ключ".repeat(200), "", "."]) {
      const rule = () => ({ limit: 1, window: WINDOW, now: double.clock.now });
      assert.equal((await one.takeRateLimit(key, rule())).allowed, true);
      assert.equal((await other.takeRateLimit(key, rule())).allowed, false);
      double.clock.now += WINDOW;
      assert.equal((await other.takeRateLimit(key, rule())).allowed, true);
    }
    double.clock.now += 60_000;
    assert.deepEqual(await double.stored(), []);
  });

  Deno.test(`${name}() takes an attempt back`, async () => {
    const double = createKeyValueDouble(FRESH);
    const storage = create(double.at("a"));
    for (let index = 0; index < 10; index++) {
      double.clock.now += 1000;
      const { allowed, hit } = await take(storage, double, 1, 3_600_000);
      assert.equal(allowed, true);
      double.clock.now += 1000;
      await storage.refundRateLimit("k", hit);
    }
    await take(storage, double, 1, 3_600_000);
    assert.equal((await take(storage, double, 1, 3_600_000)).allowed, false);
  });

  // Tracks: F19
  Deno.test(`${name}() takes what somebody else stored for nothing`, async () => {
    for (const text of ["", "null", "1:x", "{}", "0".repeat(18), "x:y:z", "é".repeat(18)]) {
      const double = createKeyValueDouble(FRESH);
      const namespace = double.at("a");
      const storage = create({ get: () => Promise.resolve(text), put: namespace.put });
      const { allowed, remaining } = await take(storage, double, 2);
      assert.deepEqual([allowed, remaining], [true, 1], text);
    }
  });
}

for (const [name, create] of Object.entries(STORAGES)) {
  // Tracks: F15
  Deno.test(`${name}() stores with the next attempt what a lost write had`, async () => {
    const double = createKeyValueDouble(FRESH);
    const namespace = double.at("a");
    let lost = 1;
    const one = create({
      get: namespace.get,
      put: (...values) => lost-- > 0 ? Promise.reject(new Error("429")) : namespace.put(...values),
    });
    for (let count = 0; count < 2; count++) {
      assert.equal((await take(one, double, 4)).allowed, true);
      double.clock.now += 1000;
    }
    assert.equal((await take(create(double.at("b")), double, 4)).remaining, 1);
  });
}

/** Keys that an isolate knows of one namespace at most. */
const KNOWN = 10_000;

for (const [name, create] of Object.entries(STORAGES)) {
  Deno.test(`${name}() remembers of 10,000 keys what their lost writes had, and forgets it for one more`, async () => {
    const rule = { limit: 4, window: 60_000, now: Date.UTC(2026, 0, 1) };
    for (const [more, counted] of [[0, 2], [1, 1]] as const) {
      const texts = new Map<string, string>();
      let lost = 2;
      const get = (key: string) => Promise.resolve(texts.get(key) ?? null);
      const put = (key: string, text: string) =>
        lost-- > 0 ? Promise.reject(new Error("429")) : Promise.resolve(void texts.set(key, text));
      const one = create({ get, put });
      const others = Array.from({ length: KNOWN - 2 + more }, (_, index) => `${index}`);
      // What is known of a key already takes no further place.
      for (const key of ["j", "k", ...others, "j", "k"]) {
        assert.equal((await one.takeRateLimit(key, rule)).allowed, true);
      }
      // Another isolate sees what this one still knew when it wrote.
      const { remaining } = await create({ get, put }).takeRateLimit("k", rule);
      assert.equal(remaining, rule.limit - counted - 1, `${more}`);
    }
  });
}

Deno.test("createFixedWindowStorage() forgets no window that another isolate has begun, in one whose clock is behind", async () => {
  const double = createKeyValueDouble(FRESH);
  double.limitsWrites = false;
  const [ahead, behind, third] = ["a", "b", "c"].map((location) =>
    createFixedWindowStorage(double.at(location))
  ) as [RateLimitStorage, RateLimitStorage, RateLimitStorage];
  const begun = Math.ceil(double.clock.now / WINDOW) * WINDOW;
  const rule = { limit: 2, window: WINDOW };
  await ahead.takeRateLimit("k", { ...rule, now: begun });
  const late = await behind.takeRateLimit("k", { ...rule, now: begun - 1 });
  assert.deepEqual([late.allowed, late.remaining], [true, 0]);
  assert.equal((await third.takeRateLimit("k", { ...rule, now: begun + 1 })).allowed, false);
  await behind.refundRateLimit("k", late.hit);
  assert.equal((await third.takeRateLimit("k", { ...rule, now: begun + 1 })).allowed, true);
});

Deno.test("createSlidingWindowStorage() counts an attempt of an isolate whose clock is behind as long as any other", async () => {
  const double = createKeyValueDouble(FRESH);
  double.limitsWrites = false;
  const [ahead, behind] = ["a", "b"].map((location) =>
    createSlidingWindowStorage(double.at(location))
  ) as [RateLimitStorage, RateLimitStorage];
  const { now } = double.clock;
  const rule = { limit: 2, window: WINDOW };
  await ahead.takeRateLimit("k", { ...rule, now });
  const late = await behind.takeRateLimit("k", { ...rule, now: now - 5000 });
  assert.equal(late.allowed, true);
  const within = { ...rule, now: now + WINDOW - 1 };
  assert.equal((await ahead.takeRateLimit("k", within)).allowed, false);
  const after = { ...rule, now: now + WINDOW };
  assert.equal((await ahead.takeRateLimit("k", after)).allowed, true);
});

Deno.test("two ways of counting in one namespace overwrite nothing of each other", async () => {
  const double = createKeyValueDouble(FRESH);
  const namespace = double.at("a");
  for (const create of [createFixedWindowStorage, createSlidingWindowStorage]) {
    assert.equal((await take(create(namespace), double, 1)).remaining, 0);
  }
  for (const create of [createFixedWindowStorage, createSlidingWindowStorage]) {
    assert.equal((await take(create(double.at("b")), double, 1)).allowed, false, create.name);
  }
});

// Tracks: R146
Deno.test("createFixedWindowStorage() counts in windows that begin at multiples of their length", async () => {
  const double = createKeyValueDouble(FRESH);
  const [one, other] = ["a", "b"].map((location) =>
    createFixedWindowStorage(double.at(location))
  ) as [RateLimitStorage, RateLimitStorage];
  double.clock.now += 7000;
  const end = double.clock.now + 3000;
  const taken = await take(one, double, 1);
  assert.deepEqual([taken.allowed, taken.resetAt], [true, end + 7000], "this isolate's own window");
  const refused = await take(other, double, 1);
  assert.deepEqual([refused.allowed, refused.remaining, refused.resetAt], [false, 0, end]);
  double.clock.now = end;
  assert.equal((await take(other, double, 1)).allowed, true);
});
