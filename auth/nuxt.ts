/**
 * {@linkcode nuxtAuth}: the library in Nuxt.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage } from "@framework/auth";
 * import { nuxtAuth } from "@framework/auth/nuxt";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage(), baseUrl: "https://app.example" });
 * // In an application: export default nuxtAuth(auth, { createError }), in server/plugins/auth.ts.
 * const createError = ({ message }: { message: string }) => new Error(message);
 * const plugin = nuxtAuth(auth, { createError });
 * equal(plugin.length, 1);
 * ```
 *
 * @module
 */

export {
  nuxtAuth,
  type NuxtAuthOptions,
  type NuxtContext,
  type NuxtEvent,
  type NuxtHandshake,
  type NuxtNitroApp,
  type NuxtSocketHooks,
} from "./app/nuxt.ts";
export type { Auth } from "./session/context_auth.ts";
