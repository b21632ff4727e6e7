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

import {
  apiKeys,
  type Auth,
  createApiKey,
  createAuth,
  createUser,
  startSession,
} from "@framework/auth";
import { authMiddleware } from "@framework/auth/middleware";

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

/** An application whose keys count in this storage. */
function applicationOf(env: Env, storage: string): Auth<unknown> {
  return createAuth({
    database: env.DB,
    baseUrl: ORIGIN,
    providers: [apiKeys({ prefix: "acme" })],
    rateLimit: { storage: STORAGES[storage]!(env) },
  });
}

const ORIGIN = "https://app.example";

/** Makes a key with a limit of five, or asks a guarded route with one. */
async function answerKeys(env: Env, { searchParams }: URL): Promise<Response> {
  const auth = applicationOf(env, searchParams.get("storage")!);
  const key = searchParams.get("key");
  if (key === null) {
    return await auth.run(new Request(ORIGIN, { method: "POST" }), {}, undefined, async () => {
      await startSession((await createUser({ name: "Ada" })).id);
      const limit = { limit: 5, window: Number(searchParams.get("window")) };
      return new Response((await createApiKey({ name: "Limited", limit })).key);
    });
  }
  const request = new Request(ORIGIN, { headers: { authorization: `Bearer ${key}` } });
  const guard = authMiddleware({ apiKey: true });
  return await auth.run(
    request,
    {},
    undefined,
    (context) => guard(request, () => Promise.resolve(new Response("fine")), context),
  );
}

/** Answers `/<storage>?name=…&limit=…&window=…` as a limiter says, by the client's address. */
const worker: { fetch(request: Request, env: Env): Promise<Response> } = {
  async fetch(request, env) {
    const url = new URL(request.url);
    const { pathname, searchParams } = url;
    if (pathname === "/api-key") return await answerKeys(env, url);
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
