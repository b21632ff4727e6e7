import {
  createDurableObjectRateLimitStorage,
  createFixedWindowStorage,
  createPlatformRateLimitStorage,
  createRateLimiter,
  createSlidingWindowStorage,
  createSqlRateLimitStorage,
  type RateLimitBinding,
  type RateLimitNamespace,
  type RateLimitObjectNamespace,
  type RateLimitStorage,
  type SqlDatabase,
} from "@framework/auth/rate-limit";

export { RateLimitObject } from "@framework/auth/rate-limit";

/** The bindings of the worker under test. */
interface Env {
  DB: SqlDatabase;
  KV: RateLimitNamespace;
  LIMITS: RateLimitObjectNamespace;
  PLATFORM: RateLimitBinding;
}

const STORAGES: Record<string, (env: Env) => RateLimitStorage> = {
  sql: ({ DB }) => createSqlRateLimitStorage(DB),
  object: ({ LIMITS }) => createDurableObjectRateLimitStorage(LIMITS),
  fixed: ({ KV }) => createFixedWindowStorage(KV),
  sliding: ({ KV }) => createSlidingWindowStorage(KV),
  platform: ({ PLATFORM }) => createPlatformRateLimitStorage(PLATFORM),
};

/** Answers `/<storage>?name=…&limit=…&window=…` as a limiter says, by the client's address. */
const worker: { fetch(request: Request, env: Env): Promise<Response> } = {
  async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url);
    const limiter = createRateLimiter(STORAGES[pathname.slice(1)]!(env), {
      name: searchParams.get("name") ?? "test",
      limit: Number(searchParams.get("limit") ?? 5),
      window: Number(searchParams.get("window") ?? 900),
    });
    const result = await limiter.check(request);
    return result.response ?? new Response("fine", { headers: limiter.headers(result) });
  },
};

export default worker;
