import type { Peers } from "./peers.ts";

/** Does the measured thing, and throws when it came out wrong. */
export interface Job {
  (): unknown;
  /** Number of operations in one call. Default 1. */
  batch?: number;
  /** Makes ready what so many calls use up, before the clock starts. Default: nothing is used up. */
  prepare?(count: number): void | Promise<void>;
}

/**
 * A job on a request that nobody has read before, as every one of a server is: what a runtime or a contender remembers of
 * a request is of no use for the next one.
 *
 * @param make Makes a request; its time does not count.
 */
export function onFreshRequests(make: () => Request, work: (request: Request) => unknown): Job {
  let ready: Request[] = [];
  function take(): Request {
    const request = ready.pop();
    if (request === undefined) return make();
    // An empty array keeps the room that it had, which nobody who looks at memory has left there.
    if (ready.length === 0) ready = [];
    return request;
  }
  return Object.assign(() => work(take()), {
    prepare(count: number): void {
      while (ready.length < count) ready.push(make());
    },
  });
}

/** A job for what takes less time than calling it: asks `batch` times in a row, which of them by number. */
export function batched(batch: number, ask: (turn: number) => boolean): Job {
  function askAll(): void {
    for (let turn = 0; turn < batch; turn++) if (!ask(turn)) throw new Error("The answer is wrong");
  }
  return Object.assign(askAll, { batch });
}

/** Resources of a contender. */
export interface Setting {
  peers: Peers;
  /** Bindings of the worker; empty outside of workers. */
  bindings: Record<string, unknown>;
}

/** The ways to do one job, by name; each runs in a process, or an isolate, of its own. */
export type Contenders = Record<string, (setting: Setting) => Job | Promise<Job>>;

/** One order to a contender: how often, and how many at once. */
export interface Order {
  jobs: number;
  /** Number of concurrent jobs. */
  lanes: number;
  /** Makes ready what the jobs use up, and does none of them: for a clock that runs outside. Default false. */
  prepare?: boolean;
  /** Tells of each job how long it took. Default false. */
  each?: boolean;
}

/**
 * Carries an order out.
 *
 * @param times Gets the microseconds of the wall that each job took. Default: nobody looks.
 */
export async function carryOut(
  job: Job,
  { jobs, lanes }: Order,
  times?: number[],
): Promise<void> {
  let left = jobs;
  async function timedLane(): Promise<void> {
    while (left-- > 0) {
      const begun = performance.now();
      await job();
      times!.push((performance.now() - begun) * 1000);
    }
  }
  async function lane(): Promise<void> {
    if (times !== undefined) return await timedLane();
    while (left-- > 0) await job();
  }
  await Promise.all(Array.from({ length: lanes }, lane));
}
