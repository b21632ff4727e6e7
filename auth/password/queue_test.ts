import assert from "node:assert/strict";
import { OverloadedError, RequestError } from "../errors.ts";
import { createWorkQueue, type WorkQueueLimits } from "./queue.ts";

/** A queue whose clock and timers are the test's, and tasks that end when they are told. */
function createTestQueue(limits: Partial<WorkQueueLimits> = {}) {
  let time = 1_000_000;
  const timers = new Set<{ at: number; call: () => void }>();
  const queue = createWorkQueue({ concurrency: 1, maxWaiting: 50, maxWait: 60, ...limits }, {
    now: () => time,
    after(milliseconds, call) {
      const timer = { at: time + milliseconds, call };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    queue,
    begun,
    timers,
    /** Puts a task in, which begins when there is room. */
    add(name: string, signal?: AbortSignal, client?: string): Promise<string> {
      return queue(async () => {
        begun.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
        return name;
      }, { signal, ...client !== undefined && { client } });
    },
    /** Ends a task that runs. */
    end: (name: string) => ends.get(name)!(),
    advance(milliseconds: number) {
      time += milliseconds;
      for (const timer of [...timers]) if (timer.at <= time) timer.call();
    },
  };
}

const OVERDUE = {
  name: "OverloadedError",
  message: "A password check cannot begin within 5 s",
};

/** Lets everything run that waits for nothing. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

function isOverloaded(retryAfter: number): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof OverloadedError, String(error));
    assert.deepEqual([error.status, error.retryAfter], [503, retryAfter]);
    return true;
  };
}

// Tracks: R015
Deno.test("createWorkQueue() runs no more tasks at once than it may, and all of them", async () => {
  const { queue } = createTestQueue({ concurrency: 2 });
  let running = 0;
  let most = 0;
  const order: number[] = [];
  const tasks = Array.from({ length: 20 }, (_, index) =>
    queue(async () => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      await Promise.resolve();
      running--;
      order.push(index);
      return index;
    }));
  assert.deepEqual(await Promise.all(tasks), Array.from({ length: 20 }, (_, index) => index));
  assert.equal(most, 2);
  assert.deepEqual(order, order.toSorted((a, b) => a - b));
});

// Tracks: R015
Deno.test("createWorkQueue() refuses who comes when the queue is full, and recovers", async () => {
  const queue = createWorkQueue({ concurrency: 1, maxWaiting: 1, maxWait: 60 });
  const gate = Promise.withResolvers<void>();
  const first = queue(() => gate.promise);
  const second = queue(() => Promise.resolve("second"));
  await assert.rejects(
    queue(() => Promise.resolve()),
    (error) => error instanceof OverloadedError && error.status === 503,
  );
  gate.resolve();
  await first;
  assert.equal(await second, "second");
  assert.equal(await queue(() => Promise.resolve("third")), "third");
});

Deno.test("createWorkQueue() frees the place of a task that throws", async () => {
  const queue = createWorkQueue({ concurrency: 1, maxWaiting: 1, maxWait: 60 });
  await assert.rejects(queue(() => Promise.reject(new Error("broken"))), /broken/);
  assert.equal(await queue(() => Promise.resolve("next")), "next");
});

Deno.test("createWorkQueue() lets tasks begin in the order in which they came", async () => {
  // Tracks: OP-04
  const { add, end, begun } = createTestQueue();
  const names = ["a", "b", "c", "d", "e"];
  const results = names.map((name) => add(name));
  for (const name of names) {
    await settle();
    assert.equal(begun.at(-1), name);
    end(name);
  }
  assert.deepEqual(await Promise.all(results), names);
});

Deno.test("createWorkQueue() drops who hangs up while waiting, whose place somebody else takes", async () => {
  // Tracks: OP-04, R015
  const { add, end, begun, timers } = createTestQueue({ maxWaiting: 2 });
  const first = add("first");
  const hangUp = new AbortController();
  const dropped = Array.from({ length: 2 }, (_, index) => add(`dropped ${index}`, hangUp.signal));
  await assert.rejects(add("one too many"), { message: "Too many password checks are waiting" });
  hangUp.abort();
  for (const one of dropped) {
    await assert.rejects(one, (error) => error instanceof RequestError && error.status === 400);
  }
  assert.equal(timers.size, 0);
  const second = add("second");
  end("first");
  await first;
  await settle();
  end("second");
  assert.equal(await second, "second");
  assert.deepEqual(begun, ["first", "second"]);
});

Deno.test("createWorkQueue() does not begin for who has hung up already", async () => {
  // Tracks: OP-04
  const { add, begun } = createTestQueue();
  await assert.rejects(add("late", AbortSignal.abort()), RequestError);
  assert.deepEqual(begun, []);
});

Deno.test("createWorkQueue() lets nobody wait longer than maxWait", async () => {
  // Tracks: OP-04
  const { add, end, begun, advance, timers } = createTestQueue({ maxWait: 5 });
  const slow = add("slow");
  const waiting = assert.rejects(add("patient"), OVERDUE);
  advance(4_999);
  await settle();
  assert.equal(timers.size, 1);
  advance(1);
  await waiting;
  end("slow");
  await slow;
  assert.deepEqual(begun, ["slow"]);
  assert.equal(timers.size, 0);
});

Deno.test("createWorkQueue() says how long the queue takes, from what tasks took", async () => {
  // Tracks: OP-04
  const { add, end, advance } = createTestQueue({ maxWaiting: 3, maxWait: 1000 });
  // So often that what was expected before no longer counts.
  for (let round = 0; round < 100; round++) {
    const measured = add("measured");
    await settle();
    advance(4000);
    end("measured");
    await measured;
  }
  const running = add("running");
  const waiting = ["a", "b", "c"].map((name) => add(name));
  await assert.rejects(add("refused"), isOverloaded(16));
  for (const name of ["running", "a", "b", "c"]) {
    await settle();
    end(name);
  }
  await Promise.all([running, ...waiting]);
});

Deno.test("createWorkQueue() says a longer time the longer the queue is", async () => {
  // Tracks: OP-04
  const said: number[] = [];
  for (const maxWaiting of [0, 20, 40, 80]) {
    const { add } = createTestQueue({ maxWaiting, maxWait: 1000 });
    void add("running");
    for (let index = 0; index < maxWaiting; index++) void add(`waiting ${index}`);
    await add("refused").catch((error: OverloadedError) => said.push(error.retryAfter));
  }
  // At 150 ms for each before anything was measured.
  assert.deepEqual(said, [1, 4, 7, 13]);
});

Deno.test("createWorkQueue() refuses at once who would wait longer than maxWait", async () => {
  // Tracks: OP-04
  const { add, begun } = createTestQueue({ maxWait: 1 });
  void add("running");
  const waiting: Promise<unknown>[] = [];
  for (let index = 0; index < 6; index++) waiting.push(add(`waiting ${index}`));
  // The seventh would begin after 1,050 ms.
  await assert.rejects(add("seventh"), (error: Error) => {
    assert.equal(error.message, "A password check cannot begin within 1 s");
    return isOverloaded(2)(error);
  });
  assert.deepEqual([begun, waiting.length], [["running"], 6]);
});

Deno.test("createWorkQueue() does not keep the place of a task that never ends", async () => {
  // Tracks: OP-04
  const { add, advance, begun } = createTestQueue({ maxWaiting: 0 });
  void add("of a cancelled request");
  advance(29_999);
  await assert.rejects(add("early"), OverloadedError);
  advance(1);
  void add("next");
  assert.deepEqual(begun, ["of a cancelled request", "next"]);
});

// Tracks: R015, OP-04
Deno.test("createWorkQueue() lets the first task of each client begin before the second of any", async () => {
  const { add, end, begun } = createTestQueue();
  const tasks = ["a1", "a2", "a3", "a4", "b1", "a5", "b2", "c1"];
  const results = tasks.map((name) => add(name, undefined, name[0]));
  for (let index = 0; index < tasks.length; index++) {
    await settle();
    end(begun.at(-1)!);
  }
  await Promise.all(results);
  assert.deepEqual(begun, ["a1", "b1", "c1", "a2", "b2", "a3", "a4", "a5"]);
});

// Tracks: R015, OP-04
Deno.test("createWorkQueue() gives whoever comes to a full queue the last place of the client who has most", async () => {
  const { add, end, begun } = createTestQueue({ maxWaiting: 4 });
  const refused = { name: "OverloadedError", message: "Too many password checks are waiting" };
  const ofA = ["a0", "a1", "a2", "a3", "a4"].map((name) => add(name, undefined, "a"));
  await assert.rejects(add("a5", undefined, "a"), refused);
  const pushed = ofA.slice(2).map((task) => assert.rejects(task, refused));
  const others = ["b", "c", "d"].map((client) => add(`${client}1`, undefined, client));
  await Promise.all(pushed);
  // Nobody has more than one, and none of them comes before another.
  await assert.rejects(add("e1", undefined, "e"), refused);
  for (let index = 0; index < 5; index++) {
    await settle();
    end(begun.at(-1)!);
  }
  assert.deepEqual(begun, ["a0", "b1", "c1", "d1", "a1"]);
  await Promise.all([...ofA.slice(0, 2), ...others]);
});

// Tracks: OP-04
Deno.test("createWorkQueue() says to each client how long that client waits", async () => {
  const { add } = createTestQueue({ maxWait: 1 });
  void add("running", undefined, "a");
  for (let index = 0; index < 6; index++) void add(`a${index}`, undefined, "a").catch(() => {});
  await assert.rejects(add("seventh", undefined, "a"), isOverloaded(2));
  // One of another client waits for two at most, whatever there is of the first.
  void add("b1", undefined, "b");
  void add("b2", undefined, "b");
  await assert.rejects(add("eighth", undefined, "a"), isOverloaded(2));
});
