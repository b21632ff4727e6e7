import { join } from "node:path";
import pg from "pg";
import { freePort } from "./free_port.ts";

/** A PostgreSQL server that a test started. */
export interface PostgresServer {
  /** A pool of connections to its one database, for what is tested. */
  readonly pool: pg.Pool;
  /** One more connection, for the test itself; another one after a restart. */
  readonly admin: pg.Client;
  /** The port of 127.0.0.1 on which it listens. */
  readonly port: number;
  /** Stops it at once, whoever is connected, and starts it again with its data. */
  restart(): Promise<void>;
  /** Stops all of its processes from running, until the function that comes back is called. */
  pause(): Promise<() => void>;
  /** Ends it as a lost machine does: it sends and writes nothing more. */
  kill(): Promise<void>;
  /**
   * Starts a copy that follows this server and refuses to write until `SELECT pg_promote()`.
   *
   * @param source The port by which the copy reaches this server. Default: the server's own.
   */
  replica(source?: number): Promise<PostgresServer>;
  /** Closes the connections, stops the server and removes its files. */
  stop(): Promise<void>;
}

interface User {
  uid: number;
  gid: number;
}

async function idOf(flag: "-u" | "-g", name: string): Promise<number | null> {
  const { code, stdout } = await new Deno.Command("id", {
    args: [flag, name],
    stdout: "piped",
    stderr: "null",
  }).output();
  return code === 0 ? Number(new TextDecoder().decode(stdout)) : null;
}

/** PostgreSQL refuses to run as root; its own user or nobody does. */
async function unprivilegedUser(): Promise<User | null> {
  if (Deno.uid() !== 0) return null;
  for (const name of ["postgres", "nobody"]) {
    const [uid, gid] = await Promise.all([idOf("-u", name), idOf("-g", name)]);
    if (uid !== null && gid !== null) return { uid, gid };
  }
  throw new Error("PostgreSQL does not run as root, and there is no user postgres or nobody.");
}

/** A program of the same release: the folder may have links to some of them alone. */
export async function postgresProgram(bin: string, name: string): Promise<string> {
  return join(await Deno.realPath(join(bin, "initdb")), "..", name);
}

/**
 * Starts an empty server on a free port of 127.0.0.1, in a temporary folder.
 *
 * @param bin The folder of `initdb` and `postgres`.
 */
export function startPostgres(bin: string): Promise<PostgresServer> {
  return startServer(bin, [
    join(bin, "initdb"),
    ...["-U", "framework", "-A", "trust", "-E", "UTF8", "--no-locale", "-N", "-D"],
  ]);
}

/** Starts a server with the files that a command makes, whose last argument is their folder. */
async function startServer(
  bin: string,
  [command, ...args]: [string, ...string[]],
): Promise<PostgresServer> {
  const user = await unprivilegedUser();
  const folder = await Deno.makeTempDir({ prefix: "framework-postgres-" });
  if (user !== null) await Deno.chown(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const options = { cwd: folder, stdin: "null", ...user } as const;
  const made = await new Deno.Command(command, {
    args: [...args, data],
    ...options,
    stdout: "piped",
    stderr: "piped",
  }).output();
  if (made.code !== 0) throw new Error(new TextDecoder().decode(made.stderr));
  const port = freePort();
  function start(): Deno.ChildProcess {
    return new Deno.Command(join(bin, "postgres"), {
      args: [
        ...["-D", data, "-p", String(port), "-k", folder, "-h", "127.0.0.1"],
        ...["-c", "fsync=off", "-c", "max_connections=60"],
      ],
      ...options,
      stdout: "null",
      stderr: "null",
    }).spawn();
  }
  const address = { host: "127.0.0.1", port, user: "framework", database: "postgres" };
  const pool = new pg.Pool({ ...address, max: 20 });
  let server = start();

  async function connect(): Promise<pg.Client> {
    let ended = false;
    void server.status.then(() => ended = true);
    for (let tries = 0;; tries++) {
      const client = new pg.Client(address);
      // Its connection ends with the server.
      client.on("error", () => {});
      try {
        await client.connect();
        return client;
      } catch (error) {
        // Five minutes, for slow machines.
        if (ended || tries === 3000) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  /** Fast shutdown, which waits for nobody but a replica; SIGQUIT waits for nothing at all. */
  async function halt(signal: Deno.Signal = "SIGINT"): Promise<void> {
    try {
      server.kill(signal);
    } catch {
      // It has ended.
    }
    await server.status;
  }

  async function stopServer(): Promise<void> {
    await pool.end();
    await halt();
    await Deno.remove(folder, { recursive: true });
  }

  let admin: pg.Client;
  try {
    admin = await connect();
  } catch (error) {
    await stopServer();
    throw error;
  }
  return {
    pool,
    port,
    get admin() {
      return admin;
    },
    async restart() {
      await halt();
      await admin.end().catch(() => {});
      server = start();
      admin = await connect();
    },
    async pause() {
      const children = await Deno.readTextFile(`/proc/${server.pid}/task/${server.pid}/children`);
      const pids = [server.pid, ...children.trim().split(" ").filter(Boolean).map(Number)];
      const tell = (signal: Deno.Signal) => {
        for (const pid of pids) {
          try {
            Deno.kill(pid, signal);
          } catch {
            // A connection's process that has ended.
          }
        }
      };
      tell("SIGSTOP");
      return () => tell("SIGCONT");
    },
    kill: () => halt("SIGQUIT"),
    async replica(source = port) {
      return await startServer(bin, [
        await postgresProgram(bin, "pg_basebackup"),
        ...["-h", "127.0.0.1", "-p", String(source), "-U", "framework"],
        ...["-R", "-X", "stream", "-c", "fast", "--no-sync", "-D"],
      ]);
    },
    async stop() {
      await admin.end().catch(() => {});
      await stopServer();
    },
  };
}
