import { requireAuth } from "@framework/auth";
import { nodeAuth } from "@framework/auth/node";
import { createServer } from "node:http";
import { auth } from "./auth.ts";
import { greeting } from "./pages.ts";

const server = createServer(nodeAuth(auth, (request, response) => {
  if (request.url !== "/account") return response.writeHead(404).end();
  response.setHeader("content-type", "text/html; charset=utf-8");
  response.end(greeting(requireAuth()));
}));
server.listen(Number(process.env.PORT ?? 3000), "127.0.0.1");
