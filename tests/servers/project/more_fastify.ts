import { ConfigurationError, requireRole } from "@framework/auth";
import type { FastifyInstance } from "fastify";
import { Readable } from "node:stream";
import { echo, home, late, secret } from "./more_pages.ts";

export function addMore(app: FastifyInstance): void {
  app.addContentTypeParser("application/x-www-form-urlencoded", (_request, payload, done) => {
    payload.resume().on("end", () => done(null));
  });
  app.get("/", (_request, reply) => reply.type("text/html; charset=utf-8").send(home()));
  app.route({
    url: "/admin",
    method: ["GET", "POST"],
    preHandler: async () => requireRole("admin"),
    handler: (_request, reply) => reply.type("text/html; charset=utf-8").send(secret),
  });
  app.get("/stream", (_request, reply) => reply.type("text/html; charset=utf-8").send(Readable.from(late())));
  app.post("/echo", (request) => echo(request.body));
  app.get("/boom", () => {
    throw new TypeError("boom of the application");
  });
  app.get("/wrong", () => {
    throw new ConfigurationError("wrong option of the application");
  });
}
