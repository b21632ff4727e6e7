import { join } from "node:path";
import { freePort } from "./free_port.ts";

/** A Valkey or Redis server that a test started. */
export interface ValkeyServer {
  /** Its address, for clients. */
  readonly url: string;
  readonly port: number;
  /** Stops it from running, until the function that comes back is called. */
  pause(): () => void;
  /** Ends it at once, and starts it again: empty, unless it keeps files. */
  restart(): Promise<void>;
  /** Ends it as a lost machine does. */
  kill(): Promise<void>;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

async function answers(port: number): Promise<boolean> {
  try {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await connection.write(new TextEncoder().encode("PING\r\n"));
    const answer = new Uint8Array(16);
    const length = await connection.read(answer) ?? 0;
    return new TextDecoder().decode(answer.subarray(0, length)).startsWith("+PONG");
  } catch {
    return false;
  }
}

/**
 * Starts an empty server on a free port of 127.0.0.1.
 *
 * @param program `valkey-server` or `redis-server`.
 * @param hasFiles Whether each command is in its file before it is answered. Default: it writes nothing to the disk.
 */
export async function startValkey(program: string, hasFiles = false): Promise<ValkeyServer> {
  const folder = await Deno.makeTempDir({ prefix: "framework-valkey-" });
  const port = freePort();
  async function start(): Promise<Deno.ChildProcess> {
    const child = new Deno.Command(program, {
      args: [
        ...["--bind", "127.0.0.1", "--port", String(port), "--dir", folder],
        ...["--save", "", "--logfile", join(folder, "log")],
        ...(hasFiles ? ["--appendonly", "yes", "--appendfsync", "always"] : ["--appendonly", "no"]),
      ],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    let ended = false;
    void child.status.then(() => ended = true);
    while (!await answers(port)) {
      if (ended) throw new Error(await Deno.readTextFile(join(folder, "log")));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return child;
  }
  async function end(): Promise<void> {
    try {
      child.kill("SIGKILL");
    } catch {
      // It has ended.
    }
    await child.status;
  }
  let child = await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    pause() {
      child.kill("SIGSTOP");
      return () => child.kill("SIGCONT");
    },
    async restart() {
      await end();
      child = await start();
    },
    kill: end,
    async stop() {
      await end();
      await Deno.remove(folder, { recursive: true });
    },
  };
}
