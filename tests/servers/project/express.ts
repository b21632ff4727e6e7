import { errorResponse, getUser, isAuthError, requireAuth } from "@framework/auth";
import { authMiddleware, type AuthMiddlewareOptions } from "@framework/auth/middleware";
import express, { type ErrorRequestHandler, type RequestHandler } from "express";
import { AsyncLocalStorage } from "node:async_hooks";
import { auth, context } from "./auth.ts";
import { send, toRequest } from "./node.ts";

/** Answers below /auth; for everything else reads the session, and hands it on. */
const session: RequestHandler = async (req, res, next) => {
  const info = { clientAddress: req.socket.remoteAddress ?? "unknown" };
  const withBody = /^\/auth(\/|$)/.test(req.path);
  const own = await auth.handle(toRequest(req, withBody, res), {}, info);
  if (own) return await send(own, res);
  let inside = AsyncLocalStorage.snapshot();
  const response = await auth.run(toRequest(req), {}, info, () => {
    getUser(); // asked here, so that the headers keep caches from storing what is about somebody
    inside = AsyncLocalStorage.snapshot();
    return new Response();
  });
  if (!response.ok) return await send(response, res);
  for (const [name, value] of response.headers) res.append(name, value);
  inside(() => next());
};

export function protect(options: AuthMiddlewareOptions): RequestHandler {
  const middleware = authMiddleware(options);
  return async (req, res, next) => {
    const passed = new Response();
    const response = await middleware(toRequest(req), async () => passed, context);
    if (response === passed) next();
    else await send(response, res);
  };
}

/** Answers what requireAuth() and its like throw in a handler: a redirect, a 401, a 403. */
const refusals: ErrorRequestHandler = (error, req, res, next) => {
  if (!isAuthError(error) || error.status >= 500) return next(error);
  send(errorResponse(error, toRequest(req)), res).catch(next);
};

const app = express();
app.use(session, express.json()); // the session first: it reads the bodies of /auth itself
app.get("/account", protect({ unauthenticatedRedirect: "/auth/signin" }), (_req, res) => {
  res.send(`Hello ${requireAuth().name}`);
});
app.post("/account", protect({}), (req, res) => {
  res.json({ user: requireAuth().id, ...req.body });
});
app.get("/admin", protect({ role: "admin" }), (_req, res) => {
  res.send("Secret");
});
app.get("/orders", (_req, res) => {
  res.send(`Orders of ${requireAuth().name}`);
});
app.use(refusals); // the last
app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1");
