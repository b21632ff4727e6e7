import { errorResponse, getUser, isAuthError, requireAuth, waitUntil } from "@framework/auth";
import { authMiddleware, type AuthMiddlewareOptions } from "@framework/auth/middleware";
import { fastify, type onRequestAsyncHookHandler, type preHandlerAsyncHookHandler } from "fastify";
import { AsyncLocalStorage } from "node:async_hooks";
import { auth, context } from "./auth.ts";
import { send, toRequest } from "./node.ts";

export function protect(options: AuthMiddlewareOptions): preHandlerAsyncHookHandler {
  const middleware = authMiddleware(options);
  return async (request, reply) => {
    const passed = new Response();
    const response = await middleware(toRequest(request.raw), async () => passed, context);
    if (response === passed) return;
    for (const [name, value] of response.headers) reply.header(name, value);
    return reply.code(response.status).send(await response.text());
  };
}

const app = fastify({ logger: { level: "error" } }); // without a logger errors are nowhere
/** Answers below /auth, before Fastify reads the body. */
const answer: onRequestAsyncHookHandler = async (request, reply) => {
  const info = { clientAddress: request.socket.remoteAddress ?? "unknown", waitUntil };
  const withBody = /^\/auth([/?]|$)/.test(request.url);
  const own = await auth.handle(toRequest(request.raw, withBody, reply.raw), {}, info);
  if (!own) return;
  reply.hijack();
  await send(own, reply.raw);
};
app.addHook("onRequest", answer);
/** Reads the session, after the body, whose events would lose it. */
app.addHook("preHandler", (request, reply, done) => {
  const info = { clientAddress: request.socket.remoteAddress ?? "unknown", waitUntil };
  let inside = AsyncLocalStorage.snapshot();
  auth.run(toRequest(request.raw), {}, info, () => {
    getUser(); // asked here, so that the headers keep caches from storing what is about somebody
    inside = AsyncLocalStorage.snapshot();
    return new Response();
  }).then(async (response) => {
    for (const [name, value] of response.headers) reply.header(name, value);
    if (response.ok) inside(done);
    else reply.code(response.status).send(await response.text());
  }).catch(done);
});

/** Answers what requireAuth() and its like throw in a handler: a redirect, a 401, a 403. */
app.setErrorHandler(async (error, request, reply) => {
  if (!isAuthError(error) || error.status >= 500) throw error;
  const response = errorResponse(error, toRequest(request.raw));
  for (const [name, value] of response.headers) reply.header(name, value);
  return reply.code(response.status).send(await response.text());
});

const visitors = protect({ unauthenticatedRedirect: "/auth/signin" });
app.get("/account", { preHandler: visitors }, () => {
  const { name, email } = requireAuth();
  return `Hello ${name ?? email}`;
});
app.post("/account", { preHandler: protect({}) }, (request) => {
  return { user: requireAuth().id, ...request.body as object };
});
app.get("/admin", { preHandler: protect({ role: "admin" }) }, () => "Secret");
app.get("/orders", () => `Orders of ${requireAuth().id}`);
await app.listen({ port: Number(process.env.PORT ?? 3000), host: "127.0.0.1" });
