import { createDurableObjectRateLimitStorage, createRateLimiter } from "@framework/auth/rate-limit";
import type { Env } from "../../env.ts";

export async function GET(
  request: Request,
  { env }: { env: Env },
): Promise<Response> {
  const storage = createDurableObjectRateLimitStorage(env.LIMITS);
  const limiter = createRateLimiter(storage, {
    name: "limited",
    limit: 2,
    window: 60,
    by: "identifier",
  });
  const { success, response } = await limiter.check(request, { identifier: "everybody" });
  return success ? Response.json({ success }) : response!;
}
