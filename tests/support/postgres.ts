import { join } from "node:path";
import pg from "pg";
import { capture, run } from "../../scripts/run_command.ts";
import { exists, repositoryRoot } from "../../scripts/workspace.ts";
import { withFileLock } from "./file_lock.ts";
import { freePort } from "./free_port.ts";

/** A PostgreSQL server that a test started. */
export interface PostgresServer {
  /** A pool of connections to its one database, for what is tested. */
  readonly pool: pg.Pool;
  /** One more connection, for the test itself; another one after a restart. */
  readonly admin: pg.Client;
  /** The port of 127.0.0.1 on which it listens. */
  readonly port: number;
  /**
   * Stops it at once, whoever is connected, and starts it again with its data.
   *
   * @param signal "SIGQUIT" for a crash, after which it recovers from its log. Default: "SIGINT", a shutdown.
   */
  restart(signal?: "SIGINT" | "SIGQUIT"): Promise<void>;
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

/** A temporary folder of the user under whom the server runs. */
async function temporaryFolder(user: User | null, dir?: string): Promise<string> {
  const folder = await Deno.makeTempDir({
    prefix: "framework-postgres-",
    ...dir !== undefined && { dir },
  });
  if (user !== null && dir !== undefined) await Deno.chmod(dir, 0o755);
  if (user !== null) await Deno.chown(folder, user.uid, user.gid);
  return folder;
}

/** Runs a program of PostgreSQL as that user. */
async function runAs(user: User | null, cwd: string, command: string, args: string[]) {
  const { code, stderr } = await new Deno.Command(command, {
    ...{ args, cwd, ...user },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
}

/** Makes the files of an empty server, once on this machine: a copy takes a fifth of the time. */
async function emptyFiles(bin: string, user: User | null): Promise<string> {
  const { stdout } = await capture(join(bin, "initdb"), ["--version"]);
  const version = stdout.trim().replaceAll(/[^\w.]+/g, "_");
  const place = join(repositoryRoot, "tests", "output", "postgres");
  const files = join(place, `${version}_${user?.uid ?? Deno.uid()}`);
  await withFileLock(`${files}.lock`, async () => {
    if (await exists(files)) return;
    const folder = await temporaryFolder(user);
    try {
      await runAs(user, folder, join(bin, "initdb"), [
        ...["-U", "framework", "-A", "trust", "-E", "UTF8", "--no-locale", "-N"],
        ...["-D", join(folder, "data")],
      ]);
      // Under its name only when it is whole; another run may have been ended before.
      await Deno.remove(`${files}.part`, { recursive: true }).catch(() => {});
      await run("cp", ["-a", join(folder, "data"), `${files}.part`], { cwd: place });
      await Deno.rename(`${files}.part`, files);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
  return files;
}

/**
 * Starts an empty server on a free port of 127.0.0.1, in a temporary folder.
 *
 * @param bin The folder of `initdb` and `postgres`.
 * @param dir Where its folder is made. Default: where the system has temporary ones.
 */
export function startPostgres(bin: string, dir?: string): Promise<PostgresServer> {
  return startServer(bin, async (data, user) => {
    const files = await emptyFiles(bin, user);
    // By whoever runs the tests, who may read the folder of the repository.
    await run("cp", ["-a", files, data], { cwd: repositoryRoot });
  }, dir);
}

/** Starts a server with the files that `make` puts into a new folder. */
async function startServer(
  bin: string,
  make: (data: string, user: User | null) => Promise<void>,
  dir?: string,
): Promise<PostgresServer> {
  const user = await unprivilegedUser();
  const folder = await temporaryFolder(user, dir);
  const data = join(folder, "data");
  await make(data, user);
  const port = freePort();
  function start(): Deno.ChildProcess {
    return new Deno.Command(join(bin, "postgres"), {
      args: [
        ...["-D", data, "-p", String(port), "-k", folder, "-h", "127.0.0.1"],
        ...["-c", "fsync=off", "-c", "max_connections=60"],
      ],
      ...{ cwd: folder, ...user },
      stdin: "null",
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
    async restart(signal) {
      await halt(signal);
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
      const backup = await postgresProgram(bin, "pg_basebackup");
      return await startServer(bin, (data, user) =>
        runAs(user, join(data, ".."), backup, [
          ...["-h", "127.0.0.1", "-p", String(source), "-U", "framework"],
          ...["-R", "-X", "stream", "-c", "fast", "--no-sync", "-D", data],
        ]));
    },
    async stop() {
      await admin.end().catch(() => {});
      await stopServer();
    },
  };
}
