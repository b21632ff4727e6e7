/**
 * The queue of hashes, with limits on how many run and wait.
 *
 * @module
 */

import { OverloadedError, RequestError } from "../errors.ts";
import { checkKeys, isOptions, wrongOption } from "../lib/options.ts";

/** Limits of a {@linkcode createWorkQueue} queue, read again for each task. */
export interface WorkQueueLimits {
  /** Maximum number of concurrent tasks. */
  readonly concurrency: number;
  /** Maximum number of waiting tasks; further ones are refused. */
  readonly maxWaiting: number;
  /** Maximum wait in seconds. A task that would wait longer is refused at once. */
  readonly maxWait: number;
}

/** Replaceable parts of a queue, for tests. */
export interface WorkQueueParts {
  /** Milliseconds since 1970. Default: `Date.now`. */
  now?: () => number;
  /** Calls a function later and returns what prevents that. Default: by `setTimeout`. */
  after?: (milliseconds: number, call: () => void) => () => void;
}

/** Client of a task. */
export interface WaitingClient {
  /** Aborts when the client hangs up. Default: it does not. */
  signal?: AbortSignal | undefined;
  /** Names the client, such as by its network. Default: one that all share of whom nothing is known. */
  client?: string;
}

/** Runs a task when there is room for it, unless its signal is aborted by then. */
export type WorkQueue = <T>(task: () => Promise<T>, of?: WaitingClient) => Promise<T>;

/** One who waits. */
interface Waiter {
  client: string;
  /** Round in which it begins. */
  round: number;
  /** Place in the order in which they came. */
  turn: number;
  /** True when somebody else has its place. */
  isPushed: boolean;
  wake(): void;
}

/**
 * Expected duration of a task before the first measurement, in milliseconds: a hash of
 * `docs/benchmarks.md`.
 */
const USUAL = 150;
/** After so many milliseconds the place of a task is free again. */
const LOST = 30_000;

function byTimeout(milliseconds: number, call: () => void): () => void {
  const timer = setTimeout(call, milliseconds);
  return () => clearTimeout(timer);
}

/**
 * Bounds how much memory-hungry work one isolate does at once, and how long anybody waits for it.
 *
 * Clients take turns: the first task of each begins before the second of any. In a full queue whoever has less than
 * others takes the last place of the one who has most. So one client can fill the queue, and all others still come at
 * once.
 *
 * A finished task wakes everyone who waits, and each looks again whether there is room. Handing the
 * place to one waiter would lose it for good when that waiter's request was cancelled meanwhile, which
 * in a worker means that its continuation never runs. For the same reason a task that never ends, as one
 * of a cancelled request, does not hold its place for ever.
 *
 * @throws {OverloadedError} When too many wait, or when the wait is or would be too long.
 * @throws {RequestError} When the signal is aborted before the task begins.
 */
export function createWorkQueue(limits: WorkQueueLimits, parts: WorkQueueParts = {}): WorkQueue {
  const { now = Date.now, after = byTimeout } = parts;
  /** Tasks that run. */
  const running = new Map<symbol, { client: string; began: number }>();
  const waiting = new Set<Waiter>();
  let usual = USUAL;
  let turns = 0;
  /** The round of the last task that began: one of each client who waits. */
  let round = 0;

  function isFull(): boolean {
    const lost = now() - LOST;
    for (const [task, { began }] of running) if (began <= lost) running.delete(task);
    return running.size >= limits.concurrency;
  }

  /** Those who wait, in the order in which they begin. */
  function inTurn(): Waiter[] {
    return [...waiting].sort((a, b) => a.round - b.round || a.turn - b.turn);
  }

  /** The round in which a new task of this client begins, after those that it has already. */
  function roundOf(client: string): number {
    const isOwn = (task: { client: string }) => task.client === client;
    const runs = [...running.values()].filter(isOwn).length;
    return Math.max(round + runs, ...[...waiting].filter(isOwn).map((one) => one.round)) + 1;
  }

  /** Seconds until a new task of this client would start. */
  function wait(client: string): number {
    const own = roundOf(client);
    const before = [...waiting].filter((one) => one.round <= own).length;
    return (before + 1) * usual / limits.concurrency / 1000;
  }

  function overloaded(client: string, message?: string): OverloadedError {
    return new OverloadedError(message, { retryAfter: Math.ceil(wait(client)) });
  }

  /** The last task of who has most, when that is more than this client would have; else undefined. */
  function oneTooMany(client: string): Waiter | undefined {
    const counts = new Map<string, number>();
    for (const one of waiting) counts.set(one.client, (counts.get(one.client) ?? 0) + 1);
    const most = Math.max(...counts.values());
    if (most <= (counts.get(client) ?? 0) + 1) return undefined;
    return [...waiting].filter((one) => counts.get(one.client) === most)
      .reduce((last, one) => one.turn > last.turn ? one : last);
  }

  /** Resolves once there may be room; true when somebody else has taken the place in the queue. */
  async function waitFor(
    { client, round, turn, signal, late }: Pick<Waiter, "client" | "round" | "turn"> & {
      signal: AbortSignal | undefined;
      late: number;
    },
  ): Promise<boolean> {
    const waiter: Waiter = { client, round, turn, isPushed: false, wake: () => {} };
    const woken = new Promise<void>((resolve) => {
      waiter.wake = () => void (waiting.delete(waiter), resolve());
    });
    waiting.add(waiter);
    const cancel = after(late - now(), waiter.wake);
    signal?.addEventListener("abort", waiter.wake);
    await woken;
    cancel();
    signal?.removeEventListener("abort", waiter.wake);
    return waiter.isPushed;
  }

  return async function enqueue<T>(
    task: () => Promise<T>,
    { signal, client = "" }: WaitingClient = {},
  ): Promise<T> {
    assertPresent(signal);
    const tooLong = `A password check cannot begin within ${limits.maxWait} s`;
    if (isFull()) {
      const crowded = waiting.size >= limits.maxWaiting;
      const pushed = crowded && waiting.size > 0 ? oneTooMany(client) : undefined;
      if (crowded && pushed === undefined) throw overloaded(client);
      if (wait(client) > limits.maxWait) throw overloaded(client, tooLong);
      if (pushed !== undefined) {
        pushed.isPushed = true;
        pushed.wake();
      }
    }
    const own = { client, round: roundOf(client), turn: turns++, signal };
    const late = now() + limits.maxWait * 1000;
    // Between the last look and the beginning nothing is awaited: one place is taken once.
    while (isFull()) {
      const isPushed = await waitFor({ ...own, late });
      assertPresent(signal);
      if (isPushed) throw overloaded(client);
      if (now() >= late) throw overloaded(client, tooLong);
    }
    const place = Symbol();
    const began = now();
    running.set(place, { client, began });
    round = Math.max(round, own.round);
    try {
      return await task();
    } finally {
      running.delete(place);
      // In workers the clock stands still while they compute: that says nothing.
      const took = now() - began;
      if (took > 0) usual += (took - usual) / 5;
      for (const { wake } of inTurn()) wake();
    }
  };
}

function assertPresent(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  throw new RequestError("The client disconnected before its turn", { cause: signal.reason });
}

/** Options for {@linkcode configurePasswordHashing}. */
export interface PasswordHashingOptions {
  /**
   * Number of hashes computed at once, each in 16 MiB of memory. Default: one per processor and at
   * most four; one in workers, which compute in a single thread. On Node more than four need a
   * larger `UV_THREADPOOL_SIZE`.
   */
  concurrency?: number;
  /** Maximum number of waiting hashes. Default: 50. */
  maxWaiting?: number;
  /** Maximum wait in seconds. Default: 5. */
  maxWait?: number;
}

interface Machine {
  navigator?: { hardwareConcurrency?: number; userAgent?: string };
  process?: { getBuiltinModule?(name: string): { availableParallelism?(): number } | undefined };
}

/** As many as there are processors, within bounds. */
export function defaultConcurrency(machine: Machine = globalThis as Machine): number {
  const { navigator, process } = machine;
  // A worker computes in one thread whatever the machine has.
  if (navigator?.userAgent === "Cloudflare-Workers") return 1;
  // Node has a navigator since version 21.
  const processors = navigator?.hardwareConcurrency ??
    process?.getBuiltinModule?.("node:os")?.availableParallelism?.() ?? 2;
  return Math.max(1, Math.min(4, processors));
}

/** The least that each of the options may be. */
const LEAST = { concurrency: 1, maxWaiting: 0, maxWait: 1 };

let chosen: PasswordHashingOptions = {};

/** The limits of the whole process, or isolate. */
export const hashLimits: WorkQueueLimits = {
  // Asked for when there is work: a module's start reads nothing of the machine.
  get concurrency() {
    return chosen.concurrency ?? defaultConcurrency();
  },
  get maxWaiting() {
    return chosen.maxWaiting ?? 50;
  },
  get maxWait() {
    return chosen.maxWait ?? 5;
  },
};

function readCount(path: string, value: unknown): number {
  const least = LEAST[path as keyof typeof LEAST];
  if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
  throw wrongOption(path, value, `a whole number, ${least} or more`);
}

/**
 * Sets how many passwords are hashed at once in this process, or in this isolate of a worker, and how long
 * anybody waits for that: beyond either bound the answer is a 503 whose `Retry-After` is the time that the
 * queue needs. Call it once, where the configuration stands. What is left out stays as it is.
 *
 * @param options `concurrency`, by default one for each processor and four at most, in workers one;
 * `maxWaiting`, 50 by default; `maxWait` in seconds, 5 by default.
 * @throws {ConfigurationError} For an unknown name, or a value that is no whole number.
 *
 * @example
 * ```ts
 * import { configurePasswordHashing } from "@framework/auth";
 * import { throws } from "node:assert/strict";
 *
 * configurePasswordHashing({ concurrency: 8, maxWait: 3 });
 * throws(() => configurePasswordHashing({ concurrency: 0 }), { code: "CONFIGURATION" });
 * ```
 */
export function configurePasswordHashing(options: PasswordHashingOptions): void {
  const path = "configurePasswordHashing()";
  if (!isOptions(options)) throw wrongOption(path, options, "{ concurrency: 4 }");
  checkKeys(options, Object.keys(LEAST), path);
  const read = { ...chosen };
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) read[name as keyof typeof LEAST] = readCount(name, value);
  }
  chosen = read;
}
