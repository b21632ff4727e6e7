import type { AuthError } from "../errors/auth_error.ts";

const KEY: unique symbol = Symbol.for("framework.refusals");
const shared = globalThis as { [KEY]?: WeakMap<object, AuthError> };

// On the global object, so that two copies of this module in one bundle speak of the same responses. By
// the response itself and not by one of its headers: nothing that a client or another server sends is one.
const refusals: WeakMap<object, AuthError> = shared[KEY] ??= new WeakMap();

/** Remembers why a response refuses. */
export function markRefusal(response: Response, error: AuthError): Response {
  refusals.set(response, error);
  return response;
}

/**
 * Why `authMiddleware()` refused, for a host that shows a page of its own in place of the response; null
 * for every other response, redirects among them.
 *
 * @param response The very response that the middleware returned: a copy of it is another one.
 *
 * @example
 * ```ts
 * import { authMiddleware, refusalOf } from "@framework/auth/middleware";
 * import { equal } from "node:assert/strict";
 *
 * const context = { auth: { getUser: () => Promise.resolve(null) } };
 * const next = () => Promise.resolve(new Response("for users"));
 * const response = await authMiddleware()(new Request("https://app.example/"), next, context);
 * equal(refusalOf(response)?.code, "UNAUTHENTICATED");
 * equal(refusalOf(await next()), null);
 * ```
 */
export function refusalOf(response: Response): AuthError | null {
  return refusals.get(response) ?? null;
}
