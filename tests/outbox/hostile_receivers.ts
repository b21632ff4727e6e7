/**
 * Receivers of events over TLS on loopback, each hostile in its own way, and what `webhook()` says of them: a program for
 * Node and Deno, which prints its findings as JSON.
 *
 * Usage: `<runtime> hostile_receivers.mjs <folder with cert.pem and key.pem>`
 *
 * @module
 */

import { createSocket } from "node:dgram";
import { readFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import process from "node:process";
import * as tls from "node:tls";
import { inspect } from "node:util";
import { publicFetchIn, type PublicNetwork, resolveName } from "../../auth/outbox/public_fetch.ts";
import { isPublicWebhookUrl } from "../../auth/outbox/webhook_address.ts";
import { createPublicFetch, createWebhookSecret, webhook } from "../../auth/webhooks.ts";

const folder = process.argv[2]!;
const cert = readFileSync(`${folder}/cert.pem`, "utf8");
const key = readFileSync(`${folder}/key.pem`, "utf8");
const SECRET = createWebhookSecret();
const EVENT = { id: "evt_1", type: "sign-up", at: 1_790_000_000_000, data: { userId: "ada" } };
const OK = "HTTP/1.1 204 No Content\r\n\r\n";

/** Finding of one case. */
interface Finding {
  /** "delivered", or the code of the error. */
  result: string;
  message: string;
  receivedStatus?: number;
  /** True when something of the answer or of a secret is in the error. */
  leaks: boolean;
}

/** Writes until nobody takes it any more; gives the bytes that went. */
function flood(socket: Socket, text: string): void {
  const go = () => {
    while (!socket.destroyed && socket.writable) if (!socket.write(text)) return;
  };
  socket.on("drain", go);
  go();
}

/** Writes a piece again and again, with time in between. */
function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.destroyed ? clearInterval(timer) : socket.write(text), 20);
  socket.on("close", () => clearInterval(timer));
}

/** What a receiver does once it has the head of a request, by its path. */
const RECEIVERS: Record<string, (socket: Socket) => void> = {
  fine: (socket) => socket.end(OK),
  redirect: (socket) =>
    socket.end(
      "HTTP/1.1 307 Temporary Redirect\r\nlocation: /fine\r\ncontent-length: 0\r\n\r\n",
    ),
  endless(socket) {
    socket.write("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n");
    flood(socket, "x".repeat(4096));
  },
  endlessRefusal(socket) {
    socket.write("HTTP/1.1 500 Internal Server Error\r\n\r\n");
    flood(socket, "answer-is-secret".repeat(256));
  },
  slowHead(socket) {
    socket.write("HTTP/1.1 200 OK\r\nx-a: ");
    drip(socket, "a");
  },
  slowBody(socket) {
    socket.write("HTTP/1.1 503 Service Unavailable\r\nretry-after: 60\r\n\r\n");
    drip(socket, "a");
  },
  silent() {},
  headers(socket) {
    socket.write("HTTP/1.1 200 OK\r\n");
    flood(socket, `x-a: ${"answer-is-secret".repeat(16)}\r\n`);
  },
  informations(socket) {
    flood(socket, "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n");
  },
  reset: (socket) => void socket.destroy(),
  nothing: (socket) => void socket.end(),
  cut(socket) {
    socket.end("HTTP/1.1 200 OK\r\ncontent-le");
  },
  noHttp: (socket) => socket.end("SSH-2.0-answer-is-secret\r\n"),
  upgrade: (socket) =>
    void socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: answer-is-secret\r\n\r\n",
    ),
  strangeStatus: (socket) => socket.end("HTTP/1.1 999 answer-is-secret\r\n\r\n"),
  noStatus: (socket) => socket.end("HTTP/1.1 000 answer-is-secret\r\n\r\n"),
  smuggled: (socket) =>
    socket.end(
      "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nanswer-is-secret",
    ),
  refusal: (socket) =>
    socket.end(
      "HTTP/1.1 500 answer-is-secret\r\nx-a: answer-is-secret\r\nretry-after: answer-is-secret\r\n" +
        "content-length: 16\r\n\r\nanswer-is-secret",
    ),
  gone: (socket) => socket.end("HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n"),
};

/** Requests that a server had. */
interface Received {
  head: string;
  servername: string | false | null;
  isClosed: boolean;
}

/** Reads the head of a request and answers as its path says. */
function receive(socket: Socket, received: Received[]): void {
  let text = "";
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    const isFirst = !text.includes("\r\n\r\n");
    text += chunk;
    if (!isFirst || !text.includes("\r\n\r\n")) return;
    const { servername = null } = socket as { servername?: string | false };
    const one: Received = { head: text.split("\r\n\r\n")[0]!, servername, isClosed: false };
    received.push(one);
    socket.on("close", () => one.isClosed = true);
    RECEIVERS[/^POST \/(\w+)/.exec(text)?.[1] ?? "nothing"]!(socket);
  });
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve((server.address() as { port: number }).port));
  });
}

const received = { public: [] as Received[], private: [] as Received[], plain: [] as Received[] };
const options = { key, cert };
const servers = {
  public: tls.createServer(options, (socket) => receive(socket, received.public)),
  private: tls.createServer(options, (socket) => receive(socket, received.private)),
  plain: createServer((socket) => receive(socket, received.plain)),
};
for (const server of Object.values(servers)) server.on("tlsClientError", () => {});

/** One port at both addresses. */
async function listenAtBoth(): Promise<number> {
  for (let tries = 0;; tries++) {
    const port = await listen(servers.public, 0, "127.0.0.2");
    try {
      return await listen(servers.private, port, "127.0.0.1");
    } catch (error) {
      if (tries > 20) throw error;
      await new Promise((resolve) => servers.public.close(resolve));
    }
  }
}
const port = await listenAtBoth();
const plainPort = await listen(servers.plain, 0, "127.0.0.1");

/** The network of a test, in which 127.0.0.2 is public and 127.0.0.1 is not. */
function networkOf(fields: Partial<PublicNetwork> = {}): PublicNetwork {
  return {
    resolve: () => Promise.resolve(["127.0.0.2"]),
    isAllowed: (address) => address === "127.0.0.2",
    isAllowedUrl: isPublicWebhookUrl,
    port,
    ca: cert,
    ...fields,
  };
}

async function deliver(
  url: string,
  { fetch: call, patience = 60_000 }: { fetch?: typeof fetch; patience?: number },
): Promise<Finding> {
  const destination = webhook({ url, secret: SECRET, ...(call && { fetch: call }) });
  const circumstances = { attempt: 1, signal: AbortSignal.timeout(patience), now: Date.now() };
  try {
    await destination.deliver(EVENT, circumstances);
    return { result: "delivered", message: "", leaks: false };
  } catch (error) {
    const { code, message, receivedStatus } = error as {
      code: string;
      message: string;
      receivedStatus?: number;
    };
    const all = inspect(error, { depth: 20, showHidden: true }) + String((error as Error).stack);
    const leaks = /is-secret|SSH/.test(all) || all.includes(SECRET.slice(6));
    return { result: code, message, ...(receivedStatus && { receivedStatus }), leaks };
  }
}

const SHORT = new Set(["slowHead", "slowBody", "silent", "informations"]);
const findings: Record<string, Finding> = {};
const viaTls = publicFetchIn(networkOf());
for (const name of Object.keys(RECEIVERS)) {
  const patience = SHORT.has(name) ? 400 : 60_000;
  const url = `https://hooks.customer.example/${name}?path-is-secret`;
  findings[name] = await deliver(url, { fetch: viaTls, patience });
}
const heads = received.public.map(({ head }) => head);
const { servername } = received.public[0]!;

// The platform's own fetch, for a receiver that the application has set itself.
process.env.NODE_ENV = "development";
const plain: Record<string, Finding> = {};
for (
  const name of [
    "fine",
    "redirect",
    "endless",
    "endlessRefusal",
    "slowBody",
    "reset",
    "noHttp",
    "refusal",
  ]
) {
  const patience = SHORT.has(name) ? 400 : 60_000;
  plain[name] = await deliver(`http://127.0.0.1:${plainPort}/${name}`, { patience });
}

const before = received.public.length;
// A server of names, which says a public address at the first question for one and another at each later one.
let questions = 0;
const nameServer = createSocket("udp4");
nameServer.on("message", (message, { port, address }) => {
  const end = message.indexOf(0, 12);
  const type = message.readUInt16BE(end + 1);
  const name = message.toString("latin1", 12, end);
  if (name.includes("slow")) return;
  const data: number[][] = [];
  if (type === 1) data.push([127, 0, 0, questions++ === 0 ? 2 : 1]);
  if (type === 28 && name.includes("mixed")) data.push([...Array(15).fill(0), 1]);
  const head = [message[0]!, message[1]!, 0x81, 0x80, 0, 1, 0, data.length, 0, 0, 0, 0];
  const records = data.map((one) => [0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, one.length, ...one]);
  const question = message.subarray(12, end + 5);
  nameServer.send(new Uint8Array([...head, ...question, ...records.flat()]), port, address);
});
await new Promise<void>((resolve) => nameServer.bind(0, "127.0.0.1", resolve));
const nameServers = [`127.0.0.1:${nameServer.address().port}`];
const viaNames = publicFetchIn(networkOf({ resolve: (host) => resolveName(host, nameServers) }));
const rebinding = await deliver("https://hooks.customer.example/fine", { fetch: viaNames });
const afterRebinding = received.public.length - before;

const asked = questions;
const names: Record<string, Finding> = {};
names.rebound = await deliver("https://hooks.customer.example/fine", { fetch: viaNames });
questions = 0;
names.mixedKinds = await deliver("https://mixed.customer.example/fine", { fetch: viaNames });
names.slow = await deliver("https://slow.customer.example/fine", {
  fetch: viaNames,
  patience: 300,
});
for (
  const [name, resolve] of Object.entries({
    mixed: () => Promise.resolve(["127.0.0.2", "127.0.0.1"]),
    mixedFirst: () => Promise.resolve(["127.0.0.1", "127.0.0.2"]),
    none: () => Promise.resolve([]),
    unknown: () => Promise.reject(new Error("getaddrinfo ENOTFOUND is-secret")),
    noAddress: () => Promise.resolve(["localhost"]),
    family: () => Promise.resolve(["::ffff:127.0.0.2"]),
  })
) {
  names[name] = await deliver("https://hooks.customer.example/fine", {
    fetch: publicFetchIn(networkOf({ resolve })),
  });
}
// The first address is closed, the second is the receiver.
names.secondAddress = await deliver("https://hooks.customer.example/fine", {
  fetch: publicFetchIn(networkOf({
    resolve: () => Promise.resolve(["127.0.0.3", "127.0.0.2"]),
    isAllowed: () => true,
  })),
});
names.otherName = await deliver("https://other.customer.example/fine", { fetch: viaTls });
const { ca: _ca, ...withoutAuthority } = networkOf();
names.unknownAuthority = await deliver("https://hooks.customer.example/fine", {
  fetch: publicFetchIn(withoutAuthority),
});
names.closed = await deliver("https://hooks.customer.example/fine", {
  fetch: publicFetchIn(networkOf({
    resolve: () => Promise.resolve(["127.0.0.3"]),
    isAllowed: () => true,
  })),
});

// The real one, which no private host gets past.
const real = createPublicFetch();
const refused: Record<string, string> = {};
for (
  const url of [
    "https://localhost/fine",
    "https://127.0.0.1/fine",
    "https://0x7f.1/fine",
    "https://[::1]/fine",
    "https://[::ffff:127.0.0.1]/fine",
    "https://169.254.169.254/latest/meta-data/",
    "https://metadata.google.internal/",
    "http://hooks.customer.example/",
    "https://user:word-is-secret@hooks.customer.example/",
    "https://nobody-has-this-name.invalid/",
  ]
) {
  refused[url] = await real(url, { method: "POST", body: "{}" }).then(
    ({ status }) => `answered ${status}`,
    (error) => inspect(error, { depth: 20 }).includes("is-secret") ? "leaks" : error.code,
  );
}

const output = {
  findings,
  plain,
  names,
  refused,
  rebinding,
  questions: asked,
  afterRebinding,
  privateRequests: received.private.length,
  servername,
  head: heads[0],
  requests: heads.length,
  redirected: received.plain.length,
  open: received.public.filter(({ isClosed }) => !isClosed).length,
};
process.stdout.write(JSON.stringify(output), () => process.exit(0));
