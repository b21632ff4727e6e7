// deno-lint-ignore-file no-console -- the log of a server
import { waitUntil } from "@framework/auth";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import process from "node:process";
import type { Worker } from "../runtime/application.ts";
import type { ExecutionContext } from "../runtime/types.ts";
import { CliError } from "../terminal/exit.ts";
import type { FindAddress } from "./address.ts";
import type { Assets } from "./assets.ts";
import { toRequest } from "./request.ts";
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
   * Ends it: new connections are refused, those without a request are closed. Resolves when what has begun is answered.
   */
  stop(): Promise<void>;
}

/** Type of `ctx` of a request, a batch and a job. */
export const executionContext: ExecutionContext = {
  waitUntil(work) {
    waitUntil(Promise.resolve(work).catch((error) => console.error(error)));
  },
};

/** Milliseconds in which a request that has begun must arrive when the server is told to end. */
const ARRIVAL_TIMEOUT = 5_000;

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

  async function answer(request: Request): Promise<Response> {
    const before = options.applicationFirst ? null : await assets.answer(request);
    return before ?? await worker.fetch(request, env, executionContext);
  }

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    // Else the client would send its next request on a connection that is about to be closed.
    if (isStopping) outgoing.setHeader("connection", "close");
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
      console.error(error);
      return refuse(outgoing, 500, "Something went wrong");
    }
    await sendResponse(response, outgoing);
  }

  // Requests that each connection has an answer to come for. Node itself does not close a connection whose first request
  // has no whole head yet.
  const connections = new Map<Socket, Set<IncomingMessage>>();
  const limits = { ...LIMITS, keepAliveTimeout: options.idleTimeout };
  const server = createServer(limits, (incoming, outgoing) => {
    const running = connections.get(incoming.socket);
    running?.add(incoming);
    outgoing.once("close", () => {
      running?.delete(incoming);
      if (isStopping) closeIdle();
    });
    void handle(incoming, outgoing);
  });
  server.on("connection", (socket) => {
    connections.set(socket, new Set());
    socket.once("close", () => connections.delete(socket));
  });
  function closeIdle(): void {
    for (const [socket, running] of connections) if (running.size === 0) socket.destroySoon();
  }
  function closeUnread(): void {
    for (const [socket, running] of connections) {
      if ([...running].some(({ complete }) => !complete)) socket.destroy();
    }
  }
  await listen(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      isStopping = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      closeIdle();
      const timer = setTimeout(closeUnread, ARRIVAL_TIMEOUT);
      await closed;
      clearTimeout(timer);
    },
  };
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
