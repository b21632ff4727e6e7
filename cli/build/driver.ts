import { spawn } from "node:child_process";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { CliError } from "../terminal/exit.ts";
import { findRuntime, type RuntimeProcess } from "../tools/runtime.ts";
import { describeFailure, type DriverMethods, type DriverReply } from "./protocol.ts";

/** A running driver. */
export interface DriverClient {
  /**
   * Calls a method of the driver.
   *
   * @throws {CliError} When the driver fails or has ended.
   */
  call<M extends keyof DriverMethods>(
    method: M,
    params: DriverMethods[M]["params"],
  ): Promise<DriverMethods[M]["result"]>;
  /** Resolves when the driver has ended, for any reason. */
  ended: Promise<void>;
  /** Closes the pipe and waits until the driver and all processes that it started have ended. */
  close(): Promise<void>;
}

/** Start data of a driver. */
export interface DriverStart {
  /** Absolute path of the project. */
  root: string;
  /** Environment variables. */
  env: Record<string, string | undefined>;
  /** Receives the worker's log output. */
  log(text: string): void;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

const closeTimeout = 5_000;

/**
 * Starts the driver: in this process under Node and Deno, in a separate process for a compiled
 * command, which cannot resolve the project's packages.
 */
export function startDriver(start: DriverStart): DriverClient {
  const runtime = findRuntime(start.env);
  return isOwnProcess(runtime) ? loadDriver(start) : spawnDriver(start, runtime);
}

/**
 * Returns true when the driver needs its own process. Windows has no shell for workerd's lifeline,
 * and workerd would survive a killed command.
 */
function isOwnProcess({ command }: RuntimeProcess): boolean {
  return command === process.execPath && process.platform !== "win32";
}

function loadDriver({ log }: DriverStart): DriverClient {
  const loaded = import("./local_driver.ts").then(({ createLocalDriver }) =>
    createLocalDriver(log)
  );
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  return {
    ended,
    async call(method, params) {
      const { call } = await loaded;
      try {
        return await call(method, params);
      } catch (error) {
        throw driverError(describeFailure(error));
      }
    },
    async close() {
      const { dispose } = await loaded;
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, closeTimeout);
      await Promise.race([dispose(), late]);
      clearTimeout(timer);
      end();
    },
  };
}

/** Starts the driver's program, which is next to this package's other files. */
function spawnDriver({ root, env, log }: DriverStart, runtime: RuntimeProcess): DriverClient {
  // The sources are .ts files and the npm package's are .js: the driver has this file's own
  // extension.
  const ending = import.meta.url.slice(import.meta.url.lastIndexOf("."));
  const program = fileURLToPath(new URL(`../driver${ending}`, import.meta.url));
  const child = spawn(runtime.command, [...runtime.args, program], {
    cwd: root,
    env: { ...env, DENO_NO_UPDATE_CHECK: "1" },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let failure = "";

  child.stderr.setEncoding("utf8");
  child.stderr.on("data", (text: string) => {
    failure = (failure + text).slice(-4_000);
    log(text);
  });
  child.stdin.on("error", () => {});
  createInterface({ input: child.stdout, terminal: false }).on("line", (line) => {
    const reply = JSON.parse(line) as DriverReply;
    const call = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ("error" in reply) call?.reject(driverError(reply.error));
    else call?.resolve(reply.result);
  });
  const ended = new Promise<void>((resolve) => {
    child.once("error", (error) => {
      failure = error.message;
      resolve();
    });
    child.once("close", () => resolve());
  }).then(() => {
    for (const call of waiting.values()) call.reject(driverError(failure));
    waiting.clear();
  });
  let isOver = false;
  ended.then(() => isOver = true);

  return {
    ended,
    call: (method, params) =>
      new Promise((resolve, reject) => {
        if (isOver) return reject(driverError(failure));
        const id = ++lastId;
        waiting.set(id, { resolve: resolve as Waiting["resolve"], reject });
        child.stdin.write(`${JSON.stringify({ id, method, params })}\n`);
      }),
    async close() {
      child.stdin.end();
      const timer = setTimeout(() => child.kill("SIGKILL"), closeTimeout);
      await ended;
      clearTimeout(timer);
    },
  };
}

function driverError(detail: string): CliError {
  const [first = "", ...rest] = detail.trim().split("\n");
  return new CliError(`The project's tools failed: ${first || "their process ended"}`, {
    hint: "Run the command again with --verbose for the details.",
    cause: rest.length > 0 ? new Error(detail) : undefined,
  });
}
