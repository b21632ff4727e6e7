import { join } from "node:path";
import { createConnection, createPool } from "mysql2/promise";
import type { Connection, Pool, RowDataPacket } from "mysql2/promise";
import type { MariadbPrograms } from "../../scripts/mariadb.ts";
import { capture, run } from "../../scripts/run_command.ts";
import { exists, repositoryRoot } from "../../scripts/workspace.ts";
import { withFileLock } from "./file_lock.ts";
import { freePort } from "./free_port.ts";

/** A MariaDB server that a test started. */
export interface MariadbServer {
  /** A pool of connections to its database `app`, for what is tested. */
  readonly pool: Pool;
  /** The port of 127.0.0.1 on which it listens. */
  readonly port: number;
  /** Runs one statement on a connection of the test's own, and returns its rows. */
  ask(sql: string): Promise<Record<string, unknown>[]>;
  /** Opens one more connection to the database, which ends with it. */
  connect(): Promise<Connection>;
  /** Removes every table of the database, and ends the connections that were opened. */
  empty(): Promise<void>;
  /** Ends it at once, as with its machine. */
  kill(): Promise<void>;
  /** Stops it at once, whoever is connected, and starts it again: by "SIGKILL" as after a crash. Default: "SIGKILL". */
  restart(signal?: "SIGKILL" | "SIGTERM"): Promise<void>;
  /** Keeps it from running until the function that comes back is called. */
  pause(): () => void;
  /** Closes the connections, stops the server and removes its files. */
  stop(): Promise<void>;
}

interface User {
  uid: number;
  gid: number;
}

/** MariaDB refuses to run as root; the user of its package or nobody does. */
async function unprivilegedUser(): Promise<User | null> {
  if (Deno.uid() !== 0) return null;
  for (const name of ["mysql", "nobody"]) {
    const [uid, gid] = await Promise.all(["-u", "-g"].map((flag) => capture("id", [flag, name])));
    if (uid!.code === 0) return { uid: Number(uid!.stdout), gid: Number(gid!.stdout) };
  }
  throw new Error("MariaDB does not run as root, and there is no user mysql or nobody.");
}

/** Makes the files of an empty server, once on this machine: a copy takes a tenth of the time. */
async function emptyFiles({ server, install }: MariadbPrograms, user: User | null) {
  const { stdout } = await capture(server, ["--version"]);
  const version = /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? "unknown";
  const place = join(repositoryRoot, "tests", "output", "mariadb");
  const files = join(place, `${version}_${user?.uid ?? Deno.uid()}`);
  await withFileLock(`${files}.lock`, async () => {
    if (await exists(files)) return;
    const folder = await Deno.makeTempDir({ prefix: "framework-mariadb-" });
    try {
      if (user !== null) await Deno.chown(folder, user.uid, user.gid);
      const { code, stderr } = await new Deno.Command(install, {
        args: [
          ...["--no-defaults", `--datadir=${join(folder, "data")}`, "--skip-test-db"],
          ...["--auth-root-authentication-method=normal", "--innodb-log-file-size=8M"],
        ],
        ...{ cwd: folder, ...user },
        stdout: "null",
        stderr: "piped",
      }).output();
      if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
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
 * @param more Further arguments, which go before those of every test.
 * @param dir Where its folder is made. Default: where the system has temporary ones.
 */
export async function startMariadb(
  programs: MariadbPrograms,
  more: readonly string[] = [],
  dir?: string,
): Promise<MariadbServer> {
  const user = await unprivilegedUser();
  const folder = await Deno.makeTempDir({
    prefix: "framework-mariadb-",
    ...dir !== undefined && { dir },
  });
  if (user !== null && dir !== undefined) await Deno.chmod(dir, 0o755);
  if (user !== null) await Deno.chown(folder, user.uid, user.gid);
  const data = join(folder, "data");
  await run("cp", ["-a", await emptyFiles(programs, user), data], { cwd: repositoryRoot });
  const port = freePort();
  const address = { host: "127.0.0.1", port, user: "root", database: "app" };
  const pool = createPool({ ...address, connectionLimit: 20 });

  const log = join(folder, "server.err");
  const halted = new WeakSet<Deno.ChildProcess>();
  /** Why the server ended though no test has told it to. */
  let death: Promise<string> | undefined;

  async function tellDeath({ code, signal }: Deno.CommandStatus): Promise<string> {
    const lines = await Deno.readTextFile(log).catch(() => "");
    return `MariaDB has ended by itself, with ${signal ?? code}:\n${lines.slice(-5000)}`;
  }

  function start(): Deno.ChildProcess {
    const child = new Deno.Command(programs.server, {
      args: [
        ...["--no-defaults", `--datadir=${data}`, `--port=${port}`, "--bind-address=127.0.0.1"],
        ...[
          `--socket=${join(folder, "socket")}`,
          `--pid-file=${join(folder, "pid")}`,
          `--log-error=${log}`,
        ],
        // A server that starts removes the temporary tables that it finds, also those of another one that runs.
        `--tmpdir=${folder}`,
        ...["--innodb-log-file-size=8M", "--innodb-buffer-pool-size=64M", "--skip-name-resolve"],
        // As fast as a test needs it. What is committed survives the end of the process, not that of the machine.
        ...["--innodb-flush-log-at-trx-commit=2", "--innodb-flush-method=nosync"],
        ...["--skip-innodb-doublewrite", "--sync-frm=0", "--skip-log-bin"],
        ...more,
      ],
      ...{ cwd: folder, ...user },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    void child.status.then((status) => {
      if (!halted.has(child)) death = tellDeath(status);
    });
    return child;
  }

  let server = start();
  const opened: Connection[] = [];

  async function connect(database = "app"): Promise<Connection> {
    let ended = false;
    void server.status.then(() => ended = true);
    for (let tries = 0;; tries++) {
      try {
        return await createConnection({ ...address, database, multipleStatements: true });
      } catch (error) {
        // Five minutes, for slow machines.
        if (ended || tries === 3000) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  async function halt(signal: Deno.Signal): Promise<void> {
    halted.add(server);
    try {
      server.kill(signal);
    } catch {
      // It has ended.
    }
    await server.status;
  }

  let admin: Connection;
  try {
    admin = await connect("mysql");
    await admin.query("CREATE DATABASE IF NOT EXISTS app; USE app");
  } catch (error) {
    await halt("SIGKILL");
    await Deno.remove(folder, { recursive: true });
    throw error;
  }

  async function ask(sql: string): Promise<Record<string, unknown>[]> {
    const [rows] = await admin.query<RowDataPacket[]>(sql);
    return rows;
  }

  return {
    pool,
    port,
    ask,
    async connect() {
      const connection = await connect();
      opened.push(connection);
      return connection;
    },
    async empty() {
      // Else the tables would wait for a transaction that a failed test has left open.
      for (const connection of opened.splice(0)) connection.destroy();
      await admin.query("DROP DATABASE app; CREATE DATABASE app; USE app");
    },
    kill: () => halt("SIGKILL"),
    async restart(signal = "SIGKILL") {
      await halt(signal);
      admin.destroy();
      server = start();
      admin = await connect();
    },
    pause() {
      server.kill("SIGSTOP");
      return () => server.kill("SIGCONT");
    },
    async stop() {
      await pool.end().catch(() => {});
      admin.destroy();
      await halt("SIGKILL");
      const why = await death;
      await Deno.remove(folder, { recursive: true });
      if (why !== undefined) throw new Error(why);
    },
  };
}
