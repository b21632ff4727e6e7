import { NotEmulatedError } from "../errors.ts";
import type { ObjectAlarms } from "./object_alarms.ts";
import {
  createInstance,
  createObjectIds,
  createObjectState,
  isObjectId,
  type ObjectId,
  type ObjectInstance,
} from "./object_instance.ts";
import { copyThrown, createRpcMember, fetchObject, remoteMember } from "./object_rpc.ts";
import { createObjectStorage } from "./object_storage.ts";
import { createDatabaseImage } from "./sqlite.ts";

/** A class of durable objects, as an application exports it. */
export type ObjectClass = new (state: unknown, env: unknown) => object;

/** Parts of the objects of a class. */
export interface NamespaceParts {
  /** Name of the binding, for messages. */
  binding: string;
  className: string;
  /** The class; asked for at the first call of an object. */
  load(): Promise<ObjectClass>;
  /** Environment of the objects. */
  env: Record<string, unknown>;
  alarms: ObjectAlarms;
  waitUntil(work: Promise<unknown>): void;
  /** Does work on behalf of the context. */
  run(work: () => Promise<void>): Promise<void>;
  /** Keeps what has to be closed when the context ends. */
  opened(database: { close(): void }): void;
  /** Called before each use; throws when the context has ended. */
  guard(): void;
}

/** A namespace of durable objects that speaks the platform's API. */
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

/** One object: what it keeps, and its life in memory, which may end before it. */
interface Kept {
  instance(): ObjectInstance;
}

/**
 * Makes a namespace whose objects live in this process, with storage in memory. Two bindings of one class share it, as
 * on the platform.
 *
 * @see https://developers.cloudflare.com/durable-objects/api/namespace/
 */
export function createObjectNamespace(parts: NamespaceParts): ObjectNamespace {
  const ids = createObjectIds(parts.className);
  const objects = new Map<string, Kept>();

  function get(id: ObjectId): object {
    parts.guard();
    if (!isObjectId(id)) throw noId();
    const key = id.toString();
    const kept = objects.get(key) ?? createKept(id, parts);
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

function createKept(id: ObjectId, parts: NamespaceParts): Kept {
  const { alarms, guard } = parts;
  const storage = createObjectStorage(open, (time) => {
    if (time !== null && !canRing) throw new Error(NO_ALARM);
    alarms.changed(alarmed, time);
  });
  let current: ObjectInstance | undefined;
  let canRing = false;

  function open() {
    guard();
    const database = createDatabaseImage([]).open();
    parts.opened(database);
    return database;
  }

  function instance(): ObjectInstance {
    if (current === undefined || current.failure !== undefined) current = live();
    return current;
  }

  function live(): ObjectInstance {
    const life = createInstance(async (controls) => {
      const { binding, waitUntil } = parts;
      const Class = await parts.load();
      canRing = typeof Class.prototype?.alarm === "function";
      // What was added to the state of one life does not stand in that of the next.
      const own = Object.defineProperties(
        {},
        Object.getOwnPropertyDescriptors(storage),
      ) as typeof storage;
      try {
        return new Class(
          createObjectState({ id, storage: own, binding, waitUntil, deliver, controls }),
          parts.env,
        );
      } catch (error) {
        const thrown = copyThrown(error);
        controls.giveUp(thrown);
        throw thrown;
      }
    });
    // The end of the context waits for it, and throws what it throws.
    const deliver = (event: (object: object) => unknown) =>
      parts.waitUntil(parts.run(async () => {
        try {
          await life.deliver(event);
        } catch (error) {
          // Who calls abort() means it; a failed blockConcurrencyWhile has a cause.
          if (error !== life.failure || life.failure?.cause !== undefined) throw error;
        }
      }));
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

/** A stub goes with one life of its object: of the next one it does not know. */
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

/** The platform's own emulator says the same. */
function noJurisdictions(): Error {
  return new Error("Jurisdiction restrictions are not implemented in workerd.");
}
