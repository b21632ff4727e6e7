import { NotEmulatedError } from "../errors.ts";
import { isRpcTarget } from "./cloudflare_workers.ts";
import {
  copyThrown,
  createRpcMember,
  fetchObject,
  remoteMember,
  type RpcReference,
} from "./durable_object_rpc.ts";

/** A class of a worker's entrypoint. */
export type EntrypointClass = new (ctx: unknown, env: unknown) => object;

/** An entrypoint as a worker exports it: a class, or an object of handlers. */
export type Entrypoint = EntrypointClass | object;

/** Returns true for a class that extends `WorkerEntrypoint`. */
export function isEntrypointClass(value: unknown): value is EntrypointClass {
  const prototype: unknown = typeof value === "function" ? value.prototype : undefined;
  return typeof prototype === "object" && prototype !== null && isRpcTarget(prototype);
}

/**
 * Creates a binding to an entrypoint in this process. As on the platform, each call has an instance of its own, and values
 * are copied.
 *
 * @param parts `binding`: name for messages; `load`: finds the entrypoint at the first call; `env`: bindings of its
 * worker; `props`: properties of the binding for `ctx.props`.
 * @see https://developers.cloudflare.com/workers/runtime-apis/bindings/service-bindings/
 */
export function createService(parts: {
  binding: string;
  load(): Promise<Entrypoint>;
  env: Record<string, unknown>;
  props?: Record<string, unknown>;
  waitUntil(work: Promise<unknown>): void;
  guard(): void;
  /** Runs each event. Default: on behalf of whoever calls. */
  enter?<T>(work: () => Promise<T>): Promise<T>;
  /** Creates the context of an event. Default: one without `exports`. */
  contextOf?(props: unknown): object;
}): object {
  const { binding, load, env, props = {}, waitUntil, guard, enter = (work) => work() } = parts;
  const contextOf = parts.contextOf ??
    ((props) => ({ waitUntil, passThroughOnException: () => {}, props }));

  /** Runs an event on an entrypoint, which lives for this event alone. */
  function deliver<T>(event: (target: object) => Promise<T>): Promise<T> {
    return enter(() => handle(event));
  }

  async function handle<T>(event: (target: object) => Promise<T>): Promise<T> {
    guard();
    const entrypoint = await load();
    // Handlers that are methods are called as such.
    const ctx = contextOf(structuredClone(props));
    if (isEntrypointClass(entrypoint)) return await event(construct(entrypoint, ctx));
    return await event({
      fetch: bound(entrypoint, "fetch", (request) => [request, env, ctx]),
      [HANDLERS]: (name: string, arg: unknown) =>
        bound(entrypoint, name, (given) => [given, env, ctx])?.(arg),
    });
  }

  function construct(Class: EntrypointClass, ctx: object): object {
    try {
      return new Class(ctx, env);
    } catch (error) {
      throw copyThrown(error);
    }
  }

  function memberOf(name: string): RpcReference {
    const reach = (use: (member: RpcReference) => Promise<unknown>) =>
      deliver((target) =>
        use(HANDLERS in target ? handlerOf(target, name) : remoteMember(target, name))
      );
    return {
      get: () => reach((member) => member.get()),
      call: (args) => reach((member) => member.call(args)),
    };
  }

  const service: object = new Proxy({}, {
    get(_target, property) {
      if (typeof property === "symbol") {
        return property === Symbol.toStringTag ? "Fetcher" : undefined;
      }
      if (property === "then" || property === "toJSON") return undefined;
      if (property === "fetch") {
        return async (input: Request | string | URL, init?: RequestInit) =>
          await fetchObject(deliver, new Request(input, init));
      }
      if (property === "dup") return () => service;
      if (property === "connect") {
        return () => {
          throw new NotEmulatedError(binding, "services", "connect()");
        };
      }
      if (property === "constructor" || property in Object.prototype) {
        return Reflect.get(Object.prototype, property);
      }
      return createRpcMember(memberOf(property));
    },
  });
  return service;
}

/**
 * Returns an object with `fetch` as the platform hands out a service: its `fetch` gets a request of the address that the
 * caller has passed. Everything else is the object's own, also what `fetch` gets where that is no address, as in a double
 * that is no service; a value without this method is returned as it is.
 *
 * @param binding Name for messages.
 * @param value Double that a test gives.
 */
export function asService(binding: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (typeof Reflect.get(value, "fetch") !== "function") return value;
  // Of a target of its own, because a proxy may say nothing else of members that cannot change.
  return new Proxy<object>(Object.create(value), {
    get(_target, name) {
      const member: unknown = Reflect.get(value, name);
      if (typeof member !== "function") return member;
      return new Proxy(member as AnyFunction, {
        // A proxy has no private members.
        apply: (method, _this, args: unknown[]) =>
          name === "fetch"
            ? callService(binding, args, (given) => Reflect.apply(method, value, given))
            : Reflect.apply(method, value, args),
      });
    },
    set: (_target, name, given) => Reflect.set(value, name, given),
    ownKeys: () => Reflect.ownKeys(value),
    getOwnPropertyDescriptor(_target, name) {
      const own = Reflect.getOwnPropertyDescriptor(value, name);
      return own && { ...own, configurable: true };
    },
  });
}

/** Calls `fetch` of a double with a request, in place of what one is made of. */
async function callService(
  binding: string,
  args: unknown[],
  fetch: (args: unknown[]) => unknown,
): Promise<unknown> {
  const [input, init] = args as [string | URL | Request, RequestInit?];
  if (typeof input !== "string" && !(input instanceof URL) && !(input instanceof Request)) {
    return await fetch(args);
  }
  if (typeof input === "string" && !URL.canParse(input)) throw noAddress(binding, input);
  return await fetch([new Request(input, init)]);
}

function noAddress(binding: string, input: string): TypeError {
  return new TypeError(
    `env.${binding}.fetch() was called with ${
      JSON.stringify(input)
    }, which is no address: a double with \`fetch\` stands ` +
      "for a service, whose `fetch` gets a Request. Call it with a whole address, such as http://service/path, or give the " +
      "method of a double that is no service another name.",
  );
}

const HANDLERS = Symbol("handlers of an object");

type AnyFunction = (...args: unknown[]) => unknown;

function bound(
  object: object,
  name: string,
  argumentsOf: (given: unknown) => unknown[],
): ((given: unknown) => unknown) | undefined {
  const handler: unknown = Reflect.get(object, name);
  if (typeof handler !== "function") return undefined;
  return (given) => (handler as AnyFunction).apply(object, argumentsOf(given));
}

/** A handler of an entrypoint that is no class: it takes one value, and bindings and context after it. */
function handlerOf(target: object, name: string): RpcReference {
  const call = async (args: unknown[]): Promise<unknown> => {
    const handle = Reflect.get(target, HANDLERS) as AnyFunction;
    if (args.length !== 1) {
      throw new TypeError(
        `Attempted to call RPC function "${name}" with the wrong number of arguments. When calling a ` +
          "top-level handler function that is not declared as part of a class, you must always send exactly " +
          "one argument. In order to support variable numbers of arguments, the server must use class-based " +
          "syntax (extending WorkerEntrypoint) instead.",
      );
    }
    return await handle(name, args[0]);
  };
  return { get: () => call([]), call };
}
