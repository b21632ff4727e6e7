import { isRpcTarget } from "../cloudflare/rpc_target.ts";
import { copyRpcValue, copyThrown } from "./rpc_values.ts";

/** Something on the other side, which can be asked for and called. */
export interface RpcReference {
  get(): Promise<unknown>;
  call(args: unknown[]): Promise<unknown>;
}

const RESERVED = new Set([
  "alarm",
  "webSocketMessage",
  "webSocketClose",
  "webSocketError",
]);

/**
 * What a caller holds of a member: a function to call, and a promise of what stands there, so that
 * `await stub.room().members.count()` is one chain.
 */
export function createRpcMember(reference: RpcReference): unknown {
  return new Proxy(function () {}, {
    get: (_target, property) => follow(reference, property),
    apply: (_target, _self, args) => createResult(reference.call(args)),
  });
}

/** What a call comes to: a promise, of whose result members can be asked before it is there. */
function createResult(result: Promise<unknown>): unknown {
  const reference = { get: () => result, call: () => result };
  return new Proxy({}, { get: (_target, property) => follow(reference, property) });
}

function follow(reference: RpcReference, property: string | symbol): unknown {
  if (property === "then" || property === "catch" || property === "finally") {
    const promise = reference.get();
    return promise[property].bind(promise);
  }
  if (property === Symbol.toStringTag) return "Promise";
  if (typeof property === "symbol") return undefined;
  return createRpcMember(propertyOf(reference, property));
}

function propertyOf(owner: RpcReference, property: string): RpcReference {
  const get = async () => (await owner.get() as Record<string, unknown>)[property];
  return {
    get,
    call: async (args) => {
      const held = await owner.get() as Record<string, (...args: unknown[]) => unknown>;
      return await held[property]!(...args);
    },
  };
}

/** What stands for an `RpcTarget` on the other side. */
export function createRpcStub(target: object): object {
  return new Proxy({}, {
    get(_target, property) {
      if (property === Symbol.dispose) return () => {};
      if (typeof property === "symbol" || property === "then") return undefined;
      return createRpcMember(remoteMember(target, property));
    },
  });
}

/** A member of an object on the other side. */
export function remoteMember(target: object, name: string): RpcReference {
  return {
    get: () => remotely(() => copyRpcValue(memberOf(target, name), createRpcStub)),
    call: (args) =>
      remotely(async () => {
        const given = args.map((arg) => copyRpcValue(arg, createRpcStub));
        const member = memberOf(target, name);
        if (typeof member !== "function") throw new TypeError(`"${name}" is not a function.`);
        return copyRpcValue(await member.apply(target, given), createRpcStub);
      }),
  };
}

async function remotely(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    throw copyThrown(error);
  }
}

/** What the class declares; what an instance was given in its constructor is its own affair. */
function memberOf(target: object, name: string): unknown {
  if (!isRpcTarget(target)) {
    throw new TypeError(
      "The receiving Durable Object does not support RPC, because its class was not declared with " +
        "`extends DurableObject`. In order to enable RPC, make sure your class extends the special " +
        'class `DurableObject`, which can be imported from the module "cloudflare:workers".',
    );
  }
  if (RESERVED.has(name)) {
    throw new TypeError(`'${name}' is a reserved method and cannot be called over RPC.`);
  }
  if (Object.hasOwn(target, name) || !(name in target) || name in Object.prototype) {
    throw new TypeError(`The RPC receiver does not implement the method "${name}".`);
  }
  return Reflect.get(target, name);
}
