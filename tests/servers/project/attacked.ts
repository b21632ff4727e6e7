import {
  createAuth,
  createMemoryStorage,
  credentials,
  getUser,
  requireAuth,
  requireRole,
} from "@framework/auth";
import { authMiddleware } from "@framework/auth/middleware";
import { fastifyAuth, nodeAuth } from "@framework/auth/node";
import express from "express";
import { fastify } from "fastify";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

let ahead = 0;

function application(port: number) {
  return createAuth({
    database: createMemoryStorage(),
    baseUrl: `http://localhost:${port}`,
    cookies: { sessionToken: { hostOnly: true } },
    pages: { signIn: "/login" },
    rateLimit: false,
    now: () => Date.now() + ahead,
    events: { "sign-in": ({ address }) => console.log(`signed in from ${address}`) },
    providers: [credentials({
      credentials: { pin: { label: "PIN", type: "password", required: true } },
      authorize: ({ pin }) => Promise.resolve(pin === "1234" ? { id: "ada", name: "Ada" } : null),
    })],
  });
}

const SHARED = {
  "cache-control": "public, max-age=60",
  "cdn-cache-control": "max-age=600",
  "set-cookie": "theme=dark",
};
const who = () => getUser()?.name ?? "nobody";

function answer(request: IncomingMessage, response: ServerResponse): unknown {
  switch (request.url!.split("?")[0]) {
    case "/who":
      return response.end(who());
    case "/later":
      ahead += 2 * 86_400_000;
      return response.end();
    case "/shared":
      return response.writeHead(200, SHARED).end(who());
    case "/refused":
      for (const [name, value] of Object.entries(SHARED)) response.setHeader(name, value);
      requireAuth({ throwError: true });
      return response.end("hello");
    case "/guarded":
      response.setHeader("content-type", "text/plain");
      response.setHeader("content-length", "5");
      response.setHeader("set-cookie", "theme=dark");
      requireAuth();
      return response.end("hello");
    case "/line":
      return response.writeHead(200, { "content-length": "5", "x-line": "a\r\nb: c" }).end("hello");
    case "/broken":
      response.writeHead(200).write("begun");
      throw new Error("broken in the middle");
    default:
      return response.writeHead(404).end("none");
  }
}

const [nodePort, expressPort, fastifyPort] = process.env.PORTS!.split(" ").map(Number) as [
  number,
  number,
  number,
];

createServer(nodeAuth(application(nodePort), answer)).listen(nodePort, "127.0.0.1");

const accounts = nodeAuth(application(expressPort));
const app = express();
app.use(accounts);
app.use((request, response) => void answer(request, response));
app.use(accounts.errors);
app.listen(expressPort, "127.0.0.1");

const own = fastify({ logger: { level: "error" } });
const plugin = fastifyAuth(application(fastifyPort));
own.register(plugin);
own.get("/who", who);
own.get("/later", () => {
  ahead += 2 * 86_400_000;
  return "";
});
own.get("/shared", (_request, reply) => reply.headers(SHARED).send(who()));
own.get("/guarded", (_request, reply) => {
  reply.headers({ "content-type": "text/plain", "content-length": "5", "set-cookie": "theme=dark" });
  requireAuth();
  return "hello";
});
own.get("/refused", (_request, reply) => {
  reply.headers(SHARED);
  requireAuth({ throwError: true });
  return "hello";
});
own.get("/line", (_request, reply) => {
  return reply.headers({ "content-length": "5", "x-line": "a\r\nb: c" }).send("hello");
});
own.get("/broken", (_request, reply) => {
  reply.hijack();
  reply.raw.writeHead(200);
  reply.raw.write("begun");
  setTimeout(() => reply.raw.destroy(), 50);
});
// Hooks of each phase know the request, also behind a body.
own.post("/phases", {
  onRequest: async (request) => void (request.headers["x-phases"] = who()),
  preParsing: async (request) => void (request.headers["x-phases"] += who()),
  preValidation: async (request) => void (request.headers["x-phases"] += who()),
  preHandler: async (request) => void (request.headers["x-phases"] += who()),
  preSerialization: async (_request, _reply, payload) => ({
    ...payload as object,
    last: who(),
  }),
}, (request) => ({ phases: request.headers["x-phases"] + who(), body: request.body }));
const only = async () => requireRole("admin");
own.get("/role", { preHandler: only }, () => "passed");
own.get("/protected", { preHandler: plugin.protect(authMiddleware({ role: "admin" })) }, () => "passed");
own.register((child, _options, done) => {
  child.setErrorHandler(plugin.errors);
  child.get("/paged", { preHandler: only }, () => "passed");
  child.get("/boom", () => {
    throw new TypeError("boom");
  });
  done();
});
own.register((child, _options, done) => {
  child.setErrorHandler((error, _request, reply) => {
    reply.code(418).send((error as { code?: string }).code);
  });
  child.get("/handled", { preHandler: only }, () => "passed");
  child.get("/redirected", () => requireAuth().name);
  done();
});
await own.listen({ port: fastifyPort, host: "127.0.0.1" });

process.on("uncaughtException", (error) => console.log("uncaught", error));
process.on("unhandledRejection", (error) => console.log("unhandled", error));
console.log("listening");
