import { requireAuth } from "@framework/auth";
import { honoAuth } from "@framework/auth/hono";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { auth } from "./auth.ts";
import { greeting } from "./pages.ts";

const app = new Hono();
app.use(honoAuth(auth)); // the first
app.get("/account", (c) => c.html(greeting(requireAuth())));
serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000), hostname: "127.0.0.1" });
