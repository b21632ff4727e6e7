import { NotEmulatedError } from "../errors.ts";
import type { ObjectAlarms } from "./durable_object_alarms.ts";
import {
  createInstance,
  createObjectIds,
  createObjectState,
  isObjectId,
  type ObjectId,
  type ObjectInstance,
} from "./durable_object_instance.ts";
import { copyThrown, createRpcMember, fetchObject, remoteMember } from "./durable_object_rpc.ts";
import {
  createObjectRecord,
  createObjectStorage,
  type ObjectRecord,
} from "./durable_object_storage.ts";
import { createDatabaseImage } from "./sqlite.ts";

/** A class of durable objects, as an application exports it. */
export type ObjectClass = new (state: unknown, env: unknown) => object;

/** Parts of the objects of a class. */
export interface NamespaceParts {
  /** Name of the binding, for messages. */
  binding: string;
  className: string;
  /** Loads the class at the first call of an object. */
  load(): Promise<ObjectClass>;
  /** Environment of the objects. */
  env: Record<string, unknown>;
  /** Returns the worker's own entrypoints and objects, for `ctx.exports`. Default: none. */
  exports?(): Record<string, unknown>;
  /** True for a class with a container, which no double has. Default: false. */
  hasContainer?: boolean;
  alarms: ObjectAlarms;
  waitUntil(work: Promise<unknown>): void;
  /** Receives errors of handlers of sockets. Default: `waitUntil` has them. */
  socketFailed?(error: unknown): void;
  /** Runs work on behalf of the context. */
  run(work: () => Promise<void>): Promise<void>;
  /** Called before each use; throws when the context has ended. */
  guard(): void;
  /** Data of the objects, by id. Default: an empty map. */
  records?: Map<string, ObjectRecord>;
}

/** Namespace of durable objects with the platform's API. */
export interface ObjectNamespace {
  idFromName(name: string): ObjectId;
  idFromString(text: string): ObjectId;
  newUniqueId(options?: { jurisdiction?: string }): ObjectId;
  // deno-lint-ignore no-explicit-any -- the methods are those of the application's class.
  get(id: ObjectId, options?: object): any;
  // deno-lint-ignore no-explicit-any -- as above.
  getByName(name: string, options?: object): any;
  jurisdiction(name: string): never;
}

/** One object: its storage, and its current instance in memory. */
interface Kept {
  instance(): ObjectInstance;
}

/**
 * Creates a namespace whose objects live in this process, with storage in memory. Two bindings of
 * one class share it, as on the platform.
 *
 * @see https://developers.cloudflare.com/durable-objects/api/namespace/
 */
export function createObjectNamespace(parts: NamespaceParts): ObjectNamespace {
  const ids = createObjectIds(parts.className);
  const objects = new Map<string, Kept>();
  const { records = new Map<string, ObjectRecord>() } = parts;

  function get(id: ObjectId): object {
    parts.guard();
    if (!isObjectId(id)) throw noId();
    const key = id.toString();
    const record = records.get(key) ?? createObjectRecord();
    records.set(key, record);
    const kept = objects.get(key) ?? createKept(id, parts, record);
    objects.set(key, kept);
    return createStub(id, kept, parts);
  }

  return {
    idFromName: (name) => ids.idFromName(String(name)),
    idFromString: ids.idFromString,
    newUniqueId: (options) => {
      if (options?.jurisdiction !== undefined) throw noJurisdictions();
      return ids.newUniqueId();
    },
    get,
    getByName: (name) => get(ids.idFromName(String(name))),
    jurisdiction: () => {
      throw noJurisdictions();
    },
  };
}

function createKept(id: ObjectId, parts: NamespaceParts, record: ObjectRecord): Kept {
  const { alarms, guard } = parts;
  const storage = createObjectStorage(open, (time) => {
    if (time !== null && !canRing) throw new Error(NO_ALARM);
    alarms.changed(alarmed, time);
  }, record);
  let current: ObjectInstance | undefined;
  let canRing = false;

  function open() {
    guard();
    return createDatabaseImage([]).open();
  }

  function instance(): ObjectInstance {
    if (current === undefined || current.failure !== undefined) current = live();
    return current;
  }

  function live(): ObjectInstance {
    const life = createInstance(async (controls) => {
      const { binding, waitUntil, hasContainer = false } = parts;
      const exports = parts.exports?.() ?? {};
      const Class = await parts.load();
      canRing = typeof Class.prototype?.alarm === "function";
      // Properties added to one instance's state do not appear in the next one's.
      const own = Object.defineProperties(
        {},
        Object.getOwnPropertyDescriptors(storage),
      ) as typeof storage;
      try {
        return new Class(
          createObjectState({
            id,
            storage: own,
            binding,
            exports,
            hasContainer,
            waitUntil,
            deliver,
            controls,
          }),
          parts.env,
        );
      } catch (error) {
        const thrown = copyThrown(error);
        controls.giveUp(thrown);
        throw thrown;
      }
    });
    // The end of the context waits for it and throws its errors.
    const deliver = (event: (object: object) => unknown) =>
      parts.waitUntil(
        parts.run(async () => {
          try {
            await life.deliver(event);
          } catch (error) {
            // abort() is intended; a failed blockConcurrencyWhile has a cause.
            if (error !== life.failure || life.failure?.cause !== undefined) throw error;
          }
        }).catch(parts.socketFailed),
      );
    return life;
  }

  const alarmed = {
    async ring(info: object): Promise<void> {
      await instance().deliver((object) =>
        (object as { alarm(info: object): unknown }).alarm(info) as Promise<void>
      );
    },
    setAlarm: (time: number | null) =>
      time === null ? storage.deleteAlarm() : storage.setAlarm(time),
  };
  return { instance };
}

/** Creates a stub, which belongs to one instance of its object and fails once that is reset. */
function createStub(id: ObjectId, kept: Kept, { binding, guard }: NamespaceParts): object {
  let reached: ObjectInstance | undefined;

  async function deliver(event: (object: object) => Promise<unknown>): Promise<unknown> {
    guard();
    if (reached?.failure !== undefined) throw reached.failure;
    reached ??= kept.instance();
    return await reached.deliver(event);
  }

  const { name } = id;
  const stub: object = new Proxy({
    id,
    ...(name !== undefined && { name }),
  }, {
    get(own, property, receiver) {
      if (typeof property === "symbol") {
        return property === Symbol.toStringTag ? "DurableObject" : Reflect.get(own, property);
      }
      if (property === "then") return undefined;
      if (property in own) return Reflect.get(own, property, receiver);
      if (property === "fetch") {
        return async (input: Request | string | URL, init?: RequestInit) =>
          await fetchObject(
            (event) => deliver(event) as Promise<Response>,
            new Request(input, init),
          );
      }
      if (property === "dup") return () => stub;
      if (property === "connect") {
        throw new NotEmulatedError(binding, "durable_objects", "connect()");
      }
      return createRpcMember({
        get: () => deliver((object) => remoteMember(object, property).get()),
        call: (args) => deliver((object) => remoteMember(object, property).call(args)),
      });
    },
  });
  return stub;
}

const NO_ALARM =
  "Your Durable Object class must have an alarm() handler in order to call setAlarm()";

function noId(): TypeError {
  return new TypeError(
    "Failed to execute 'get' on 'DurableObjectNamespace': parameter 1 is not of type 'DurableObjectId'.",
  );
}

/** Creates the error that the platform's own emulator throws for jurisdictions. */
function noJurisdictions(): Error {
  return new Error("Jurisdiction restrictions are not implemented in workerd.");
}
