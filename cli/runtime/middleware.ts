import type { RequestContext } from "./types.ts";

/** A middleware with its file, for messages. */
export interface NamedMiddleware {
  file: string;
  run(
    request: Request,
    next: (request?: Request) => Promise<Response>,
    context: RequestContext,
  ): Response | Promise<Response>;
}

/**
 * Runs middleware around a handler, the first one outermost.
 *
 * @throws {TypeError} When one returns no response, or calls `next` twice.
 */
export function runMiddleware(
  chain: readonly NamedMiddleware[],
  { request, context }: { request: Request; context: RequestContext },
  handler: (request: Request) => Promise<Response>,
): Promise<Response> {
  if (chain.length === 0) return handler(request);
  async function step(index: number, current: Request): Promise<Response> {
    const middleware = chain[index];
    if (!middleware) return await handler(current);
    let called = false;
    const response = await middleware.run(current, (replaced) => {
      if (called) {
        return Promise.reject(new TypeError(`${middleware.file} calls next() more than once.`));
      }
      called = true;
      return step(index + 1, replaced ?? current);
    }, context);
    if (response instanceof Response) return response;
    throw new TypeError(
      `The middleware in ${middleware.file} returned no response. Return what next() resolves with, or a Response.`,
    );
  }
  return step(0, request);
}
