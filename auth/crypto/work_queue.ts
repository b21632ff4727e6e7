import { OverloadedError } from "../errors/input_errors.ts";
import { RequestError } from "../errors/request_errors.ts";

/** Limits of a {@linkcode createWorkQueue} queue, read anew whenever somebody comes. */
export interface WorkQueueLimits {
  /** How many tasks run at once. */
  readonly concurrency: number;
  /** How many may wait; one more is refused. */
  readonly maxWaiting: number;
  /** How long one may wait, in seconds. Whoever would wait longer is refused at once. */
  readonly maxWait: number;
}

/** Replaceable parts of a queue, for tests. */
export interface WorkQueueParts {
  /** Milliseconds since 1970. Default: `Date.now`. */
  now?: () => number;
  /** Calls a function later and returns what prevents that. Default: by `setTimeout`. */
  after?: (milliseconds: number, call: () => void) => () => void;
}

/** Runs a task when there is room for it, unless its signal is aborted by then. */
export type WorkQueue = <T>(task: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** What a task is expected to take before one was measured, in milliseconds: a hash of `docs/benchmarks.md`. */
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
  /** When each of the running tasks began. */
  const running = new Map<symbol, number>();
  const waiting = new Set<() => void>();
  let usual = USUAL;

  function isFull(): boolean {
    const lost = now() - LOST;
    for (const [task, began] of running) if (began <= lost) running.delete(task);
    return running.size >= limits.concurrency;
  }

  /** Seconds until whoever comes now would begin. */
  function wait(): number {
    return (waiting.size + 1) * usual / limits.concurrency / 1000;
  }

  function overloaded(message?: string): OverloadedError {
    return new OverloadedError(message, { retryAfter: Math.ceil(wait()) });
  }

  /** Resolves once somebody may look again whether there is room. */
  async function waitFor(signal: AbortSignal | undefined, late: number): Promise<void> {
    let wake = (): void => {};
    const woken = new Promise<void>((resolve) => {
      wake = () => void (waiting.delete(wake), resolve());
    });
    waiting.add(wake);
    const cancel = after(late - now(), wake);
    signal?.addEventListener("abort", wake);
    await woken;
    cancel();
    signal?.removeEventListener("abort", wake);
  }

  return async function enqueue<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    assertPresent(signal);
    const tooLong = `A password check cannot begin within ${limits.maxWait} s`;
    if (isFull()) {
      if (waiting.size >= limits.maxWaiting) throw overloaded();
      if (wait() > limits.maxWait) throw overloaded(tooLong);
    }
    const late = now() + limits.maxWait * 1000;
    // Between the last look and the beginning nothing is awaited: one place is taken once.
    while (isFull()) {
      await waitFor(signal, late);
      assertPresent(signal);
      if (now() >= late) throw overloaded(tooLong);
    }
    const place = Symbol();
    const began = now();
    running.set(place, began);
    try {
      return await task();
    } finally {
      running.delete(place);
      // In workers the clock stands still while they compute: that says nothing.
      const took = now() - began;
      if (took > 0) usual += (took - usual) / 5;
      for (const wake of [...waiting]) wake();
    }
  };
}

function assertPresent(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  throw new RequestError("The client hung up before it was its turn", { cause: signal.reason });
}
