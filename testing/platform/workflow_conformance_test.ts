// One list of cases, run against the double and inside workerd, so that the two cannot drift apart.
import assert from "node:assert/strict";
import { importModule } from "../context/module.ts";
import { copyStored, createStored, readStored } from "./stored.ts";
import { createWorkflow, type Workflow, type WorkflowClass } from "./workflow.ts";
import { encodeOutcome } from "./fixtures/encode_outcome.ts";
import { type Cases, compareWithWorkerd } from "./fixtures/in_workerd.ts";

// Here, since Deno takes the loading of a module for a leak of the test in which it is the first.
const file = new URL("./fixtures/workflows.ts", import.meta.url).pathname;
const module = await importModule(file) as { CASES: Cases; Runs: WorkflowClass };

/** A workflow with a clock of its own. */
function start(
  Class: WorkflowClass,
  clock: { time: number } = { time: Date.now() },
  stored = createStored(),
) {
  const records = stored.workflows.get("runs") ?? new Map();
  stored.workflows.set("runs", records);
  const late: Promise<unknown>[] = [];
  const { binding, wake } = createWorkflow({
    binding: "RUNS",
    name: "runs",
    load: () => Promise.resolve(Class),
    env: { NAME: "test" },
    now: () => clock.time,
    guard: () => {},
    run: (work) => work(),
    waitUntil: (work) => void late.push(work.catch(() => {})),
    records,
  });
  const pass = async (milliseconds: number) => {
    clock.time += milliseconds;
    await wake();
  };
  return { binding, pass, clock, stored };
}

Deno.test({
  name: "createWorkflow() answers every case as the workflows of workerd do",
  // Miniflare keeps a message port and a timer.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    await compareWithWorkerd(t, {
      file: "workflows.ts",
      cases: module.CASES,
      double: async (name) => {
        const { binding, clock, pass } = start(module.Runs);
        const step = async () => {
          clock.time += 20;
          // A step that never ends waits for nothing but its time.
          await Promise.race([pass(0), new Promise((resolve) => setTimeout(resolve, 5))]);
        };
        return await encodeOutcome(() => module.CASES[name]!({ RUNS: binding, pass: step }));
      },
      workerd: {
        name: "own",
        bindings: { NAME: "test" },
        workflows: { RUNS: { name: "runs", className: "Runs", scriptName: "own" } },
      },
    });
  },
});

interface Step {
  do<T>(name: string, ...rest: unknown[]): Promise<T>;
  sleep(name: string, duration: number | string): Promise<void>;
  waitForEvent(name: string, options: object): Promise<{ payload: unknown }>;
}

/** Class of a workflow that is one function. */
const workflowOf = (run: (step: Step) => unknown): WorkflowClass =>
  class {
    run(_event: object, step: object): unknown {
      return run(step as Step);
    }
  };

Deno.test("createWorkflow() sleeps and tries again by the clock alone", async () => {
  const times: number[] = [];
  const clock = { time: 1_000_000 };
  const Class = workflowOf(async (step) => {
    await step.sleep("a month", "30 days");
    await step.do("try", { retries: { limit: 3, delay: "10 seconds", backoff: "linear" } }, () => {
      times.push(clock.time);
      throw new Error("no");
    });
  });
  const { binding, pass } = start(Class, clock);
  const instance = await binding.create();
  await pass(29 * 86_400_000);
  assert.deepEqual([times.length, (await instance.status()).status], [0, "running"]);
  await pass(86_400_000);
  assert.equal(times.length, 1);
  await pass(9_999);
  assert.equal(times.length, 1);
  await pass(1);
  assert.equal(times.length, 2);
  // All that became due when the clock went far at once.
  await pass(3_600_000);
  assert.equal(times.length, 4);
  assert.deepEqual(await instance.status(), {
    status: "errored",
    output: null,
    error: { name: "Error", message: "no" },
  });
});

Deno.test("instances of a copy go on where they were, and leave those of the original", async () => {
  let count = 0;
  const Class = workflowOf(async (step) => {
    const first = await step.do<number>("count", () => ++count);
    const { payload } = await step.waitForEvent("paid", { type: "paid" });
    return [first, payload];
  });
  const { binding, pass, clock, stored } = start(Class);
  await binding.create({ id: "order" });
  await pass(0);
  const copy = start(Class, clock, copyStored(stored));
  await (await copy.binding.get("order")).sendEvent({ type: "paid", payload: "card" });
  await copy.pass(0);
  const statusOf = async (workflow: Workflow) => await (await workflow.get("order")).status();
  assert.deepEqual(await statusOf(copy.binding), { status: "complete", output: [1, "card"] });
  assert.equal((await statusOf(binding)).status, "running");
  assert.equal(count, 1);
  const names = Object.keys(readStored(copy.stored, 0));
  assert.deepEqual(names, ["runs.order"]);
});

Deno.test("the time of a pause does not count", async () => {
  const { binding, pass } = start(workflowOf((step) => step.sleep("hour", "1 hour")));
  const instance = await binding.create();
  await pass(1_800_000);
  await instance.pause();
  await pass(7_200_000);
  await instance.resume();
  await pass(1_799_999);
  assert.equal((await instance.status()).status, "running");
  await pass(1);
  assert.equal((await instance.status()).status, "complete");
});
