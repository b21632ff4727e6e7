/**
 * {@linkcode honoAuth}: the library in an application of Hono, on Node, Deno, Bun and workers.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, getUser } from "@framework/auth";
 * import { honoAuth } from "@framework/auth/hono";
 * import { Hono } from "hono";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const app = new Hono();
 * app.use(honoAuth(auth));
 * app.get("/", (c) => c.text(`Hello ${getUser()?.name ?? "stranger"}`));
 *
 * const response = await app.request("http://localhost/");
 * equal(await response.text(), "Hello stranger");
 * ```
 *
 * @module
 */

export { honoAuth, type HonoContext, type HonoMiddleware } from "./app/hono.ts";
export type { Auth } from "./session/context_auth.ts";
