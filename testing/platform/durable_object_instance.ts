import type { ObjectStorage } from "@framework/cli/runtime";
import { createHash, randomBytes } from "node:crypto";
import { clearImmediate, setImmediate } from "node:timers";
import { NotEmulatedError } from "../errors.ts";
import { createObjectSockets, type SocketMethods } from "./durable_object_sockets.ts";

/** Id of a durable object. */
export interface ObjectId {
  /** Name that the id was derived from; left out for other ids. */
  readonly name?: string;
  toString(): string;
  equals(other: { toString(): string }): boolean;
}

/** Creates the ids of one class. */
export interface ObjectIds {
  idFromName(name: string): ObjectId;
  newUniqueId(): ObjectId;
  /** @throws {TypeError} For anything but an id of this class. */
  idFromString(text: string): ObjectId;
}

const known = new WeakSet<object>();

/** Returns true for an id that a namespace made. */
export function isObjectId(value: unknown): value is ObjectId {
  return typeof value === "object" && value !== null && known.has(value);
}

/**
 * Creates ids like the platform's: 64 hexadecimal digits, whose second half proves that the first
 * half was made for this class.
 */
export function createObjectIds(className: string): ObjectIds {
  const proofOf = (base: string) => digest(`${className}\0${base}`);
  const complete = (base: string, name?: string) => createId(base + proofOf(base), name);
  return {
    idFromName: (name) => complete(digest(`name\0${name}`), name),
    newUniqueId: () => complete(randomBytes(16).toString("hex")),
    idFromString(text) {
      if (!/^[0-9a-fA-F]{64}$/.test(text)) {
        throw new TypeError("Invalid Durable Object ID: must be 64 hex digits");
      }
      const id = text.toLowerCase();
      if (proofOf(id.slice(0, 32)) !== id.slice(32)) {
        throw new TypeError("Durable Object ID is not valid for this namespace.");
      }
      return createId(id);
    },
  };
}

function createId(text: string, name?: string): ObjectId {
  const id = Object.create({
    toString: () => text,
    equals: (other: { toString(): string }) => other.toString() === text,
  }) as { name?: string };
  if (name !== undefined) id.name = name;
  known.add(id);
  return id as ObjectId;
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

/** Controls of an instance that its object's state uses. */
interface InstanceControls {
  /** Blocks events until the work has ended; when it fails, the instance is reset. */
  block<T>(work: () => Promise<T>): Promise<T>;
  /** Resets the instance: running and later calls fail with this error. */
  giveUp(reason: Error): void;
  /** Rejects once the instance is reset. */
  ended: Promise<never>;
}

/** One life of an object in memory. */
export interface ObjectInstance {
  /** Error that broke the instance, once one did. */
  readonly failure: Error | undefined;
  /** Delivers an event to the object when the previous ones have ended or are waiting. */
  deliver<T>(event: (object: object) => T | Promise<T>): Promise<T>;
}

/**
 * Runs events on an object one at a time, as the platform does: the next one begins when the
 * previous one has ended or waits for anything but its storage, and none begins during
 * `blockConcurrencyWhile`.
 *
 * @param construct Creates the object at the first event.
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
 * Waits until work has ended or waits for something other than storage, which answers within the
 * same turn of the event loop.
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

/** State that is passed to an object's constructor. */
export interface ObjectState extends SocketMethods {
  readonly id: ObjectId;
  readonly storage: ObjectStorage;
  readonly props: Record<string, never>;
  /** The worker's own entrypoints and objects. */
  readonly exports: Record<string, unknown>;
  /** Undefined for a class without a container. */
  readonly container?: unknown;
  waitUntil(work: Promise<unknown>): void;
  blockConcurrencyWhile<T>(work: () => Promise<T>): Promise<T>;
  abort(reason?: string): never;
}

/** Members of the platform's state that the double lacks. */
const MISSING = ["facets"];
const MISSING_IN_STORAGE = [
  "getBookmarkForTime",
  "getCurrentBookmark",
  "onNextSessionRestoreBookmark",
];

/** Creates the state for one lifetime of an object. */
export function createObjectState(
  { id, storage, binding, exports = {}, hasContainer = false, waitUntil, deliver, controls }: {
    id: ObjectId;
    storage: ObjectStorage;
    /** The binding's name, for messages. */
    binding: string;
    /** The worker's own entrypoints and objects. Default: none. */
    exports?: Record<string, unknown>;
    /** True for a class with a container, which no double has. Default: false. */
    hasContainer?: boolean;
    waitUntil(work: Promise<unknown>): void;
    /** Delivers events of the object's sockets. */
    deliver(event: (object: object) => unknown): void;
    controls: InstanceControls;
  },
): ObjectState {
  const sockets = createObjectSockets(deliver);
  controls.ended.catch(sockets.lose);
  return refusing(
    {
      id,
      storage: refusing(storage, MISSING_IN_STORAGE, { binding, path: "ctx.storage" }),
      props: {},
      exports,
      waitUntil,
      blockConcurrencyWhile: (work: () => Promise<never>) => controls.block(work),
      abort(reason) {
        const error = new Error(
          reason ?? "Application called abort() to reset Durable Object.",
        );
        controls.giveUp(error);
        throw error;
      },
      ...sockets.methods,
    } as ObjectState,
    hasContainer ? [...MISSING, "container"] : MISSING,
    { binding, path: "ctx" },
  );
}

function refusing<T extends object>(
  object: T,
  names: readonly string[],
  { binding, path }: { binding: string; path: string },
): T {
  for (const name of names) {
    Object.defineProperty(object, name, {
      get: () => {
        throw new NotEmulatedError(binding, "durable_objects", `${path}.${name}`);
      },
    });
  }
  return object;
}
