import { requireAuth } from "@framework/auth";
import { fastifyAuth } from "@framework/auth/node";
import { fastify } from "fastify";
import { auth } from "./auth.ts";
import { greeting } from "./pages.ts";

const app = fastify({ logger: { level: "error" } }); // without a logger errors are nowhere
app.register(fastifyAuth(auth));
app.get("/account", (_request, reply) => {
  reply.type("text/html; charset=utf-8").send(greeting(requireAuth()));
});
await app.listen({ port: Number(process.env.PORT ?? 3000), host: "127.0.0.1" });
