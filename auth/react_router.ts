/**
 * {@linkcode reactRouterAuth}: the library in React Router, framework mode.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage } from "@framework/auth";
 * import { reactRouterAuth } from "@framework/auth/react-router";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage(), pages: { signIn: "/login" } });
 * const accounts = reactRouterAuth(auth);
 *
 * const args = { request: new Request("http://localhost/account"), context: undefined };
 * await accounts.middleware(args, () => {
 *   try {
 *     accounts.requireAuth();
 *   } catch (response) {
 *     const to = (response as Response).headers.get("location");
 *     equal(to, "http://localhost/login?callbackUrl=%2Faccount");
 *   }
 *   return Promise.resolve(new Response());
 * });
 * ```
 *
 * @module
 */

export {
  type ReactRouterArgs,
  type ReactRouterAuth,
  reactRouterAuth,
  type ReactRouterAuthOptions,
} from "./app/react_router.ts";
export type { Guards } from "./app/guards.ts";
export type { Auth } from "./session/context_auth.ts";
