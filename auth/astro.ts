/**
 * {@linkcode astroAuth}: the library in Astro, where pages are rendered on request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, requireAuth } from "@framework/auth";
 * import { astroAuth } from "@framework/auth/astro";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage(), pages: { signIn: "/login" } });
 * const { onRequest } = astroAuth(auth);
 *
 * const response = await onRequest({
 *   request: new Request("http://localhost/account"),
 *   clientAddress: "192.0.2.1",
 *   isPrerendered: false,
 *   locals: {},
 * }, () => Promise.resolve(new Response(requireAuth().name)));
 * equal(response.headers.get("location"), "http://localhost/login?callbackUrl=%2Faccount");
 * ```
 *
 * @module
 */

export {
  type AstroActionError,
  type AstroAuth,
  astroAuth,
  type AstroAuthOptions,
  type AstroContext,
  type AstroLocals,
} from "./app/astro.ts";
export type { Guards } from "./app/guards.ts";
export type { Auth } from "./session/context_auth.ts";
