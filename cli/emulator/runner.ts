import { randomBytes } from "node:crypto";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { workerOptions } from "../platform/worker_options.ts";
import type { ServeRequest } from "../platform/worker_request.ts";
import { type Emulator, emulatorOptions, loadMiniflare } from "../tools/bundler_and_emulator.ts";
import { createPositionMapper, explainError, type Explanation } from "./source_positions.ts";
import { createLifeline, type Lifeline } from "./lifeline.ts";
import { createModuleStore, type WorkerCode } from "./module_store.ts";
import { controlEntrypoint, frontHeader, shellName, shellSource } from "./shell.ts";

/**
 * Address of the running worker and its secret, or the reason why it does not run. `restarted`: true when another
 * workerd has taken the place of one that served, with what that had in memory.
 */
export type ServeResult =
  | ({ ok: true; restarted: boolean } & WorkerAddress)
  | ({ ok: false } & Explanation);

/** Addresses of the worker behind the front server. */
export interface WorkerAddress {
  url: string;
  /** Address of the entrypoint {@linkcode controlEntrypoint}. */
  control: string;
  /** Value of the header {@linkcode frontHeader} of every request. */
  secret: string;
}

/** Start of workerd's message for a worker that does not start; the caller of `serve` reports it. */
const startFailure = /^service core:user:[^:]*: /gm;

/** workerd's message for a package that imports an optional module in a `try`. */
const missingModule = /^Fallback service failed to fetch module;/;

/** Time limit for loading a version, in milliseconds, which a worker with an endless loop exceeds. */
const timeout = 5_000;

/**
 * Maximum number of characters of code before workerd is restarted, because it never unloads a
 * module.
 */
const most = 64 * 1024 * 1024;

/** Time for the emulator to start a workerd that has died again, in milliseconds. */
const patience = 5_000;

/** Runs the worker in workerd. */
export interface Runner {
  /** Prepares before there is a worker: loads miniflare and, if possible, starts workerd. */
  warm(request: ServeRequest): Promise<void>;
  serve(request: ServeRequest, worker: WorkerCode): Promise<ServeResult>;
  /**
   * Waits until workerd listens again after it has died.
   *
   * @param asked `hangs`: true for a workerd that runs and answers nothing, which is ended first.
   * @returns false when it does not; the next `serve` then starts another.
   */
  recover(asked: { hangs: boolean }): Promise<boolean>;
  /** Locates the source of an error of the running worker. */
  explain(text: string): Explanation;
  dispose(): Promise<void>;
}

/** A start of workerd. */
interface Start {
  /** Request that workerd was started with. */
  request: string;
  /** State of the durable objects' code. */
  objects: string;
  /** The worker's address. */
  url: string;
  /** URL that switches the worker to another version, and runs its jobs. */
  control: URL;
  /** Running worker; undefined when the last version failed. */
  worker: WorkerCode | undefined;
}

/**
 * Creates the runner. It loads miniflare from the project at the first use.
 *
 * workerd is started once, and takes up each version of the worker while it runs. It is started anew for other
 * settings, for other static files, which it lists at the start, and for durable objects of other code: those that live
 * would keep the old one.
 *
 * @param log Takes what the worker logs, with places in the application's files.
 */
export function createRunner(log: (line: string) => void): Runner {
  const secret = randomBytes(16).toString("hex");
  const modules = createModuleStore(secret);
  let emulator: Emulator | undefined;
  let lifeline: Lifeline | undefined;
  let running: Start | undefined;
  let warming: Promise<unknown> | undefined;
  let root = "";
  let hasServed = false;
  let mapPositions = (text: string): string => text;

  function explain(text: string): Explanation {
    return explainError(mapPositions(text), root);
  }

  async function start(request: ServeRequest, worker: WorkerCode | undefined): Promise<Start> {
    running = undefined;
    modules.clear();
    if (worker !== undefined) modules.publish(worker);
    const miniflare = loadMiniflare(request.root);
    const { Miniflare, Response: Answer } = miniflare;
    const classes = Object.values(request.durableObjects).map(({ className }) => className);
    const shell = shellSource({
      start: modules.current,
      classes: [...new Set(classes)],
      secret,
    });
    const options = emulatorOptions(miniflare, {
      ...workerOptions(request, { name: shellName, code: shell }, {
        unsafeUseModuleFallbackService: true,
        unsafeDirectSockets: [{ entrypoint: controlEntrypoint }],
      }),
      unsafeModuleFallbackService: async (question: Request) => {
        const found = await modules.answer(question);
        return found === null ? new Answer(null, { status: 404 }) : Answer.json(found);
      },
      handleStructuredLogs: ({ message }: { message: string }) => {
        if (message.search(startFailure) === 0 || missingModule.test(message)) return;
        log(mapPositions(message));
      },
    });
    lifeline ??= createLifeline((reason) => {
      // Otherwise the runner itself has ended it.
      if (running === undefined) return;
      log(
        `The worker's process ended (${reason}) and is started again: what it had in memory is gone.`,
      );
    });
    if (emulator) {
      // A workerd that follows another listens where that did, and somebody else may have taken its port.
      await emulator.setOptions(options).catch(async (error) => {
        if (codeOf(error) !== "ERR_ADDRESS_IN_USE") throw error;
        await giveUp();
      });
    }
    emulator ??= keepSignals(() => new Miniflare(options));
    const { href } = await emulator.ready;
    const control = await emulator.unsafeGetDirectURL(request.name, controlEntrypoint);
    const objects = worker?.objects ?? "";
    return running = { request: JSON.stringify(request), objects, url: href, control, worker };
  }

  /** Ends the emulator, so that the next start makes another. */
  async function giveUp(): Promise<void> {
    const ended = emulator;
    emulator = running = undefined;
    await ended?.dispose().catch(() => {});
  }

  async function replace(start: Start, worker: WorkerCode): Promise<ServeResult | undefined> {
    if (start.objects !== worker.objects || modules.size() > most) return undefined;
    start.worker = undefined;
    const path = modules.publish(worker);
    const failure = await loadVersion(start.control, { path, secret, timeout });
    if (failure === undefined) return undefined;
    if (failure !== null) return { ok: false, ...explain(withoutShell(failure)) };
    start.worker = worker;
    return describeStart(start);
  }

  function describeStart({ url, control }: Start, restarted = false): ServeResult {
    hasServed = true;
    return { ok: true, restarted, url, control: control.href, secret };
  }

  return {
    async warm(request) {
      // A durable object's alarm may be due at the start, and needs the object's class.
      if (Object.keys(request.durableObjects).length > 0) loadMiniflare(request.root);
      else await (warming = start(request, undefined).catch(() => {}));
    },
    async serve(request, worker) {
      if (root !== request.root) {
        root = request.root;
        const map = join(root, ".framework", "memory");
        mapPositions = createPositionMapper(modules.maps, { map, root });
      }
      await warming;
      if (running?.request === JSON.stringify(request)) {
        // A save that does not change the worker, of a test for example, loads nothing.
        const { code, packages } = running.worker ?? {};
        if (code === worker.code && packages === worker.packages) {
          return describeStart(running);
        }
        const result = await replace(running, worker);
        if (result !== undefined) return result;
      }
      try {
        return describeStart(await start(request, worker), hasServed);
      } catch (error) {
        return { ok: false, ...explain(describeFailure(error)) };
      }
    },
    async recover({ hangs }) {
      const start = running;
      if (hangs && start !== undefined) await lifeline?.cut();
      const deadline = Date.now() + patience;
      // With another, somebody has started workerd meanwhile.
      while (start !== undefined && running === start) {
        const isReady = await Promise.race([
          emulator!.ready.then(() => true, () => false),
          sleep(deadline - Date.now(), false, { ref: false }),
        ]);
        if (isReady && await isListening(new URL(start.url))) return true;
        if (running === start && (!isReady || Date.now() > deadline)) {
          // Not awaited: an emulator whose workerd does not start may not end either.
          void giveUp();
          return false;
        }
        await sleep(50);
      }
      return true;
    },
    explain,
    async dispose() {
      running = undefined;
      await emulator?.dispose();
      lifeline?.release();
    },
  };
}

function isListening({ hostname, port }: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/** Keeps miniflare from ending the process on a signal: the command handles signals. */
export function keepSignals<T>(make: () => T): T {
  const signals = ["SIGINT", "SIGTERM"] as const;
  const before = signals.map((signal) => process.listeners(signal));
  const made = make();
  for (const [index, signal] of signals.entries()) {
    for (const listener of process.listeners(signal)) {
      if (!before[index]!.includes(listener)) process.removeListener(signal, listener);
    }
  }
  return made;
}

/** Returns an error's stack without the frames of this package. */
function withoutShell(stack: string): string {
  return stack.split("\n").filter((line) => !/^\s+at .*\bshell\.js:\d+:\d+\)?$/.test(line)).join(
    "\n",
  );
}

/** Extracts workerd's own message, without what miniflare adds around it. */
function describeFailure(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, stderr] = message.split("Runtime stderr:\n");
  const lines = (stderr ?? message).split("\n").map(readStructuredLine);
  return lines.join("\n").replace(startFailure, "").trim();
}

/** Reads a line of workerd, which writes its own messages as JSON when the worker's are structured. */
function readStructuredLine(line: string): string {
  try {
    const { message } = JSON.parse(line) as { message?: unknown };
    return typeof message === "string" ? message : line;
  } catch {
    return line;
  }
}

/** Options for {@linkcode loadVersion}. */
export interface LoadOptions {
  /** Path of the version's module. */
  path: string;
  /** Secret that the shell demands before anything else. */
  secret: string;
  /** Time limit for the worker, in milliseconds. */
  timeout: number;
}

/**
 * Tells the shell to load a version.
 *
 * Not by `fetch`: the first use of that costs tens of milliseconds.
 *
 * @param control Where the shell listens.
 * @returns null when the version runs, why it does not, or undefined when the worker does not answer.
 */
function loadVersion(
  control: URL,
  { path, secret, timeout }: LoadOptions,
): Promise<string | null | undefined> {
  return new Promise((resolve) => {
    const request = httpRequest(control, {
      method: "POST",
      agent: false,
      headers: { [frontHeader]: secret, "content-length": path.length },
      signal: AbortSignal.timeout(timeout),
    });
    request.on("response", (response) => {
      text(response).then(
        (said) => resolve(response.statusCode === 204 ? null : said),
        () => resolve(undefined),
      );
    });
    request.on("error", () => resolve(undefined));
    request.end(path);
  });
}
