import assert from "node:assert/strict";
import { createValkeyRateLimitStorage, type RateLimitStorage } from "@framework/auth/rate-limit";
import { Redis } from "iovalkey";
import { createClient } from "redis";
import { createTestApplication } from "../../auth/tests/application.ts";
import { createD1Double } from "../../auth/tests/d1_double.ts";
import { assertExactGuesses } from "../../auth/tests/guess_race.ts";
import { admitted, EXACT_CASES } from "../../testing/storage/rate_limit_cases.ts";
import { findValkey, valkeyHint } from "../../scripts/valkey.ts";
import { startValkey } from "../support/valkey.ts";

const program = await findValkey();

/** A storage whose server has the time of each rule for its clock, as the cases want it. */
function withClock(send: (command: string[]) => Promise<unknown>): RateLimitStorage {
  let now = 0;
  const storage = createValkeyRateLimitStorage(([name, script, ...rest]) => {
    if (name !== "EVAL") return send([name!, script!, ...rest]);
    const clock = `{ ${Math.floor(now / 1000)}, ${now % 1000 * 1000} }`;
    const timed = script!.replace("redis.call('TIME')", clock);
    assert.notEqual(timed, script);
    return send([name, timed, ...rest]);
  });
  return {
    ...storage,
    takeRateLimit(key, rule) {
      now = rule.now;
      return storage.takeRateLimit(key, rule);
    },
  };
}

Deno.test({
  name: `limits over Valkey${program === null ? `: ${valkeyHint}` : ""}`,
  ignore: program === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(test) {
    const server = await startValkey(program!);
    const client = createClient({ url: server.url });
    client.on("error", () => {});
    await client.connect();
    const other = new Redis(server.url, { lazyConnect: true });
    other.on("error", () => {});
    await other.connect();
    const storages = [
      createValkeyRateLimitStorage((command) => client.sendCommand(command)),
      createValkeyRateLimitStorage(([name, ...values]) => other.call(name!, ...values)),
    ];
    const [storage] = storages as [RateLimitStorage];
    try {
      for (const [name, check] of Object.entries(EXACT_CASES)) {
        await test.step(name, async () => {
          await check(withClock((command) => client.sendCommand(command)), { runs: 10 });
          await client.sendCommand(["FLUSHALL"]);
        });
      }

      // Tracks: R143, F02
      await test.step("two servers with two clients share one limit, by the clock of Valkey", async () => {
        for (let round = 0; round < 20; round++) {
          // The clock of one of them is a day ahead.
          const now = Date.now() + round % 2 * 86_400_000;
          const options = { count: 100, limit: 5, now };
          assert.equal(await admitted(storages, `shared-${round}`, options), 5);
        }
      });

      // Tracks: R145, R146
      await test.step("no span as long as the window has more than the limit, by the times of Valkey", async () => {
        const window = 200;
        const times: number[] = [];
        while (times.length < 12) {
          const takes = await Promise.all(
            storages.map((one) => one.takeRateLimit("span", { limit: 3, window, now: Date.now() })),
          );
          times.push(
            ...takes.filter(({ allowed }) => allowed).map(({ hit }) => parseInt(String(hit))),
          );
        }
        times.sort((a, b) => a - b);
        for (let index = 3; index < times.length; index++) {
          assert.ok(times[index]! - times[index - 3]! >= window, times.join());
        }
      });

      // Tracks: R150
      await test.step("a key is gone when its window is over, and who is refused writes nothing", async () => {
        const rule = { limit: 2, window: 60_000, now: Date.now() };
        for (let index = 0; index < 4; index++) await storage.takeRateLimit("kept", rule);
        assert.equal(await client.zCard("rate-limit:kept"), 2);
        const life = await client.pTTL("rate-limit:kept");
        assert.ok(life > 0 && life <= 60_000, String(life));
        await storage.takeRateLimit("short", { limit: 2, window: 1, now: Date.now() });
        while (await client.exists("rate-limit:short") > 0) await storage.refundRateLimit("x", "y");
      });

      // Tracks: R168, R143, A-09
      await test.step("guesses at once at two servers are counted exactly, known browsers apart", async () => {
        const database = createD1Double();
        const servers = storages.map((one) =>
          createTestApplication({ database, rateLimit: { storage: one } })
        );
        await assertExactGuesses(servers, 2);
        for (const one of servers) one.close();
        database.close();
      });

      // Tracks: R043
      await test.step("a server that hangs or is away is a 503, and counts again when it is back", async () => {
        const patient = createValkeyRateLimitStorage(
          (command) => client.sendCommand(command),
          { timeout: 200 },
        );
        const rule = { limit: 2, window: 60_000, now: Date.now() };
        const away = { code: "STORAGE_UNAVAILABLE", status: 503 };
        const goOn = server.pause();
        await assert.rejects(patient.takeRateLimit("hangs", rule), away);
        goOn();
        const application = createTestApplication({ rateLimit: { storage } });
        const fields = { name: "ada", password: "right" };
        const restarted = server.restart();
        assert.equal((await application.send("/signin/credentials", { fields })).status, 503);
        await restarted;
        while (!client.isReady) await new Promise((resolve) => setTimeout(resolve, 20));
        assert.equal((await application.send("/signin/credentials", { fields })).status, 303);
        application.close();
      });

      // Tracks: R043
      await test.step("attempts that were answered by a 503 count for nobody once the server goes on", async () => {
        const rule = { limit: 3, window: 60_000, now: Date.now() };
        const sent: Promise<unknown>[] = [];
        const patient = createValkeyRateLimitStorage((command) => {
          const answer = client.sendCommand(command);
          sent.push(answer);
          return answer;
        }, { timeout: 100 });
        const goOn = server.pause();
        const refused = await Promise.allSettled(
          Array.from({ length: 6 }, () => patient.takeRateLimit("stalled", rule)),
        );
        assert.ok(refused.every(({ status }) => status === "rejected"));
        goOn();
        for (let done = 0; done < sent.length; done++) await sent[done];
        assert.equal(await client.zCard("rate-limit:stalled"), 0);
        assert.equal((await storage.takeRateLimit("stalled", rule)).remaining, 2);
      });

      // Tracks: R043
      await test.step("a server without memory left is a 503, however much it had to remove", async () => {
        const rule = { limit: 100, window: 60_000, now: Date.now() };
        await storage.takeRateLimit("full", rule);
        await client.sendCommand(["ZADD", "rate-limit:full", "1", "1:old"]);
        await client.sendCommand(["CONFIG", "SET", "maxmemory", "1"]);
        try {
          await assert.rejects(
            storage.takeRateLimit("full", rule),
            (error: Error & { status: number }) =>
              error.status === 503 && /OOM/.test(String(error.cause)),
          );
        } finally {
          await client.sendCommand(["CONFIG", "SET", "maxmemory", "0"]);
        }
        assert.equal((await storage.takeRateLimit("full", rule)).remaining, 98);
      });

      await test.step("an error of the server is a 503, and no attempt is let through", async () => {
        await client.sendCommand(["SET", "rate-limit:taken", "a text"]);
        await assert.rejects(
          storage.takeRateLimit("taken", { limit: 1, window: 1000, now: Date.now() }),
          (error: Error & { status: number }) =>
            error.status === 503 && /WRONGTYPE/.test(String(error.cause)),
        );
      });
    } finally {
      await client.close();
      other.disconnect();
      await server.stop();
    }
  },
});

// Tracks: R043
Deno.test("an answer that is none of the script lets nobody through", async () => {
  const rule = { limit: 1, window: 1000, now: 0 };
  for (
    const answer of [
      ...[undefined, null, "QUEUED", "OK", 1, [], [null, 0, 0], ["x", NaN, NaN]],
      ...[["1790000000000:b1", 0], ["1790000000000:b1", "no", 1], ["", 0, null], {}],
    ]
  ) {
    const storage = createValkeyRateLimitStorage(() => Promise.resolve(answer));
    await assert.rejects(storage.takeRateLimit("key", rule), { status: 503 });
  }
});

// Tracks: R043
Deno.test("nothing more is sent to a server that answers nobody, until it does", async () => {
  const waiting: (() => void)[] = [];
  let isStalled = true;
  const storage = createValkeyRateLimitStorage(([name]) => {
    const answer = name === "EVAL" ? ["1790000000000:b1", 0, 1000] : 1;
    if (!isStalled) return Promise.resolve(answer);
    return new Promise((resolve) => waiting.push(() => resolve(answer)));
  }, { timeout: 1 });
  const rule = { limit: 1, window: 1000, now: 0 };
  for (let sent = 0; sent < 12; sent++) {
    await Promise.allSettled(Array.from({ length: 100 }, () => storage.takeRateLimit("key", rule)));
  }
  assert.equal(waiting.length, 1000);
  isStalled = false;
  for (const answer of waiting) answer();
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal((await storage.takeRateLimit("key", rule)).allowed, true);
});

Deno.test("createValkeyRateLimitStorage() says what to write", () => {
  for (const send of [undefined, {}, "redis://localhost"]) {
    assert.throws(() => createValkeyRateLimitStorage(send as never), {
      name: "ConfigurationError",
      message: /send.*\(command\) => client\.sendCommand\(command\)/,
    });
  }
  const send = () => Promise.resolve(null);
  for (const options of [{ timeout: 0 }, { timeout: 1.5 }, { prefix: 1 }, { timeOut: 5 }]) {
    assert.throws(() => createValkeyRateLimitStorage(send, options as never), {
      name: "ConfigurationError",
    });
  }
});
