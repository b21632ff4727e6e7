import { waitUntil } from "@framework/auth";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import process from "node:process";
import type { Worker } from "../runtime/application.ts";
import type { ExecutionContext } from "../runtime/types.ts";
import { CliError } from "../terminal/exit.ts";
import type { FindAddress } from "./address.ts";
import type { Assets } from "./assets.ts";
import { logFailure } from "./log.ts";
import { describe, MAX_HEADERS, toRequest } from "./request.ts";
import { refuse, sendResponse } from "./response.ts";

/** Parts of a server. */
export interface ServeOptions {
  worker: Worker;
  /** Bindings and variables, the application's `env`. */
  env: object;
  assets: Assets;
  /** True when the application is asked before the files. */
  applicationFirst: boolean;
  findAddress: FindAddress;
  /** Tells if the server can work; null where the application itself answers `/healthz`. */
  isHealthy: (() => Promise<boolean>) | null;
  host: string;
  /** Port, 0 for a free one. */
  port: number;
  /** Milliseconds after an answer without a further request, until a connection is closed. */
  idleTimeout: number;
}

/** A server that listens. */
export interface RunningServer {
  port: number;
  /**
   * Ends it: every answer says that its connection closes, new connections are refused, and those without a request are
   * closed. Resolves when what has begun is answered.
   *
   * @param drain Milliseconds for which it still takes connections, while `/healthz` is 503. Default: 0.
   */
  stop(drain?: number): Promise<void>;
}

/** Type of `ctx` of a request, a batch and a job. */
export const executionContext: ExecutionContext = {
  waitUntil(work) {
    waitUntil(Promise.resolve(work).catch((error) => logFailure("background-work-failed", error)));
  },
};

/** Milliseconds in which a request that has begun must arrive when the server is told to end. */
const ARRIVAL_TIMEOUT = 5_000;

/**
 * Milliseconds for which a connection without a request is kept when the server is told to end: a proxy may have sent
 * one that is under way, and would lose it.
 */
const LAST_REQUEST_TIMEOUT = 1_000;

/** Limits of Node's parser and of its connections, in bytes and milliseconds. */
const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  // A whole request, its body included.
  requestTimeout: 300_000,
  connectionsCheckingInterval: 1_000,
};

/**
 * Starts the server.
 *
 * @throws {CliError} When the port is taken, or the address is not one of this machine.
 */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { worker, env, assets, findAddress, isHealthy } = options;
  let isStopping = false;
  let isClosing = false;

  async function answer(request: Request): Promise<Response> {
    const before = options.applicationFirst ? null : await assets.answer(request);
    return before ?? await worker.fetch(request, env, executionContext);
  }

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (isStopping) announceEnd(outgoing);
    if (isHealthy !== null && incoming.url === "/healthz" && isRead(incoming)) {
      // Probes ask by the address of the machine, which is no host of the application.
      const isWell = !isStopping && await isHealthy();
      return refuse(outgoing, isWell ? 200 : 503, isWell ? "ok" : "unavailable");
    }
    let response: Response;
    try {
      const request = toRequest(incoming, outgoing, findAddress);
      if (!(request instanceof Request)) return refuse(outgoing, request.status, request.message);
      response = await answer(request);
    } catch (error) {
      logFailure("request-failed", error, describe(incoming));
      return refuse(outgoing, 500, "Something went wrong");
    }
    await sendResponse(response, outgoing);
  }

  // Node itself does not close a connection whose first request has no whole head yet.
  const connections = new Map<Socket, Connection>();
  const limits = { ...LIMITS, keepAliveTimeout: options.idleTimeout };
  function take(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { socket } = incoming;
    const connection = connections.get(socket);
    clearTimeout(connection?.timer);
    connection?.running.add(outgoing);
    outgoing.once("close", () => {
      connection?.running.delete(outgoing);
      if (isClosing) closeWhenIdle(socket);
    });
    void handle(incoming, outgoing);
  }
  const server = createServer(limits, take);
  server.maxHeadersCount = MAX_HEADERS;
  // Else Node asks for every body, also for one that is refused. What the client sends after the answer may be that body or a
  // request.
  server.on("checkContinue", (incoming, outgoing) => {
    outgoing.setHeader("connection", "close");
    take(incoming, outgoing);
  });
  server.on("connection", (socket) => {
    const connection: Connection = { running: new Set(), timer: undefined };
    connections.set(socket, connection);
    socket.once("close", () => {
      clearTimeout(connection.timer);
      connections.delete(socket);
    });
  });
  function closeWhenIdle(socket: Socket): void {
    const connection = connections.get(socket);
    if (connection === undefined || connection.running.size > 0) return;
    connection.timer = setTimeout(() => socket.destroySoon(), LAST_REQUEST_TIMEOUT);
  }
  function closeUnread(): void {
    for (const [socket, { running }] of connections) {
      if ([...running].some(({ req }) => !req.complete)) socket.destroy();
    }
  }
  await listen(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    async stop(drain = 0) {
      isStopping = true;
      // Of several on a connection the last: behind the one that says it no other is sent.
      for (const { running } of connections.values()) announceEnd([...running].at(-1));
      await new Promise((resolve) => setTimeout(resolve, drain));
      isClosing = true;
      // Else close() ends kept connections at once.
      server.closeIdleConnections = () => {};
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of connections.keys()) closeWhenIdle(socket);
      const timer = setTimeout(closeUnread, ARRIVAL_TIMEOUT);
      await closed;
      clearTimeout(timer);
    },
  };
}

/** Connection, the answers to come on it, and the time after which it is closed without one. */
interface Connection {
  running: Set<ServerResponse>;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** Says with an answer that its connection closes: else the client would send its next request on it. */
function announceEnd(outgoing: ServerResponse | undefined): void {
  if (outgoing?.headersSent === false) outgoing.setHeader("connection", "close");
}

function isRead({ method }: IncomingMessage): boolean {
  return method === "GET" || method === "HEAD";
}

async function listen(
  server: Server,
  { host, port }: { host: string; port: number },
): Promise<void> {
  const failure = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    server.once("error", resolve);
    server.listen(port, host, () => resolve(null));
  });
  if (failure === null) return;
  throw new CliError(`The server cannot listen on ${host}, port ${port}: ${failure.message}.`, {
    hint: "Set PORT and HOST to what is free.",
  });
}

/**
 * Runs a function at the first SIGTERM or SIGINT; a second one ends the process at once.
 *
 * @returns Stops listening to the signals.
 */
export function onStop(stop: () => void): () => void {
  const signals = ["SIGTERM", "SIGINT"] as const;
  let isAsked = false;
  const listener = (): void => {
    if (isAsked) process.exit(1);
    isAsked = true;
    stop();
  };
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}
