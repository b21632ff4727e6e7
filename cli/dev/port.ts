import type { Server as PlainServer } from "node:http";
import type { Server as SecureServer } from "node:https";
import { CliError } from "../terminal/exit.ts";

type Server = PlainServer | SecureServer;

/** Address of a listening server. */
export interface Listening {
  port: number;
  /** One server per address: `localhost` has two. */
  servers: Server[];
}

/** Options for {@linkcode listen}. */
export interface ListenOptions {
  host: string;
  port: number;
  /** True when the user requested exactly this port. */
  exact: boolean;
}

const attempts = 100;

/**
 * Listens on the port or, unless the user requested exactly this one, on the next free one.
 *
 * @param createServer Makes one of the servers.
 * @throws {CliError} When the port is taken, or the address is not one of this machine.
 */
export async function listen(
  createServer: () => Server,
  { host, port, exact }: ListenOptions,
): Promise<Listening> {
  for (let candidate = port; candidate < port + attempts && candidate <= 65_535; candidate++) {
    const listening = await tryPort(createServer, { host, port: candidate });
    if (listening) return listening;
    if (exact) break;
  }
  throw new CliError(`Port ${port} is already in use.`, {
    hint: "Stop the program that uses it, or choose another one with --port.",
  });
}

async function tryPort(
  createServer: () => Server,
  { host, port }: { host: string; port: number },
): Promise<Listening | null> {
  // A browser may try either address of localhost; listening on one alone would leave the other to
  // another program.
  const [address, second] = host === "localhost" ? ["127.0.0.1", "::1"] : [host];
  const server = createServer();
  const failure = await listenOn(server, address!, port);
  if (failure === "EADDRINUSE") return null;
  if (failure) throw cannotListen(host, port, failure);
  const bound = server.address();
  const chosen = typeof bound === "object" && bound ? bound.port : port;
  if (second === undefined) return { port: chosen, servers: [server] };
  const twin = createServer();
  const twinFailure = await listenOn(twin, second, chosen);
  if (twinFailure === "EADDRINUSE") {
    await new Promise((resolve) => server.close(resolve));
    return null;
  }
  // Any other failure means that this machine has no IPv6.
  return { port: chosen, servers: twinFailure ? [server] : [server, twin] };
}

function cannotListen(host: string, port: number, code: string): CliError {
  const denied = code === "EACCES";
  return new CliError(`The server could not listen on ${host}:${port} (${code}).`, {
    hint: denied
      ? "Ports below 1024 require special permissions: choose another one with --port."
      : "Choose an address of this machine with --host.",
  });
}

/** Resolves with the error code, or null on success. */
function listenOn(server: Server, host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    server.once(
      "error",
      (error: Error & { code?: string }) => resolve(error.code ?? error.message),
    );
    server.listen({ host, port }, () => resolve(null));
  });
}
