/**
 * {@linkcode nodeAuth}, {@linkcode fastifyAuth} and {@linkcode nodeUpgrade}: the library in a server of Node, with
 * `node:http` or Express, with Fastify, and in front of WebSockets.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, requireAuth } from "@framework/auth";
 * import { nodeAuth } from "@framework/auth/node";
 * import { equal } from "node:assert/strict";
 * import { createServer } from "node:http";
 *
 * const auth = createAuth({ database: createMemoryStorage(), pages: { signIn: "/login" } });
 * const server = createServer(nodeAuth(auth, (request, response) => {
 *   const { name, email } = requireAuth();
 *   response.setHeader("content-type", "text/plain; charset=utf-8"); // else a name could be a script
 *   response.end(`Hello ${name ?? email}`);
 * }));
 * await new Promise<void>((resolve) => server.listen(0, resolve));
 * const { port } = server.address() as { port: number };
 * const response = await fetch(`http://localhost:${port}/`, { redirect: "manual" });
 * await response.body?.cancel();
 * equal(response.status, 303);
 * server.close();
 * ```
 *
 * @module
 */

export {
  type FastifyAuth,
  fastifyAuth,
  type FastifyAuthHost,
  type FastifyAuthReply,
  type FastifyAuthRequest,
} from "./app/fastify.ts";
export { type NodeAuth, nodeAuth, type NodeListener } from "./app/node.ts";
export { nodeUpgrade, type NodeUpgradeListener } from "./app/node_upgrade.ts";
export type { Auth } from "./session/context_auth.ts";
