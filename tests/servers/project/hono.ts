import { requireAuth } from "@framework/auth";
import { honoAuth } from "@framework/auth/hono";
import { authMiddleware, type AuthMiddlewareOptions } from "@framework/auth/middleware";
import { serve } from "@hono/node-server";
import { Hono, type MiddlewareHandler } from "hono";
import { auth, context } from "./auth.ts";

export function protect(options: AuthMiddlewareOptions): MiddlewareHandler {
  const middleware = authMiddleware(options);
  return async (c, next) => {
    const pass = async () => (await next(), c.res);
    const response = await middleware(c.req.raw, pass, context);
    if (response !== c.res) c.res = response;
  };
}

const app = new Hono();
app.use(honoAuth(auth)); // the first
app.use("/account", protect({ unauthenticatedRedirect: "/auth/signin" }));
app.get("/account", (c) => {
  const { name, email } = requireAuth();
  return c.text(`Hello ${name ?? email}`);
});
app.post("/account", async (c) => c.json({ user: requireAuth().id, ...await c.req.json() }));
app.use("/admin", protect({ role: "admin" }));
app.get("/admin", (c) => c.text("Secret"));
app.get("/orders", (c) => c.text(`Orders of ${requireAuth().id}`));

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000), hostname: "127.0.0.1" });
