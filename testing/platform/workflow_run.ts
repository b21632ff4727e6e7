import { setImmediate } from "node:timers";
import { NotEmulatedError, TestingError } from "../errors.ts";

/** Statuses of an instance. */
export type WorkflowStatus =
  | "queued"
  | "running"
  | "paused"
  | "errored"
  | "terminated"
  | "complete"
  | "waitingForPause";

/** Step of an instance that has begun; it is replaced, and never changed. */
export interface WorkflowStep {
  /** Result, once there is one. */
  value?: { readonly of: unknown };
  /** Error after the last attempt. */
  error?: { name: string; message: string };
  /** Number of attempts that have begun. */
  attempts: number;
  /** Time until which the step waits, in milliseconds since 1970. */
  due?: number;
}

/** Instance of a workflow; it is replaced, and never changed. */
export interface WorkflowRecord {
  params: unknown;
  created: Date;
  status: WorkflowStatus;
  output: unknown;
  error?: { name: string; message: string };
  /** Steps by kind, name and count, in the order in which they began. */
  steps: ReadonlyMap<string, WorkflowStep>;
  /** Events that no step has taken. */
  events: readonly { type: string; payload: unknown; timestamp: Date }[];
  /** Time at which the instance was paused. */
  paused?: number;
}

/** Configuration of `step.do()`. */
interface StepConfig {
  retries?: { limit: number; delay: number | string; backoff?: string };
  timeout?: number | string;
}

type Callback = (context: object) => unknown;

/** Parts of a run that its workflow provides. */
export interface RunParts {
  id: string;
  workflow: string;
  /** Name of the binding, for messages. */
  binding: string;
  read(): WorkflowRecord;
  write(change: Partial<WorkflowRecord>): void;
  /** Creates the object of the application's class. */
  construct(): Promise<{ run(event: object, step: object): unknown }>;
  /** The time of the context. */
  now(): number;
  /** Runs work on behalf of the context. */
  run(work: () => Promise<void>): Promise<void>;
}

/** One run of an instance in memory. Another one repeats its steps from what is stored. */
export interface WorkflowRun {
  /** Earliest time that the run waits for; undefined when it waits for none. */
  next(): number | undefined;
  /** Continues what waits for this time, or an earlier one. */
  wake(time: number): void;
  /** Tells that an event arrived. */
  notice(): void;
  /** Resolves when the run has ended, or waits for the clock or an event. */
  idle(): Promise<void>;
  /** True while a callback of a step runs. */
  isBusy(): boolean;
  /** Ends the run: nothing of it continues. */
  abandon(): void;
}

const UNITS: Record<string, number> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
  month: 2_592_000_000,
  year: 31_557_600_000,
};
const MAX_NAME = 256;
const FINAL = new Set<WorkflowStatus>(["errored", "terminated", "complete"]);

/** Returns true for the statuses that an instance does not leave by itself. */
export function isFinal(status: WorkflowStatus): boolean {
  return FINAL.has(status);
}

/** Reads a duration such as `"10 minutes"`; NaN for what is none. */
function readDuration(given: number | string): number {
  if (typeof given === "number") return given;
  const [, count, unit] =
    /^(\d+(?:\.\d+)?) ?(second|minute|hour|day|week|month|year)s?$/.exec(given) ??
      [];
  return Number(count) * UNITS[unit ?? ""]!;
}

/** Creates an error that was stored. */
function stored({ name, message }: { name: string; message: string }): Error {
  return Object.assign(new Error(message), { name });
}

const FATAL = "WorkflowFatalError";

/** Begins a run. */
export function startRun(parts: RunParts): WorkflowRun {
  const { read, write, now } = parts;
  const timers = new Set<{ due: number; fire(): void }>();
  const waiters = new Set<() => void>();
  const counts = new Map<string, number>();
  let isOver = false;
  let isAbandoned = false;
  let busy = 0;
  let time = now();
  const waking: (() => void)[] = [];

  /** Resolves those who wait for the run, once what follows in this turn has begun to wait too. */
  function settle(): void {
    setImmediate(() => {
      if (busy > 0) return;
      for (const resolve of waking.splice(0)) resolve();
    });
  }

  function stepOf(key: string): WorkflowStep {
    return read().steps.get(key) ?? { attempts: 0 };
  }

  function writeStep(key: string, step: WorkflowStep): void {
    if (!isOver) write({ steps: new Map(read().steps).set(key, step) });
  }

  function keyOf(kind: string, name: string): { key: string; count: number } {
    const count = (counts.get(`${kind} ${name}`) ?? 0) + 1;
    counts.set(`${kind} ${name}`, count);
    return { key: `${kind} ${name} ${count}`, count };
  }

  function at(due: number): { reached: Promise<void>; cancel(): void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = { due, fire: resolve };
    timers.add(timer);
    settle();
    return { reached: promise, cancel: () => void timers.delete(timer) };
  }

  async function until(due: number): Promise<void> {
    if (due > time) await at(due).reached;
  }

  /** Never resolves for a run that is over, or an instance that was paused meanwhile. */
  async function pass(): Promise<void> {
    if (!isOver && read().status === "waitingForPause" && busy === 0) {
      write({ status: "paused", paused: time });
      abandon();
    }
    if (isOver) await new Promise(() => {});
  }

  function abandon(): void {
    isAbandoned = true;
    stop();
  }

  function stop(): void {
    isOver = true;
    timers.clear();
    waiters.clear();
    busy = 0;
    settle();
  }

  async function attempt(
    { key, name, count }: { key: string; name: string; count: number },
    { callback, config }: { callback: Callback; config: object & { timeout: number | string } },
  ): Promise<unknown> {
    const { attempts } = stepOf(key);
    writeStep(key, { attempts: attempts + 1 });
    const timeout = readDuration(config.timeout);
    busy++;
    const deadline = at(time + timeout);
    try {
      const context = { step: { name, count }, attempt: attempts + 1, config };
      const value = await Promise.race([
        (async () => await callback(context))(),
        deadline.reached.then(() => {
          throw new Error(`Execution timed out after ${timeout}ms`);
        }),
      ]);
      if (value instanceof ReadableStream) {
        throw new NotEmulatedError(parts.binding, "workflows", "a stream as the result of a step");
      }
      return copyResult(name, value);
    } finally {
      deadline.cancel();
      if (!isOver) busy--;
    }
  }

  const step = {
    async do(name: string, ...rest: unknown[]): Promise<unknown> {
      const [given, callback, rollback] = typeof rest[0] === "function"
        ? [{}, rest[0] as Callback, rest[1]]
        : [(rest[0] ?? {}) as StepConfig, rest[1] as Callback, rest[2]];
      if (rollback !== undefined) {
        throw new NotEmulatedError(parts.binding, "workflows", "the rollback of a step");
      }
      checkStep(name, given, callback);
      const config = {
        ...given,
        retries: { limit: 5, delay: 1_000, backoff: "exponential", ...given.retries },
        timeout: given.timeout ?? "10 minutes",
      };
      const { key, count } = keyOf("do", name);
      const known = stepOf(key);
      if (known.value !== undefined) return structuredClone(known.value.of);
      if (known.error !== undefined) throw stored(known.error);
      if (known.due !== undefined) await until(known.due);
      for (;;) {
        try {
          const value = await attempt({ key, name, count }, { callback, config });
          writeStep(key, { attempts: stepOf(key).attempts, value: { of: value } });
          await pass();
          return structuredClone(value);
        } catch (error) {
          await pass();
          const { name: type, message } = error as Error;
          if (error instanceof TestingError || isNotRetried(error as Error)) throw error;
          const { attempts } = stepOf(key);
          if (attempts > config.retries.limit) {
            writeStep(key, { attempts, error: { name: type, message } });
            throw error;
          }
          const due = time + delayOf(config.retries, attempts);
          writeStep(key, { attempts, due });
          await until(due);
        }
      }
    },
    async sleep(name: string, duration: number | string): Promise<void> {
      const { key } = keyOf("sleep", name);
      const known = stepOf(key);
      const due = known.due ?? time + readDuration(duration);
      if (known.due === undefined) writeStep(key, { attempts: 1, due });
      await until(due);
      await pass();
    },
    async sleepUntil(name: string, date: Date | number): Promise<void> {
      const key = `sleep ${name} ${(counts.get(`sleep ${name}`) ?? 0) + 1}`;
      // Dates are computed from the application's clock, as those of alarms.
      const distance = Number(date) - Date.now();
      if (stepOf(key).due === undefined && distance < 0) {
        throw new Error("You can't sleep until a time in the past, time-traveler");
      }
      await step.sleep(name, distance);
    },
    async waitForEvent(
      name: string,
      { type, timeout = "24 hours" }: { type: string; timeout?: number | string },
    ): Promise<unknown> {
      const { key } = keyOf("event", name);
      const known = stepOf(key);
      if (known.value !== undefined) return structuredClone(known.value.of);
      if (known.error !== undefined) throw stored(known.error);
      const milliseconds = readDuration(timeout);
      const due = known.due ?? time + milliseconds;
      if (known.due === undefined) writeStep(key, { attempts: 1, due });
      const event = await eventOf(type, due);
      if (event !== undefined) {
        writeStep(key, { attempts: 1, value: { of: event } });
        await pass();
        return structuredClone(event);
      }
      const error = { name: "Error", message: `Execution timed out after ${milliseconds}ms` };
      writeStep(key, { attempts: 1, error });
      throw stored(error);
    },
  };

  /** Takes the first event of a type; undefined when none came until a time. */
  async function eventOf(type: string, due: number): Promise<object | undefined> {
    const take = (): object | undefined => {
      const { events } = read();
      const found = events.find((event) => event.type === type);
      if (found !== undefined) write({ events: events.filter((event) => event !== found) });
      return found;
    };
    for (;;) {
      const event = isOver ? undefined : take();
      if (event !== undefined) return event;
      if (due <= time) return undefined;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiters.add(resolve);
      const timer = at(due);
      await Promise.race([promise, timer.reached]);
      timer.cancel();
      waiters.delete(resolve);
    }
  }

  async function execute(): Promise<void> {
    const { params, created } = read();
    const payload = structuredClone(params);
    const event = {
      payload,
      timestamp: created,
      instanceId: parts.id,
      workflowName: parts.workflow,
    };
    try {
      // The class may have to be loaded first, which takes no time of the clock.
      const object = await parts.construct().finally(() => {
        if (!isOver) busy--;
      });
      if (isOver) return;
      const output = JSON.parse(JSON.stringify(await object.run(event, step) ?? null));
      if (!isOver) write({ status: "complete", output });
    } catch (error) {
      if (isOver) return;
      write({ status: "errored", error: describeError(error) });
      // A mistake of the test is not one of the workflow.
      if (error instanceof TestingError) throw error;
    } finally {
      if (!isOver) stop();
    }
  }

  busy++;
  write({ status: "running" });
  const running = parts.run(async () => {
    // Steps do not begin within the event that created the instance.
    await Promise.resolve();
    await execute();
  });
  running.catch(() => {});

  return {
    next: () => timers.size === 0 ? undefined : Math.min(...[...timers].map(({ due }) => due)),
    wake(until) {
      time = Math.max(time, until);
      for (const timer of [...timers]) {
        if (timer.due > until) continue;
        timers.delete(timer);
        timer.fire();
      }
    },
    notice() {
      time = Math.max(time, now());
      for (const resolve of waiters) resolve();
    },
    async idle() {
      const { promise, resolve } = Promise.withResolvers<void>();
      waking.push(resolve);
      settle();
      await promise;
      if (isOver && !isAbandoned) await running;
    },
    isBusy: () => busy > 0,
    abandon,
  };
}

function copyResult(name: string, value: unknown): unknown {
  try {
    return structuredClone(value);
  } catch {
    throw stored({
      name: FATAL,
      message:
        `The execution of the Workflow instance was terminated, as the step "${name}" returned a value which is not serialisable`,
    });
  }
}

function isNotRetried({ name, message }: Error): boolean {
  return name === "NonRetryableError" || name === FATAL ||
    message.startsWith("NonRetryableError");
}

function delayOf(
  { delay, backoff }: { delay: number | string; backoff: string },
  attempts: number,
): number {
  const base = readDuration(delay);
  if (backoff === "exponential") return base * 2 ** (attempts - 1);
  return backoff === "linear" ? base * attempts : base;
}

function checkStep(name: string, config: StepConfig, callback: unknown): void {
  if (typeof callback !== "function") {
    throw new Error(`Step "${name}" requires a callback function`);
  }
  // deno-lint-ignore no-control-regex -- the platform refuses them.
  if (name.length > MAX_NAME || /[\0-\x1f]/.test(name)) {
    throw new Error(
      `Step name "${name}" exceeds max length (${MAX_NAME} chars) or invalid characters found`,
    );
  }
  const { retries, timeout } = config;
  const isWrong = (given: number | string | undefined) =>
    given !== undefined && !(readDuration(given) >= 0);
  if (typeof retries?.delay === "function") return;
  if (isWrong(retries?.delay) || isWrong(timeout) || timeout === 0 || isWrong(retries?.limit)) {
    throw new Error(
      `Step config for "${name}" is in a invalid format. See https://developers.cloudflare.com/workflows/build/sleeping-and-retrying/`,
    );
  }
}

function describeError(error: unknown): { name: string; message: string } {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  if (error.name === "NonRetryableError" || error.message.startsWith("NonRetryableError")) {
    return {
      name: FATAL,
      message:
        "The execution of the Workflow instance was terminated, as a step threw an NonRetryableError and it was not handled",
    };
  }
  return { name: error.name, message: error.message };
}
