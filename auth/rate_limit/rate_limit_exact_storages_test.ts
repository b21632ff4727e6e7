import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { testRateLimitStorage } from "@framework/testing/storage";
import { inMatrix } from "../../tests/support/matrix.ts";
import { ConfigurationError } from "../errors.ts";
import { authSchema } from "../storage/schema.ts";
import { sqlite } from "../storage/sqlite.ts";
import { createD1Double } from "../tests/d1_double.ts";
import { createMemoryRateLimitStorage } from "./memory.ts";
import { createSqlRateLimitStorage } from "./sql.ts";
import type { RateLimitStorage } from "../storage/rate_limits.ts";

const NOW = Date.UTC(2026, 0, 1);
const WINDOW = 10_000;

await testRateLimitStorage("createMemoryRateLimitStorage()", {
  open: () => ({ storage: createMemoryRateLimitStorage() }),
});

// storage_conformance_test.ts has the same statements by the storage that they are of.
if (inMatrix) {
  await testRateLimitStorage("createSqlRateLimitStorage() over a double of D1", {
    open() {
      const database = createD1Double();
      return { storage: createSqlRateLimitStorage(database), close: () => database.close() };
    },
  });

  await testRateLimitStorage("createSqlRateLimitStorage() over node:sqlite", {
    open() {
      const file = new DatabaseSync(":memory:");
      file.exec(authSchema.up);
      return {
        storage: createSqlRateLimitStorage(sqlite(file)),
        async close() {
          // One take of a hundred removes what is over, which nobody waits for.
          await new Promise((resolve) => setTimeout(resolve));
          file.close();
        },
      };
    },
  });
}

async function useKeys(
  storage: RateLimitStorage,
  { count, now, from = 0 }: { count: number; now: number; from?: number },
): Promise<number> {
  let allowed = 0;
  for (let index = from; index < from + count; index++) {
    const take = await storage.takeRateLimit(`key-${index}`, { limit: 2, window: WINDOW, now });
    if (take.allowed) allowed++;
  }
  return allowed;
}

// Tracks: R150
Deno.test("createSqlRateLimitStorage() keeps no rows of 20,000 keys that are over", async () => {
  const database = createD1Double();
  const storage = createSqlRateLimitStorage(database);
  const rows = () =>
    Number(database.sqlite.prepare("SELECT COUNT(*) AS n FROM rate_limits").get()!.n);
  database.sqlite.exec(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
    INSERT INTO rate_limits SELECT 'key-' || i, '', ${NOW} + ${WINDOW} FROM n`,
  );
  assert.equal(rows(), 20_000);
  // One key goes on, as an attacker's does, with nobody signing in.
  for (let index = 0; index % 100 > 0 || rows() > 1; index++) {
    assert.ok(index < 12_000);
    await storage.takeRateLimit("key-0", { limit: 2, window: WINDOW, now: NOW + WINDOW + index });
  }
  database.close();
});

// Tracks: R150
Deno.test("createSqlRateLimitStorage() keeps a row no longer than the limit, and writes nothing for who is refused", async () => {
  const database = createD1Double();
  const storage = createSqlRateLimitStorage(database);
  for (let index = 0; index < 50; index++) {
    await storage.takeRateLimit("k", { limit: 5, window: WINDOW, now: NOW + index * WINDOW / 5 });
  }
  const row = () => database.sqlite.prepare("SELECT hits, expires_at FROM rate_limits").get()!;
  assert.match(String(row().hits), /^(?:\d{13}[a-z]{5}){5}$/);
  const before = { ...row() };
  const rule = { limit: 5, window: WINDOW, now: NOW + 49 * WINDOW / 5 + 1 };
  assert.equal((await storage.takeRateLimit("k", rule)).allowed, false);
  assert.deepEqual({ ...row() }, before);
  database.close();
});

// Tracks: R143
Deno.test("createSqlRateLimitStorage() decides in one statement, and asks once more for who is refused", async () => {
  const database = createD1Double();
  const storage = createSqlRateLimitStorage(database);
  const trips: number[] = [];
  for (let index = 0; index < 6; index++) {
    const before = database.trips;
    await storage.takeRateLimit("k", { limit: 3, window: WINDOW, now: NOW });
    trips.push(database.trips - before);
  }
  assert.deepEqual(trips, [1, 1, 1, 2, 2, 2]);
  database.close();
});

// Tracks: R150, memory store growth
Deno.test("createMemoryRateLimitStorage() forgets keys that are over, and bounds those that are not", async () => {
  const storage = createMemoryRateLimitStorage({ maxKeys: 1000 });
  assert.equal(await useKeys(storage, { count: 1000, now: NOW }), 1000);
  // 262,144 shared counts of two: whoever comes new may be refused for others, and nobody gets more.
  const crowded = await useKeys(storage, { count: 600_000, now: NOW + 1, from: 1000 });
  assert.ok(crowded <= 2 * 262_144, `${crowded} attempts`);
  assert.equal(await useKeys(storage, { count: 1000, now: NOW + 2 }), 1000);
  assert.equal(await useKeys(storage, { count: 1000, now: NOW + 3 }), 0);
  const later = NOW + 2 * WINDOW + 60_000;
  assert.equal(await useKeys(storage, { count: 1000, now: later, from: 50_000 }), 1000);
});

Deno.test("createMemoryRateLimitStorage() gives a key no attempt more when it moves to a count of its own", async () => {
  const storage = createMemoryRateLimitStorage({ maxKeys: 1 });
  const rule = (now: number) => ({ limit: 2, window: WINDOW, now });
  await storage.takeRateLimit("first", rule(NOW));
  const taken = [];
  for (const after of [5000, 6000, WINDOW + 1000, WINDOW + 2000, WINDOW + 5999]) {
    taken.push((await storage.takeRateLimit("second", rule(NOW + after))).allowed);
  }
  assert.deepEqual(taken, [true, true, false, false, false]);
  // A shared count begins anew when its last attempt is over.
  const back = await storage.takeRateLimit("second", rule(NOW + WINDOW + 6000));
  assert.equal(back.allowed, true);
  await storage.refundRateLimit("second", back.hit);
  assert.equal((await storage.takeRateLimit("second", rule(NOW + WINDOW + 6000))).allowed, true);
});

Deno.test("createMemoryRateLimitStorage() throws a ConfigurationError for room for no keys", () => {
  for (const maxKeys of [0, -1, 1.5, "many" as unknown as number]) {
    assert.throws(() => createMemoryRateLimitStorage({ maxKeys }), ConfigurationError);
  }
});
