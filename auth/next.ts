/**
 * {@linkcode nextAuth}: the library in the App Router of Next.js.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage } from "@framework/auth";
 * import { nextAuth } from "@framework/auth/next";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage(), baseUrl: "https://app.example" });
 * // In an application: import { cookies, headers } from "next/headers", and redirect from "next/navigation".
 * const headers = () => Promise.resolve(new Headers());
 * // A server component sets no cookies.
 * const set = (): never => { throw new Error("Cookies can only be modified in a Server Action"); };
 * const cookies = () => Promise.resolve({ getAll: () => [], set });
 * const redirect = (location: string): never => { throw new Error(location); };
 * const { getUser, handlers } = nextAuth(auth, { headers, cookies, redirect });
 *
 * equal(await getUser(), null);
 * const response = await handlers.GET(new Request("https://app.example/auth/session"));
 * equal(await response.json(), null);
 * ```
 *
 * @module
 */

export {
  type NextAuth,
  nextAuth,
  type NextCookies,
  type NextFunctions,
  type NextReturn,
} from "./app/next.ts";
export type { Auth, ContextAuth } from "./session/context_auth.ts";
