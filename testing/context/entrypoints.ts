import { TestingError } from "../errors.ts";
import { createService, type Entrypoint } from "../platform/service.ts";
import { createEventContext } from "./handlers.ts";

/** Parts of the entrypoints of one context. */
export interface EntrypointParts {
  /** Finds an entrypoint by its name; undefined when the worker exports none. */
  find(name: string): Entrypoint | undefined;
  /** Finds the worker's own durable objects by the name of their class, those without a binding too. */
  objects(name: string): unknown;
  env: Record<string, unknown>;
  waitUntil(work: Promise<unknown>): void;
  /** Called before each use; throws when the context has ended. */
  guard(): void;
  /** Runs work on behalf of the context. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Name of the worker's file, for messages. */
  owner: string;
}

/** Stub of an entrypoint, whose methods are called as by a service binding. */
// deno-lint-ignore no-explicit-any -- the methods are those of the worker's class.
export type EntrypointStub = any;

/** Entrypoints of a worker, for the test and for the worker itself. */
export interface Entrypoints {
  /**
   * Returns a stub.
   *
   * @throws {TestingError} `NO_ENTRYPOINT` when the worker exports no such class or object.
   */
  stub(name: string, props?: unknown): EntrypointStub;
  /** Value of `ctx.exports`: entrypoints and durable objects. */
  exports: Record<string, unknown>;
}

/** Creates the entrypoints of a context. */
export function createEntrypoints(parts: EntrypointParts): Entrypoints {
  const { find, objects, env, waitUntil, guard, run, owner } = parts;

  function stub(name: string, props: unknown = {}): EntrypointStub {
    const entrypoint = find(name);
    if (entrypoint === undefined) {
      throw new TestingError(
        "NO_ENTRYPOINT",
        `${owner} exports no entrypoint ${name}. Add \`export class ${name} extends WorkerEntrypoint\`, or correct the name.`,
      );
    }
    return createService({
      binding: name,
      load: () => Promise.resolve(entrypoint),
      env,
      props: props as Record<string, unknown>,
      waitUntil,
      guard,
      enter: run,
      contextOf: (props) => createEventContext({ waitUntil, exports, props }),
    });
  }

  const exports: Record<string, unknown> = new Proxy({}, {
    get(_target, name) {
      if (typeof name === "symbol") return undefined;
      const object = objects(name);
      if (object !== undefined) return object;
      if (find(name) === undefined) return undefined;
      // A caller may give props by calling it.
      return callable((options) => stub(name, options?.props), stub(name));
    },
    has: (_target, name) => typeof name === "string" && find(name) !== undefined,
  });
  return { stub, exports };
}

function callable(
  call: (options?: { props?: unknown }) => EntrypointStub,
  plain: EntrypointStub,
): unknown {
  return new Proxy(function () {}, {
    apply: (_target, _self, [options]) => call(options),
    get: (_target, property) => Reflect.get(plain, property),
  });
}
