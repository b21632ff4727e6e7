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
} from "./rbac/auth_middleware.ts";
export { refusalOf } from "./rbac/refusal.ts";
export { AuthError, type AuthErrorFields } from "./errors/auth_error.ts";
export type { ContextAuth } from "./request/context_auth.ts";
export type { User } from "./users/user.ts";
