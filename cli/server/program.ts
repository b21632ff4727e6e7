// deno-lint-ignore-file no-console -- the log of a server
import { type Auth, type Logger, settled } from "@framework/auth";
import { isSecureOrigin } from "@framework/auth/convention";
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
import {
  type DatabaseLimits,
  openPostgresDatabase,
  type PoolOptions,
  type ServerPool,
} from "./postgres_database.ts";
import { createFetch } from "./fetch.ts";
import { logFailure, logRequestFailure, logWarning, useLogger } from "./log.ts";
import { onStop, serve } from "./serve.ts";

/** Milliseconds after which a server that was told to end gives up on what has not ended. */
const STOP_TIMEOUT = 25_000;

/** Milliseconds in which the database answers a probe: the probes of orchestrators wait no longer than a few seconds. */
const HEALTH_TIMEOUT = 2_000;

/** Parts of a built server, which its generated entry passes. */
export interface ServerParts {
  /** Address of the built file, beside the static files and the migrations. */
  url: string;
  /** Settings of the platform file. */
  settings: ServerSettings;
  /** Makes the pool of a PostgreSQL database by the application's `pg`. Default: the database is a file of SQLite. */
  createPool?(options: PoolOptions): ServerPool;
  /** Loads the application, with its authentication where it has one. */
  load(): Promise<{ default: Worker; auth?: Auth<unknown> | null }>;
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

/**
 * Opens the database.
 *
 * @param limits Limits of a PostgreSQL database.
 */
async function openDatabase(
  { url, settings, createPool }: ServerParts,
  limits: DatabaseLimits,
): Promise<ServerDatabase> {
  const migrations = fileURLToPath(new URL("migrations", url));
  if (createPool !== undefined) {
    const { url: connectionString } = readDatabaseUrl(process.env);
    return await openPostgresDatabase({ connectionString, createPool, limits, migrations });
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
  // A migration takes as long as it takes.
  const database = await openDatabase(parts, { poolSize: 10, statementTimeout: 0 });
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
  Object.assign(globalThis, {
    [Symbol.for("framework.routed")]: true,
    [Symbol.for("framework.application")]: { onError: logRequestFailure },
    fetch: createFetch(fetch),
  });
  const findAddress = createAddressRule({
    baseUrl: variables["BASE_URL"],
    allowedHosts: listOf(variables["ALLOWED_HOSTS"]),
    trustedProxies: listOf(variables["TRUSTED_PROXIES"]),
  });
  const host = variables["HOST"] ?? "0.0.0.0";
  const port = readPort(variables["PORT"]);
  // By default more than the minute of most load balancers: one that keeps connections for longer than the server sends
  // requests into a connection that is being closed.
  const idleTimeout = readSeconds("IDLE_TIMEOUT", { least: 1, fallback: 65 });
  const drain = readSeconds("DRAIN_TIME", { least: 0, fallback: 0 });
  const limits = {
    statementTimeout: readSeconds("DATABASE_STATEMENT_TIMEOUT", { least: 0, fallback: 5 }),
    poolSize: readNumber("DATABASE_POOL_SIZE", { least: 1, fallback: 10 }, "connections"),
  };
  const vars = readVariables(settings.vars, variables);
  const database = await openDatabase(parts, limits);
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
  const { default: worker, auth } = await parts.load();
  demandConfiguration(worker, env);
  if (auth) useLogger(loggerOf(auth, env));
  warnOfHttp(variables["BASE_URL"]);
  const server = await serve({
    worker,
    env,
    assets,
    applicationFirst,
    findAddress,
    isHealthy: settings.health ? createProbe(database) : null,
    host,
    port,
    idleTimeout,
  });
  bindings.start(worker, env);
  console.log(`${settings.name} listens on ${host}, port ${server.port}`);
  const end = async (status: number, drain = 0): Promise<void> => {
    const timer = setTimeout(() => {
      console.error(`Not everything had ended after ${STOP_TIMEOUT / 1000} seconds.`);
      process.exit(1);
    }, drain + STOP_TIMEOUT);
    await Promise.all([server.stop(drain), bindings.stop()]);
    // What a batch or a job has left behind it.
    await settled();
    await database.close();
    clearTimeout(timer);
    process.exit(status);
  };
  onStop(() => void end(0, drain));
  // On Workers too a promise that nobody handles ends nothing.
  process.on("unhandledRejection", (reason) => logFailure("rejection-unhandled", reason));
  process.on("uncaughtException", (error) => {
    logFailure("exception-uncaught", error);
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
      // PgBouncer, which takes no settings of a connection.
      hint: /unsupported startup parameter/.test(message ?? "")
        ? "Set DATABASE_STATEMENT_TIMEOUT=0, and the limit in PostgreSQL: ALTER ROLE … SET statement_timeout."
        : "Start it, or correct DATABASE_URL.",
      cause: error,
    });
  }
}

/** The logger of the authentication, as it is set up in this environment. */
function loggerOf(auth: Auth<unknown>, env: object): Logger {
  const settings = Symbol.for("framework.auth.settings");
  const { [settings]: read } = auth as unknown as Record<
    symbol,
    (env: object) => { logger: Logger }
  >;
  return read!(env).logger;
}

/** Warns of an address at which no browser keeps the cookie of a session: it is for https alone. */
function warnOfHttp(baseUrl: string | undefined): void {
  if (baseUrl === undefined || new URL(baseUrl).protocol === "https:") return;
  if (!isSecureOrigin(baseUrl)) return;
  logWarning("base-url-insecure", {
    baseUrl,
    advice:
      "browsers drop the cookies of a sign-in at an address of http: put a proxy with https in front, and " +
      "write its address, https://…, into BASE_URL",
  });
}

/** Makes the question whether the database answers. One that hangs is asked once, however many probes come. */
function createProbe({ binding }: ServerDatabase): () => Promise<boolean> {
  let asking: Promise<unknown> | undefined;
  return async () => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = new Error(`The database has not answered within ${HEALTH_TIMEOUT / 1000} s`);
      timer = setTimeout(() => reject(error), HEALTH_TIMEOUT);
    });
    try {
      asking ??= binding.prepare("SELECT 1 AS one").first().finally(() => asking = undefined);
      await Promise.race([asking, late]);
      return true;
    } catch (error) {
      logFailure("health-check-failed", error);
      return false;
    } finally {
      clearTimeout(timer);
    }
  };
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

/** Bounds of a number, and what it is by default. */
interface NumberOptions {
  least: number;
  fallback: number;
}

/** Reads seconds, at most an hour, and returns milliseconds. */
function readSeconds(name: string, options: NumberOptions): number {
  return readNumber(name, options, "seconds") * 1000;
}

function readNumber(name: string, { least, fallback }: NumberOptions, what: string): number {
  const text = process.env[name] ?? String(fallback);
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= 3600) return number;
  throw new CliError(
    `${name}: expected ${what} from ${least} to 3600, found ${JSON.stringify(text)}.`,
    {
      exitCode: ExitCode.config,
      hint: `Correct the variable ${name}, or leave it out for ${fallback}.`,
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
