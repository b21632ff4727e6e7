import type { ObjectStorage } from "@framework/cli/runtime";
import { createBackground } from "../context/background.ts";
import { definePlatformGlobals } from "../context/platform_globals.ts";
import { createObjectSockets, type SocketMethods } from "../platform/durable_object_sockets.ts";
import { createObjectStorage } from "../platform/durable_object_storage.ts";
import { createDatabaseImage } from "../platform/sqlite.ts";
import { type Mocked, type MockMethod, spied } from "./mock_function.ts";

/** Id of a durable object. */
export interface MockDurableObjectId {
  /** Name that `idFromName` derived the id from; left out otherwise. */
  readonly name?: string;
  /** 64 hexadecimal digits, for `idFromString`. */
  toString(): string;
  /** Returns true when the other id names the same object. */
  equals(other: { toString(): string }): boolean;
}

/** Options for `createMockDurableObjectState()`. */
export interface MockDurableObjectStateOptions {
  /** Name that the object's id is derived from. Default: none. */
  name?: string;
  /** The worker's own entrypoints and objects, for `ctx.exports`. Default: none. */
  exports?: Record<string, unknown>;
  /** Clock that decides when an alarm is due, in milliseconds since 1970. Default: the real time. */
  now?: () => number;
}

/** Part of an object that `runAlarm` needs. */
export interface AlarmHandler {
  /** Called by the platform when the alarm is due. */
  alarm?(info: { retryCount: number; isRetry: boolean }): unknown;
}

/** Methods for hibernatable WebSockets, as mock functions. */
export type MockSockets = { [K in keyof SocketMethods]: MockMethod<SocketMethods[K]> };

/** State with working storage, whose methods are all mock functions. */
export interface MockDurableObjectState extends MockSockets {
  /** The object's own id; with a name when the options give one. */
  readonly id: MockDurableObjectId;
  /** Working storage with SQLite in memory, whose methods are also mock functions. */
  readonly storage: Mocked<ObjectStorage>;
  /** Properties that a caller has given to the object; a binding gives none. */
  readonly props: Record<string, never>;
  /** The worker's own entrypoints and objects; empty unless the options name them. */
  readonly exports: Record<string, unknown>;
  /** Undefined, as on the platform for a class without a container. */
  readonly container: undefined;
  /** Receives background work; `settle()` waits for it. */
  waitUntil: MockMethod<(work: Promise<unknown>) => void>;
  /** Runs the function at once, and returns what it returns; `settle()` waits for it. */
  blockConcurrencyWhile: MockMethod<<T>(work: () => Promise<T>) => Promise<T>>;
  /** Throws, because the platform resets the object here. */
  abort: MockMethod<(reason?: string) => void>;
  /**
   * Calls the object's `alarm` as the platform would: when one is set and due, after deleting it. A
   * handler that throws leaves the alarm set for another attempt.
   *
   * @returns True when the handler was called.
   */
  runAlarm(object: AlarmHandler): Promise<boolean>;
  /**
   * Waits for what was passed to `blockConcurrencyWhile` and `waitUntil`. The platform delays
   * requests while a constructor loads; a test that calls the object itself awaits this first.
   * @throws Errors of that work.
   */
  settle(): Promise<void>;
}

/**
 * Creates the state that is passed to a durable object's constructor, with SQLite storage in memory.
 *
 * @param options Name and time.
 * @example
 * ```ts
 * import { createMockDurableObjectState } from "@framework/testing";
 * import assert from "node:assert/strict";
 *
 * const state = createMockDurableObjectState({ name: "room" });
 * await state.storage.put("count", 1);
 * assert.equal(await state.storage.get("count"), 1);
 * assert.deepEqual(state.storage.put.mock.calls, [["count", 1]]);
 *
 * state.storage.sql.exec("CREATE TABLE visits (at INTEGER)");
 * assert.equal(state.id.name, "room");
 * ```
 */
export function createMockDurableObjectState(
  options: MockDurableObjectStateOptions = {},
): MockDurableObjectState {
  const { name, exports = {}, now = Date.now } = options;
  // The object under test may make a pair of sockets.
  definePlatformGlobals();
  const storage = createObjectStorage(() => createDatabaseImage([]).open());
  spied(storage.sql, "state.storage.sql");
  spied(storage.kv, "state.storage.kv");
  const background = createBackground();
  const methods = spied({
    waitUntil: background.add,
    blockConcurrencyWhile: <T>(work: () => Promise<T>) => {
      const running = work();
      background.add(running);
      return running;
    },
    abort: (reason?: string) => {
      throw new Error(reason ?? "Application called abort() to reset Durable Object.");
    },
    ...createObjectSockets().methods,
  }, "state");
  return {
    ...methods,
    id: createMockId(name),
    props: {},
    exports,
    container: undefined,
    storage: spied(storage, "state.storage"),
    runAlarm: async (object) => {
      const due = await storage.getAlarm();
      if (due === null || due > now()) return false;
      await storage.deleteAlarm();
      try {
        await object.alarm?.({ retryCount: 0, isRetry: false });
      } catch (error) {
        if (await storage.getAlarm() === null) await storage.setAlarm(due);
        throw error;
      }
      return true;
    },
    settle: background.settle,
  };
}

function createMockId(name: string | undefined): MockDurableObjectId {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const text = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return {
    ...(name === undefined ? {} : { name }),
    toString: () => text,
    equals: (other) => other.toString() === text,
  };
}
