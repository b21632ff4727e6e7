import {
  createAuth,
  createMemoryStorage,
  credentials,
  defaultTheme,
  getUser,
} from "@framework/auth";
import { nodeAuth } from "@framework/auth/node";
import { createServer } from "node:http";
import process from "node:process";

const auth = createAuth({
  database: createMemoryStorage(),
  baseUrl: process.env.BASE_URL ?? "http://localhost:3000",
  cookies: { sessionToken: { hostOnly: true } },
  pages: { theme: defaultTheme },
  providers: [credentials({
    credentials: { pin: { label: "PIN", type: "password", required: true } },
    authorize: ({ pin }) => Promise.resolve(pin === "1234" ? { id: "ada", name: "Ada" } : null),
  })],
});

const handler = nodeAuth(auth, (_request, response) => {
  response.setHeader("content-type", "text/plain; charset=utf-8"); // as HTML, a name could be a script
  response.end(`Hello ${getUser()?.name ?? "stranger"}`);
});

createServer(handler).listen(Number(process.env.PORT ?? 3000), "127.0.0.1");
