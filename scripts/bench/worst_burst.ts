import { createMemoryRateLimitStorage } from "@framework/auth/rate-limit";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { RateLimiterFlexibleModule } from "./peers.ts";

/** The most that 10 in 10 seconds let through within any 10 seconds, tried at the worst moments. */
async function worstBurst(allow: (now: number) => Promise<boolean>): Promise<number> {
  const real = Date.now;
  const start = real();
  const admitted: number[] = [];
  try {
    for (const [after, count] of [[0, 1], [9900, 20], [10_000, 20], [10_100, 20]] as const) {
      const now = start + after;
      Date.now = () => now;
      for (let index = 0; index < count; index++) if (await allow(now)) admitted.push(now);
    }
  } finally {
    Date.now = real;
  }
  return Math.max(...admitted.map((end) => {
    return admitted.filter((time) => time > end - 10_000 && time <= end).length;
  }));
}

/** Requests that the library and its peer let through, by name. */
export async function worstBursts(peers: string): Promise<Record<string, number>> {
  const require = createRequire(join(peers, "package.json"));
  const { RateLimiterMemory } = require("rate-limiter-flexible") as RateLimiterFlexibleModule;
  const storage = createMemoryRateLimitStorage();
  const peer = new RateLimiterMemory({ points: 10, duration: 10 });
  return {
    "the library": await worstBurst(async (now) => {
      return (await storage.takeRateLimit("k", { limit: 10, window: 10_000, now })).allowed;
    }),
    "rate-limiter-flexible": await worstBurst(() => {
      return peer.consume("k").then(() => true, () => false);
    }),
  };
}
