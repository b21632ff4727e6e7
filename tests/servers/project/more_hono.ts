import { ConfigurationError, requireRole } from "@framework/auth";
import type { Hono } from "hono";
import { stream } from "hono/streaming";
import { echo, home, late, secret } from "./more_pages.ts";

export function addMore(app: Hono): void {
  app.get("/", (c) => c.html(home()));
  app.on(["GET", "POST"], "/admin", (c) => {
    requireRole("admin");
    return c.html(secret);
  });
  app.get("/stream", (c) => {
    c.header("content-type", "text/html; charset=utf-8");
    return stream(c, async (body) => {
      for await (const part of late()) await body.write(part);
    });
  });
  app.post("/echo", async (c) => c.json(echo(await c.req.json())));
  app.get("/boom", () => {
    throw new TypeError("boom of the application");
  });
  app.get("/wrong", () => {
    throw new ConfigurationError("wrong option of the application");
  });
}
