// deno-lint-ignore-file no-console -- the log of a server
import { settled } from "@framework/auth";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { ServerSettings } from "../platform/server_settings.ts";
import type { Worker } from "../runtime/application.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { createAddressRule } from "./address.ts";
import { createAssets } from "./assets.ts";
import { createBindings } from "./bindings.ts";
import { openServerDatabase, type ServerDatabase } from "./database.ts";
import { readDatabaseUrl } from "../migrate/postgres_address.ts";
import { openPostgresDatabase, type ServerPool } from "./postgres_database.ts";
import { createFetch } from "./fetch.ts";
import { onStop, serve } from "./serve.ts";

/** Milliseconds after which a server that was told to end gives up on what has not ended. */
const STOP_TIMEOUT = 25_000;

/** Parts of a built server, which its generated entry passes. */
export interface ServerParts {
  /** Address of the built file, beside the static files and the migrations. */
  url: string;
  /** Settings of the platform file. */
  settings: ServerSettings;
  /** Makes the pool of a PostgreSQL database by the application's `pg`. Default: the database is a file of SQLite. */
  createPool?(options: { connectionString: string }): ServerPool;
  /** Loads the application. */
  load(): Promise<{ default: Worker }>;
}

/**
 * Runs a built server: `node server.js` serves, `node server.js migrate` applies the migrations. The generated entry is
 * its only caller.
 *
 * @param parts The application and its settings.
 * @param args Arguments of the program. Default: those of the process.
 *
 * @example
 * ```ts
 * import { runServer } from "@framework/cli/server";
 * import { ok } from "node:assert/strict";
 * import { existsSync } from "node:fs";
 * import { mkdtemp, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import process from "node:process";
 * import { pathToFileURL } from "node:url";
 *
 * const folder = await mkdtemp(join(tmpdir(), "server-"));
 * process.env["DATA_DIR"] = join(folder, "data");
 * const url = pathToFileURL(join(folder, "server.js")).href; // of a program: import.meta.url
 * const settings = {
 *   name: "app",
 *   database: "DB",
 *   migrationsTable: "d1_migrations",
 *   kvNamespaces: {},
 *   buckets: {},
 *   producers: {},
 *   consumers: [],
 *   crons: [],
 *   vars: {},
 *   assets: { binding: null, applicationFirst: false, html: true },
 *   health: true,
 * };
 * const worker = { fetch: () => Promise.resolve(new Response("Hello")) };
 * const load = () => Promise.resolve({ default: worker }); // of a program: import("./worker.js")
 *
 * await runServer({ url, settings, load }, ["migrate"]);
 * ok(existsSync(join(folder, "data", "database.sqlite")));
 * await rm(folder, { recursive: true });
 * ```
 */
export async function runServer(
  parts: ServerParts,
  args: readonly string[] = process.argv.slice(2),
): Promise<void> {
  try {
    const [command, ...more] = args;
    if (more.length > 0 || ![undefined, "migrate"].includes(command)) {
      throw new CliError(`Unknown arguments: ${args.join(" ")}.`, {
        hint: "Without an argument the program serves; `migrate` applies the migrations.",
      });
    }
    if (command === "migrate") await migrate(parts);
    else await start(parts);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    console.error(`Error: ${error.message}${error.hint === undefined ? "" : `\n${error.hint}`}`);
    process.exit(error.exitCode);
  }
}

/** Folder of everything that the server keeps. */
function dataFolder(): string {
  return resolve(process.env["DATA_DIR"] ?? "data");
}

async function openDatabase(
  { url, settings, createPool }: ServerParts,
): Promise<ServerDatabase> {
  const migrations = fileURLToPath(new URL("migrations", url));
  if (createPool !== undefined) {
    const { url: connectionString } = readDatabaseUrl(process.env);
    return await openPostgresDatabase(createPool({ connectionString }), migrations);
  }
  await makeDataFolder();
  return await openServerDatabase({
    file: join(dataFolder(), "database.sqlite"),
    migrations,
    table: settings.migrationsTable,
  });
}

async function makeDataFolder(): Promise<void> {
  try {
    // A folder that is made here is nobody else's to read: sessions and uploads are in it.
    await mkdir(dataFolder(), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new CliError(
      `The folder ${dataFolder()} could not be made: ${(error as Error).message}.`,
      {
        exitCode: ExitCode.config,
        hint: "Correct the variable DATA_DIR: this program keeps everything in that folder.",
        cause: error,
      },
    );
  }
}

async function migrate(parts: ServerParts): Promise<void> {
  const database = await openDatabase(parts);
  const stop = new AbortController();
  const ignore = onStop(() => stop.abort());
  let count = 0;
  try {
    await demandAnswer(() =>
      database.migrate({
        signal: stop.signal,
        onApplied(name) {
          count++;
          console.log(`Applied ${name}`);
        },
      })
    );
  } finally {
    await database.close();
    ignore();
  }
  if (stop.signal.aborted) throw new CliError("Interrupted.", { exitCode: ExitCode.interrupted });
  if (count === 0) console.log("The database is up to date");
}

async function start(parts: ServerParts): Promise<void> {
  const { settings, url } = parts;
  const { env: variables } = process;
  // Read by the application when it is loaded: what is built is for production.
  variables["NODE_ENV"] ??= "production";
  // The server lets none but its own hosts through.
  Object.assign(globalThis, { [Symbol.for("framework.routed")]: true, fetch: createFetch(fetch) });
  const findAddress = createAddressRule({
    baseUrl: variables["BASE_URL"],
    allowedHosts: listOf(variables["ALLOWED_HOSTS"]),
    trustedProxies: listOf(variables["TRUSTED_PROXIES"]),
  });
  const host = variables["HOST"] ?? "0.0.0.0";
  const port = readPort(variables["PORT"]);
  const idleTimeout = readIdleTimeout(variables["IDLE_TIMEOUT"]);
  const vars = readVariables(settings.vars, variables);
  const database = await openDatabase(parts);
  const pending = await demandAnswer(() => database.pending());
  if (pending.length > 0) {
    throw new CliError(`The database lacks ${pending.length} migrations: ${pending.join(", ")}.`, {
      exitCode: ExitCode.config,
      hint: "Run this program with the argument `migrate` first.",
    });
  }
  const { html, binding, applicationFirst } = settings.assets;
  const assets = await createAssets(fileURLToPath(new URL("assets", url)), { html });
  const bindings = createBindings(settings, {
    database: database.binding,
    dataFolder: dataFolder(),
  });
  const env: Record<string, unknown> = { ...variables, ...vars, ...bindings.env };
  if (binding !== null) {
    env[binding] = {
      fetch: async (input: Request | string | URL, init?: RequestInit) =>
        await assets.answer(new Request(input, init)) ?? new Response(null, { status: 404 }),
    };
  }
  const { default: worker } = await parts.load();
  demandConfiguration(worker, env);
  const server = await serve({
    worker,
    env,
    assets,
    applicationFirst,
    findAddress,
    isHealthy: settings.health ? () => answers(database) : null,
    host,
    port,
    idleTimeout,
  });
  bindings.start(worker, env);
  console.log(`${settings.name} listens on ${host}, port ${server.port}`);
  const end = async (status: number): Promise<void> => {
    const timer = setTimeout(() => {
      console.error(`Not everything had ended after ${STOP_TIMEOUT / 1000} seconds.`);
      process.exit(1);
    }, STOP_TIMEOUT);
    await Promise.all([server.stop(), bindings.stop()]);
    // What a batch or a job has left behind it.
    await settled();
    await database.close();
    clearTimeout(timer);
    process.exit(status);
  };
  onStop(() => void end(0));
  // On Workers too a promise that nobody handles ends nothing.
  process.on("unhandledRejection", (reason) => console.error(reason));
  process.on("uncaughtException", (error) => {
    console.error(error);
    void end(1);
  });
}

/** Refuses to start with what is wrong for the authentication, so that the version before goes on to serve. */
function demandConfiguration(worker: Worker, env: object): void {
  try {
    worker.check?.(env);
  } catch (error) {
    throw new CliError(error instanceof Error ? error.message : String(error), {
      exitCode: ExitCode.config,
      hint:
        "See app/auth and the variables of the environment: nothing is served until it is corrected.",
      cause: error,
    });
  }
}

/** Converts the failure to reach a database to a sentence. */
async function demandAnswer<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CliError) throw error;
    const { message, code } = error as { message?: string; code?: string };
    throw new CliError(`The database does not answer: ${message || code}.`, {
      hint: "Start it, or correct DATABASE_URL.",
      cause: error,
    });
  }
}

async function answers({ binding }: ServerDatabase): Promise<boolean> {
  try {
    return await binding.prepare("SELECT 1 AS one").first() !== null;
  } catch (error) {
    console.error(error);
    return false;
  }
}

function listOf(text: string | undefined): string[] {
  return text?.split(",").map((part) => part.trim()).filter((part) => part !== "") ?? [];
}

function readPort(text: string = "8080"): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new CliError(`PORT: expected a number from 0 to 65535, found ${JSON.stringify(text)}.`, {
    exitCode: ExitCode.config,
    hint: "Correct the variable PORT.",
  });
}

/**
 * Reads the seconds for which an idle connection is kept, and returns milliseconds. By default they
 * are more than the minute of most load balancers: one that keeps connections for longer than the
 * server sends requests into a connection that is being closed.
 */
function readIdleTimeout(text: string = "65"): number {
  const seconds = Number(text);
  if (/^\d+$/.test(text) && seconds >= 1 && seconds <= 3600) return seconds * 1000;
  throw new CliError(
    `IDLE_TIMEOUT: expected seconds from 1 to 3600, found ${JSON.stringify(text)}.`,
    {
      exitCode: ExitCode.config,
      hint: "Correct the variable IDLE_TIMEOUT, or leave it out for 65.",
    },
  );
}

/** The platform file's variables, each overridden by the process's of the same name, in the same type. */
function readVariables(
  declared: ServerSettings["vars"],
  given: Record<string, string | undefined>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(declared).map(([name, value]) => {
      const text = given[name];
      if (text === undefined) return [name, value];
      return [name, typeof value === "string" ? text : parseVariable(name, text)];
    }),
  );
}

function parseVariable(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CliError(`${name}: expected JSON, because the platform file's value is no text.`, {
      exitCode: ExitCode.config,
      hint: `Correct the variable ${name}.`,
    });
  }
}
