import { requireAuth } from "@framework/auth";
import { authMiddleware, type AuthMiddlewareOptions } from "@framework/auth/middleware";
import { serve } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
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
app.use(async (c, next) => {
  const info = { clientAddress: getConnInfo(c).remote.address };
  let response: Response;
  try {
    response = await auth.handle(c.req.raw, c.env, info) ??
      await auth.run(c.req.raw, c.env, info, async () => {
        await next();
        return c.res;
      });
  } catch (error) {
    console.error(error); // nobody else does: some of Hono's servers answer it without a word
    response = c.text("Something went wrong", 500);
  }
  c.res = undefined; // else Hono puts headers of the old response over those of the new one
  c.res = response;
});
app.onError((error) => {
  throw error; // to auth.run(), which knows what requireAuth() means
});
app.use("/account", protect({ unauthenticatedRedirect: "/auth/signin" }));
app.get("/account", (c) => c.text(`Hello ${requireAuth().name}`));
app.post("/account", async (c) => c.json({ user: requireAuth().id, ...await c.req.json() }));
app.use("/admin", protect({ role: "admin" }));
app.get("/admin", (c) => c.text("Secret"));
app.get("/orders", (c) => c.text(`Orders of ${requireAuth().name}`));

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000), hostname: "127.0.0.1" });
