import { errorResponse, isAuthError, requireAuth, requireRole, waitUntil } from "@framework/auth";
import { Elysia } from "elysia";
import { serve } from "srvx";
import { auth } from "./auth.ts";

const app = new Elysia()
  .onError(({ error, request }) => {
    if (isAuthError(error) && error.status < 500) return errorResponse(error, request);
  })
  .get("/account", () => `Hello ${requireAuth().name}`)
  .post("/account", ({ body }) => ({ user: requireAuth().id, body }))
  .get("/admin", () => {
    requireRole("admin");
    return "Secret";
  });

serve({
  hostname: "127.0.0.1",
  port: Number(process.env.PORT ?? 3000),
  fetch(request) {
    const info = { clientAddress: request.ip, waitUntil };
    return auth.fetch(request, {}, {
      ...info,
      next() {
        auth.assertSameOrigin(request, {}, info); // forms of other sites
        return app.handle(request);
      },
    });
  },
});
