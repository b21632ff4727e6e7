import { clearImmediate, setImmediate } from "node:timers";

/** What an object's state asks of what runs it. */
export interface InstanceControls {
  /** Lets no event begin until the work is through; when it fails, the instance is given up. */
  block<T>(work: () => Promise<T>): Promise<T>;
  /** Gives the instance up: what it is doing fails with this, and so does everything it is asked. */
  giveUp(reason: Error): void;
  /** Rejects once the instance is given up. */
  ended: Promise<never>;
}

/** One life of an object in memory. */
export interface ObjectInstance {
  /** Why it was given up, once it was. */
  readonly failure: Error | undefined;
  /** Lets the object handle an event, as soon as the ones before have come to rest. */
  deliver<T>(event: (object: object) => T | Promise<T>): Promise<T>;
}

/**
 * Runs events on an object one at a time, as the platform does: the next begins when the one before has ended or waits
 * for anything but its storage, and none begins in `blockConcurrencyWhile`.
 *
 * @param construct Makes the object, at the first event.
 */
export function createInstance(
  construct: (controls: InstanceControls) => Promise<object>,
): ObjectInstance {
  let failure: Error | undefined;
  let made: Promise<object> | undefined;
  let blocked: Promise<unknown> | undefined;
  let next: Promise<unknown> = Promise.resolve();
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  givenUp.catch(() => {});

  function giveUp(reason: Error): void {
    if (failure !== undefined) return;
    failure = Object.assign(reason, { durableObjectReset: true });
    reject(failure);
  }

  async function block<T>(work: () => Promise<T>): Promise<T> {
    const before = blocked;
    const running = Promise.resolve(before).then(work);
    const ended = running.then(() => {}, () => {});
    blocked = ended;
    try {
      return await running;
    } catch (error) {
      const reason = error instanceof Error ? error : new Error(String(error));
      giveUp(new Error(reason.message, { cause: reason }));
      throw error;
    } finally {
      if (blocked === ended) blocked = undefined;
    }
  }

  async function ready(): Promise<object> {
    made ??= construct({ block, giveUp, ended: givenUp });
    const object = await made;
    while (blocked !== undefined) await blocked;
    return object;
  }

  function deliver<T>(event: (object: object) => T | Promise<T>): Promise<T> {
    const begun = next.then(ready);
    const done = begun.then(event);
    next = begun.then(() => endOrTurn(done), () => {});
    return Promise.race([done, givenUp]);
  }

  return {
    get failure() {
      return failure;
    },
    deliver,
  };
}

/**
 * Waits until work is through, or has come so far that it waits for something outside: storage answers within the same
 * turn of the event loop.
 */
function endOrTurn(work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const turn = setImmediate(resolve);
    const end = () => {
      clearImmediate(turn);
      resolve();
    };
    work.then(end, end);
  });
}
