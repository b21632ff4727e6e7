import { createMemoryRateLimitStorage, createRateLimiter } from "@framework/auth/rate-limit";
import type { Contenders, Job, Setting } from "../contender.ts";

const KEYS = 10_000;
const HOUR = 3600;

/** Addresses in turn. */
function addresses(): () => string {
  const all = Array.from({ length: KEYS }, (_, index) => `10.0.${index >> 8}.${index & 255}`);
  let turn = 0;
  return () => all[turn++ % KEYS]!;
}

function storageTake(limit: number): Job {
  const storage = createMemoryRateLimitStorage();
  const next = addresses();
  return () => storage.takeRateLimit(next(), { limit, window: HOUR * 1000, now: Date.now() });
}

function limiterCheck(limit: number): Job {
  const limiter = createRateLimiter(createMemoryRateLimitStorage(), {
    name: "bench",
    limit,
    window: HOUR,
    clientAddress: addresses(),
  });
  const request = new Request("https://app.example/");
  return () => limiter.check(request);
}

async function flexible({ peers }: Setting, limit: number): Promise<Job> {
  const { RateLimiterMemory } = await peers.rateLimiterFlexible();
  const limiter = new RateLimiterMemory({ points: limit, duration: HOUR });
  const next = addresses();
  return () => limiter.consume(next()).catch(() => {});
}

/** Checks of one more action by one of 10,000 addresses. */
export const contenders: Contenders = {
  "let through: the library, by key": () => storageTake(1000),
  "let through: the library, check(request)": () => limiterCheck(1000),
  "let through: rate-limiter-flexible": (setting) => flexible(setting, 1000),
  "refused: the library, by key": () => storageTake(1),
  "refused: the library, check(request)": () => limiterCheck(1),
  "refused: rate-limiter-flexible": (setting) => flexible(setting, 1),
};
