/**
 * {@linkcode svelteKitAuth}: the library in SvelteKit.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage } from "@framework/auth";
 * import { svelteKitAuth } from "@framework/auth/sveltekit";
 * import { throws } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage(), pages: { signIn: "/login" } });
 * // In an application: import { error, redirect } from "@sveltejs/kit", and building from "$app/env".
 * const error = (status: number): never => { throw new Error(String(status)); };
 * const redirect = (_status: number, location: string): never => { throw new Error(location); };
 * const { handle, requireAuth } = svelteKitAuth(auth, { error, redirect, building: false });
 *
 * const request = new Request("http://localhost/account");
 * await handle({
 *   event: {
 *     request,
 *     url: new URL(request.url),
 *     isDataRequest: false,
 *     getClientAddress: () => "192.0.2.1",
 *   },
 *   resolve() {
 *     throws(() => requireAuth(), /http:\/\/localhost\/login\?callbackUrl=%2Faccount/);
 *     return new Response();
 *   },
 * });
 * ```
 *
 * @module
 */

export {
  type SvelteKitAuth,
  svelteKitAuth,
  type SvelteKitEvent,
  type SvelteKitFunctions,
} from "./app/sveltekit.ts";
export type { Guards } from "./app/guards.ts";
export type { Auth } from "./session/context_auth.ts";
