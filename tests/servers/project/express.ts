import { requireAuth } from "@framework/auth";
import { authMiddleware, type AuthMiddlewareOptions } from "@framework/auth/middleware";
import { nodeAuth } from "@framework/auth/node";
import express, { type RequestHandler } from "express";
import { auth, context } from "./auth.ts";
import { send, toRequest } from "./node.ts";

export function protect(options: AuthMiddlewareOptions): RequestHandler {
  const middleware = authMiddleware(options);
  return async (req, res, next) => {
    const passed = new Response();
    const response = await middleware(toRequest(req), async () => passed, context);
    if (response === passed) next();
    else await send(response, res);
  };
}

const accounts = nodeAuth(auth);
const app = express();
app.use(accounts, express.json());
app.get("/account", protect({ unauthenticatedRedirect: "/auth/signin" }), (_req, res) => {
  const { name, email } = requireAuth();
  res.type("text").send(`Hello ${name ?? email}`); // as HTML, a name could be a script
});
app.post("/account", protect({}), (req, res) => {
  res.json({ user: requireAuth().id, ...req.body });
});
app.get("/admin", protect({ role: "admin" }), (_req, res) => {
  res.send("Secret");
});
app.get("/orders", (_req, res) => {
  res.type("text").send(`Orders of ${requireAuth().id}`);
});
app.use(accounts.errors); // the last
app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1");
