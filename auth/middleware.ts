/**
 * The middleware that protects routes.
 *
 * @example
 * ```ts
 * import { authMiddleware } from "@framework/auth/middleware";
 * import { equal } from "node:assert/strict";
 *
 * // app/dashboard/middleware.ts
 * export const middleware = authMiddleware({ unauthenticatedRedirect: "/auth/signin" });
 *
 * const visitor = { auth: { getUser: () => Promise.resolve(null) } };
 * const request = new Request("https://app.example/dashboard");
 * const response = await middleware(request, () => Promise.resolve(new Response()), visitor);
 * equal(response.headers.get("location"), "https://app.example/auth/signin?callbackUrl=%2Fdashboard");
 * ```
 *
 * @module
 */

export {
  authMiddleware,
  type AuthMiddlewareContext,
  type AuthMiddlewareOptions,
  type Middleware,
  refusalOf,
} from "./session/auth_middleware.ts";
export { AuthError, type AuthErrorFields } from "./errors.ts";
export type { ContextAuth } from "./session/context_auth.ts";
export type { User } from "./types/user.ts";
