import { TestingError } from "../errors.ts";

/** An object that can have an alarm. */
export interface Alarmed {
  /** Calls its `alarm`. */
  ring(info: { retryCount: number; isRetry: boolean; scheduledTime: number }): Promise<void>;
  /** Sets or deletes the alarm in the object's storage. */
  setAlarm(time: number | null): Promise<void>;
}

/** The alarms of all objects of a context. */
export interface ObjectAlarms {
  /** Records that an object's alarm was set or deleted. */
  changed(object: Alarmed, time: number | null): void;
  /** Runs the due alarms, and those that they make due; resolves when none is left. */
  wake(): Promise<void>;
}

interface Pending {
  /** Time at which the alarm runs, by the context's clock. */
  due: number;
  /** Time that the alarm was set to. */
  time: number;
  retryCount: number;
}

const MAX_RETRIES = 6;
const FIRST_RETRY_MS = 2_000;
const MAX_RINGS = 1_000;

/**
 * Stores alarms until the context's clock reaches them. Objects compute an alarm's time from
 * `Date.now()`, so its distance from that counts.
 *
 * @param options `now`: the context's clock; `run`: runs work on behalf of the context; `failed`:
 * receives errors of alarms.
 */
export function createObjectAlarms(options: {
  now(): number;
  run(work: () => Promise<void>): Promise<void>;
  failed(error: unknown): void;
}): ObjectAlarms {
  const { now, run, failed } = options;
  const pending = new Map<Alarmed, Pending>();
  let waking: Promise<void> | undefined;
  // While an alarm runs, the clock shows the time it was set to, however far it was moved at once.
  let ringing: number | undefined;

  function changed(object: Alarmed, time: number | null): void {
    if (time === null) return void pending.delete(object);
    const due = (ringing ?? now()) + Math.max(0, time - Date.now());
    pending.set(object, { due, time, retryCount: 0 });
    if (due <= now()) void wake();
  }

  function wake(): Promise<void> {
    if (earliest() === undefined) return waking ?? Promise.resolve();
    return waking ??= ringAll().finally(() => {
      waking = undefined;
    });
  }

  function earliest(): [Alarmed, Pending] | undefined {
    let found: [Alarmed, Pending] | undefined;
    for (const entry of pending) {
      if (entry[1].due <= now() && (found === undefined || entry[1].due < found[1].due)) {
        found = entry;
      }
    }
    return found;
  }

  async function ringAll(): Promise<void> {
    // An alarm does not run within the event that set it.
    await Promise.resolve();
    const rung = new Map<Alarmed, { due: number; count: number }>();
    for (let found = earliest(); found !== undefined; found = earliest()) {
      const [object, alarm] = found;
      const before = rung.get(object);
      const count = before?.due === alarm.due ? before.count + 1 : 1;
      rung.set(object, { due: alarm.due, count });
      if (count > MAX_RINGS) {
        pending.delete(object);
        failed(endless());
      } else {
        await ring(object, alarm);
      }
    }
  }

  async function ring(object: Alarmed, { due, time, retryCount }: Pending): Promise<void> {
    const info = { retryCount, isRetry: retryCount > 0, scheduledTime: time };
    ringing = due;
    try {
      await run(async () => {
        await object.setAlarm(null);
        await object.ring(info);
      });
    } catch (error) {
      failed(error);
      if (pending.has(object) || retryCount === MAX_RETRIES) return;
      const wait = FIRST_RETRY_MS * 2 ** retryCount;
      await object.setAlarm(Date.now() + wait);
      pending.set(object, { due: due + wait, time, retryCount: retryCount + 1 });
    } finally {
      ringing = undefined;
    }
  }

  return { changed, wake };
}

function endless(): TestingError {
  return new TestingError(
    "ENDLESS_ALARM",
    `The alarm of a durable object ran ${MAX_RINGS} times at the same time, because its alarm() sets ` +
      "the next alarm to a time in the past. Set it to a later time, such as Date.now() + 1000.",
  );
}
