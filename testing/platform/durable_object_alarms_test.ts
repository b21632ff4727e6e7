import assert from "node:assert/strict";
import { type Alarmed, createObjectAlarms } from "./durable_object_alarms.ts";

interface Ring {
  at: number;
  retryCount: number;
}

/** Alarms by a clock of their own, and an object that does as it is told when it rings. */
function start(ring: (set: (after: number) => void, rings: readonly Ring[]) => void) {
  const clock = { time: 0 };
  const failures: unknown[] = [];
  const rings: Ring[] = [];
  const alarms = createObjectAlarms({
    now: () => clock.time,
    run: (work) => work(),
    failed: (error) => void failures.push(error),
  });
  const set = (after: number) => alarms.changed(object, Date.now() + after);
  const object: Alarmed = {
    async ring({ retryCount }) {
      rings.push({ at: clock.time, retryCount });
      await Promise.resolve();
      ring(set, rings);
    },
    setAlarm: (time) => Promise.resolve(alarms.changed(object, time)),
  };
  return { alarms, clock, failures, rings, set, object };
}

Deno.test("createObjectAlarms() rings a repeated alarm as often as it would have", async () => {
  const { alarms, clock, rings, set } = start((set) => set(60_000));
  set(60_000);
  await alarms.wake();
  assert.equal(rings.length, 0);
  clock.time += 3_600_500;
  await alarms.wake();
  assert.equal(rings.length, 60);
});

Deno.test("createObjectAlarms() rings at once what is due when it is set", async () => {
  const { alarms, rings, set } = start(() => {});
  set(-1);
  await alarms.wake();
  assert.equal(rings.length, 1);
});

Deno.test("createObjectAlarms() forgets what is taken away", async () => {
  const { alarms, clock, rings, set, object } = start(() => {});
  set(10);
  alarms.changed(object, null);
  clock.time += 1_000;
  await alarms.wake();
  assert.equal(rings.length, 0);
});

Deno.test("createObjectAlarms() tries six times more, ever later", async () => {
  const { alarms, clock, rings, set, failures } = start(() => {
    throw new Error("again");
  });
  set(0);
  await alarms.wake();
  for (const seconds of [1, 2, 4, 8, 16, 32, 64, 128]) {
    clock.time += seconds * 1_000 + 100;
    await alarms.wake();
  }
  assert.deepEqual(rings.map(({ retryCount }) => retryCount), [0, 1, 2, 3, 4, 5, 6]);
  assert.equal(failures.length, 7);
});

Deno.test("createObjectAlarms() ends an alarm that is always due", async () => {
  const { alarms, set, failures } = start((set) => set(-1));
  set(-1);
  await alarms.wake();
  const [failure] = failures as { code: string }[];
  assert.equal(failure?.code, "ENDLESS_ALARM");
});
