import { NotEmulatedError } from "../errors.ts";
import type { ObjectId } from "./object_id.ts";
import type { InstanceControls } from "./object_instance.ts";
import { createObjectSockets, type SocketMethods } from "./object_sockets.ts";
import type { ObjectStorage } from "@framework/cli/runtime";

/** The state that an object is constructed with. */
export interface ObjectState extends SocketMethods {
  readonly id: ObjectId;
  readonly storage: ObjectStorage;
  readonly props: Record<string, never>;
  waitUntil(work: Promise<unknown>): void;
  blockConcurrencyWhile<T>(work: () => Promise<T>): Promise<T>;
  abort(reason?: string): never;
}

/** What of the platform's state is not there. */
const MISSING = ["container", "exports", "facets"];
const MISSING_IN_STORAGE = [
  "getBookmarkForTime",
  "getCurrentBookmark",
  "onNextSessionRestoreBookmark",
];

/** Makes the state of one life of an object. */
export function createObjectState(
  { id, storage, binding, waitUntil, deliver, controls }: {
    id: ObjectId;
    storage: ObjectStorage;
    /** The binding's name, for messages. */
    binding: string;
    waitUntil(work: Promise<unknown>): void;
    /** Lets the object handle what arrives at its sockets. */
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
    MISSING,
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
