import { OverloadedError } from "../errors/input_errors.ts";

/** Limits of a {@linkcode createWorkQueue} queue. */
export interface WorkQueueOptions {
  /** How many tasks run at once. */
  concurrency: number;
  /** How many may wait; one more is refused. */
  maxWaiting: number;
}

/** Runs a task when there is room for it. */
export type WorkQueue = <T>(task: () => Promise<T>) => Promise<T>;

/**
 * Bounds how much memory-hungry work one isolate does at once.
 *
 * A finished task wakes everyone who waits, and each looks again whether there is room. Handing the
 * place to one waiter would lose it for good when that waiter's request was cancelled meanwhile, which
 * in a worker means that its continuation never runs.
 */
export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const { concurrency, maxWaiting } = options;
  let running = 0;
  let waiting: (() => void)[] = [];

  return async function enqueue<T>(task: () => Promise<T>): Promise<T> {
    if (running >= concurrency && waiting.length >= maxWaiting) throw new OverloadedError();
    while (running >= concurrency) {
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    running++;
    try {
      return await task();
    } finally {
      running--;
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    }
  };
}
