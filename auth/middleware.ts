/**
 * The middleware that protects routes.
 *
 * @example
 * ```ts
 * import { authMiddleware } from "@framework/auth/middleware";
 *
 * export const middleware = authMiddleware({ unauthenticatedRedirect: "/auth/signin" });
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
