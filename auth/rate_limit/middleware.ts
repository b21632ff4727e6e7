/**
 * rateLimitMiddleware(), which applies limiters to routes.
 *
 * @module
 */

import type { RateLimiter } from "./limiter.ts";

/** Options for {@linkcode rateLimitMiddleware}. */
export interface RateLimitMiddlewareOptions<Context> {
  /** Identifier of a request, for limiters that count by identifier. Default: none. */
  identifier?: (
    request: Request,
    context: Context,
  ) => string | null | undefined | Promise<string | null | undefined>;
}

/** A middleware: answers, or calls `next` and gives on its response. */
export type RateLimitMiddleware<Context> = (
  request: Request,
  next: (request?: Request) => Promise<Response>,
  context: Context,
) => Promise<Response>;

/** Adds to what an inner limiter has said: the fields are lists. */
function withHeaders(response: Response, headers: Record<string, string>): Response {
  // A switched protocol has no headers left to add to.
  if (response.status === 101) return response;
  const copy = new Response(response.body, response);
  for (const [name, value] of Object.entries(headers)) copy.headers.append(name, value);
  return copy;
}

/**
 * Makes a middleware that answers 429 once a limiter's limit is reached. Every other response says in
 * `RateLimit` how much is left.
 *
 * @param limiter What counts.
 * @param options `identifier`: who the request is about. Default: nobody, so that it counts by
 * address.
 *
 * @example
 * ```ts
 * import {
 *   createMemoryRateLimitStorage,
 *   createRateLimiter,
 *   rateLimitMiddleware,
 * } from "@framework/auth/rate-limit";
 * import { equal } from "node:assert/strict";
 *
 * const limiter = createRateLimiter(createMemoryRateLimitStorage(), {
 *   name: "api",
 *   limit: 1,
 *   window: 60,
 * });
 * const middleware = rateLimitMiddleware(limiter);
 *
 * const request = new Request("https://app.example/api");
 * const next = () => Promise.resolve(new Response("fine"));
 * const response = await middleware(request, next, {});
 * equal(response.headers.get("ratelimit"), '"api";r=0;t=60');
 * equal((await middleware(request, next, {})).status, 429);
 * ```
 */
export function rateLimitMiddleware<Context = unknown>(
  limiter: RateLimiter,
  options: RateLimitMiddlewareOptions<Context> = {},
): RateLimitMiddleware<Context> {
  return async function limit(request, next, context) {
    const identifier = await options.identifier?.(request, context);
    const result = await limiter.check(
      request,
      typeof identifier === "string" ? { identifier } : {},
    );
    if (result.response !== undefined) return result.response;
    return withHeaders(await next(), limiter.headers(result));
  };
}
