import {
  isFinal,
  type RunParts,
  startRun,
  type WorkflowRecord,
  type WorkflowRun,
  type WorkflowStatus,
} from "./workflow_run.ts";

/** A class of workflows, as an application exports it. */
export type WorkflowClass = new (ctx: unknown, env: unknown) => {
  run(event: object, step: object): unknown;
};

/** Status of an instance, as the platform reports it. */
export interface WorkflowReport {
  status: WorkflowStatus;
  output: unknown;
  error?: { name: string; message: string };
}

/** Instance of a workflow with the platform's API. */
export interface WorkflowInstance {
  readonly id: string;
  status(): Promise<WorkflowReport>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  terminate(): Promise<void>;
  restart(): Promise<void>;
  sendEvent(event: { type: string; payload?: unknown }): Promise<void>;
}

/** Binding of a workflow with the platform's API. */
export interface Workflow {
  create(options?: { id?: string; params?: unknown }): Promise<WorkflowInstance>;
  createBatch(batch: { id?: string; params?: unknown }[]): Promise<WorkflowInstance[]>;
  get(id: string): Promise<WorkflowInstance>;
}

/** Binding and the work of its instances. */
export interface WorkflowDouble {
  binding: Workflow;
  /** Continues what the clock has reached; resolves when nothing is left to do. */
  wake(): Promise<void>;
}

const VALID_ID = /^[a-zA-Z0-9_][a-zA-Z0-9-_]{0,99}$/;

/**
 * Creates a workflow whose instances run in this process; sleeps, retries and timeouts pass by the context's clock.
 * Instances that are stored as running continue at the first use.
 *
 * @see https://developers.cloudflare.com/workflows/build/workers-api/
 */
export function createWorkflow(parts: {
  binding: string;
  /** Name of the workflow. */
  name: string;
  load(): Promise<WorkflowClass>;
  env: Record<string, unknown>;
  now(): number;
  guard(): void;
  run(work: () => Promise<void>): Promise<void>;
  waitUntil(work: Promise<unknown>): void;
  /** Returns the worker's own entrypoints and objects, for `ctx.exports`. Default: none. */
  exports?(): Record<string, unknown>;
  /** Instances by id. */
  records: Map<string, WorkflowRecord>;
}): WorkflowDouble {
  const { records, now, guard, waitUntil, env } = parts;
  const runs = new Map<string, WorkflowRun>();

  function read(id: string): WorkflowRecord {
    const record = records.get(id);
    if (record === undefined) {
      throw new Error("WorkflowError: (instance.not_found) Instance does not exist");
    }
    return record;
  }

  const write = (id: string, change: Partial<WorkflowRecord>): void =>
    void records.set(id, { ...read(id), ...change });

  function start(id: string): void {
    const own: RunParts = {
      ...parts,
      id,
      workflow: parts.name,
      read: () => read(id),
      write: (change) => write(id, change),
      construct: async () =>
        new (await parts.load())({ waitUntil, exports: parts.exports?.() ?? {} }, env),
    };
    const run = startRun(own);
    runs.set(id, run);
    waitUntil(run.idle());
  }

  /** Continues the instances of a copy, or of an earlier context. */
  function continueStored(): void {
    for (const [id, { status }] of records) {
      if (!runs.has(id) && !isFinal(status) && status !== "paused") start(id);
    }
  }

  function end(id: string): void {
    runs.get(id)?.abandon();
    runs.delete(id);
  }

  // deno-lint-ignore require-await -- a promise by contract.
  async function create(
    { id = crypto.randomUUID(), params = {} }: { id?: string; params?: unknown } = {},
  ): Promise<WorkflowInstance> {
    guard();
    if (!VALID_ID.test(id)) {
      throw Object.assign(new Error("Workflow instance has invalid id"), { name: "WorkflowError" });
    }
    if (!records.has(id)) {
      records.set(id, {
        params: structuredClone(params),
        created: new Date(now()),
        status: "queued",
        output: null,
        steps: new Map(),
        events: [],
      });
      start(id);
    }
    return instanceOf(id);
  }

  function instanceOf(id: string): WorkflowInstance {
    /** Begins a call, after which instances of a copy run too. */
    async function begin(): Promise<WorkflowRecord> {
      guard();
      continueStored();
      return await Promise.resolve(read(id));
    }
    return {
      id,
      async status() {
        const { status, output, error } = await begin();
        return { status, output: structuredClone(output), ...(error && { error: { ...error } }) };
      },
      async pause() {
        const { status } = await begin();
        const run = runs.get(id);
        if (status !== "running") return;
        if (run?.isBusy()) return write(id, { status: "waitingForPause" });
        write(id, { status: "paused", paused: now() });
        end(id);
      },
      async resume() {
        const { status, paused = now(), steps } = await begin();
        if (status === "waitingForPause") return write(id, { status: "running" });
        if (status !== "paused") return;
        // The time of the pause does not count.
        const moved = [...steps].map(([key, step]) =>
          [
            key,
            step.due === undefined ? step : { ...step, due: step.due + now() - paused },
          ] as const
        );
        write(id, { steps: new Map(moved) });
        start(id);
      },
      async terminate() {
        const { status } = await begin();
        if (isFinal(status)) {
          throw new Error(
            "WorkflowError: (instance.cannot_terminate) Cannot terminate instance since its on a finite state",
          );
        }
        write(id, { status: "terminated" });
        end(id);
      },
      async restart() {
        const { error: _, ...record } = await begin();
        end(id);
        records.set(id, {
          ...record,
          status: "queued",
          output: null,
          steps: new Map(),
          events: [],
        });
        start(id);
      },
      async sendEvent({ type, payload }) {
        await begin();
        const event = { type, payload: structuredClone(payload), timestamp: new Date(now()) };
        write(id, { events: [...read(id).events, event] });
        const run = runs.get(id);
        run?.notice();
        if (run !== undefined) waitUntil(run.idle());
      },
    };
  }

  return {
    binding: {
      create,
      async createBatch(batch) {
        guard();
        if (batch.length === 0) {
          throw new Error("WorkflowError: batchCreate should have at least 1 instance");
        }
        return await Promise.all(batch.map(create));
      },
      async get(id) {
        guard();
        if (!records.has(id)) throw new Error("instance.not_found");
        return await Promise.resolve(instanceOf(id));
      },
    },
    async wake() {
      continueStored();
      for (;;) {
        let first: { run: WorkflowRun; due: number } | undefined;
        for (const run of runs.values()) {
          const due = run.next();
          if (due !== undefined && due <= now() && due < (first?.due ?? Infinity)) {
            first = { run, due };
          }
        }
        if (first === undefined) break;
        first.run.wake(first.due);
        await first.run.idle();
      }
      await Promise.all([...runs.values()].map((run) => run.idle()));
    },
  };
}
