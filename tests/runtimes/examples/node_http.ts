import {
  createAuth,
  createMemoryStorage,
  credentials,
  defaultTheme,
  getUser,
} from "@framework/auth";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import process from "node:process";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { inspect } from "node:util";

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

async function answer(request: Request, clientAddress: string): Promise<Response> {
  return await auth.handle(request, {}, { clientAddress }) ??
    await auth.run(request, {}, { clientAddress }, () => {
      return new Response(`Hello ${getUser()?.name ?? "stranger"}`);
    });
}

/** Throws for what can be no request of the web platform. */
function toRequest(incoming: IncomingMessage, outgoing: ServerResponse): Request {
  const { method = "GET", url = "/" } = incoming;
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers.set(name, value.toString());
  }
  const hasBody = method !== "GET" && method !== "HEAD";
  const body = hasBody ? Readable.toWeb(incoming) as ReadableStream : null;
  // Joined, not resolved: for "//evil.example/" a resolver would take the host out of the path. A Host with more in it
  // than a name and a port would take the path's place; by the header itself auth answers it with 400.
  const { host = "" } = incoming.headers;
  const isHost = /^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}`);
  const address = `http://${isHost ? host : "localhost"}${url}`;
  const end = new AbortController(); // who hangs up leaves the queue of password hashes
  outgoing.once("close", () => end.abort());
  const { signal } = end;
  return new Request(address, { method, headers, body, signal, duplex: "half" } as RequestInit);
}

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.statusCode = response.status;
  for (const [name, value] of response.headers) outgoing.appendHeader(name, value);
  if (response.body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(response.body as never), outgoing);
}

createServer(async (incoming, outgoing) => {
  let request: Request | undefined;
  try {
    request = toRequest(incoming, outgoing);
    await send(await answer(request, incoming.socket.remoteAddress ?? "unknown"), outgoing);
  } catch (error) {
    process.stderr.write(`${inspect(error)}\n`);
    if (!outgoing.headersSent) outgoing.statusCode = request === undefined ? 400 : 500;
    outgoing.end();
  }
}).listen(Number(process.env.PORT ?? 3000), "127.0.0.1");
