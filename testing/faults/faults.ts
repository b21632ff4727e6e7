import { TestingError } from "../errors.ts";

/**
 * Fault of a binding that stores: "slow" answers after a delay, "down" fails before anything is done, "answer lost" does
 * the work and then fails, and "stale" reads what was stored when the fault began, where the platform may do so.
 */
export type StorageFault = "slow" | "down" | "answer lost" | "stale";

/** Fault of the network to other servers: "slow", "down", or "answer lost" after the server did its work. */
export type NetworkFault = Exclude<StorageFault, "stale">;

/** Options for `ctx.faults()`, and for `begin()` of fault doubles. */
export interface FaultOptions {
  /**
   * Fault of everything that stores (bindings of D1, KV, R2, queues and durable objects, PostgreSQL, doubles of
   * `createFaultDoubles()`), or of some by their names: `{ CACHE: "down" }`. "stale" applies to reads of KV, to those of D1
   * in a session of `withSession("first-unconstrained")` until that session writes, and to the `reads` of a double. Default:
   * none.
   */
  storage?: StorageFault | Readonly<Record<string, StorageFault>>;
  /** Fault of the application's requests to other servers. Default: none. */
  network?: NetworkFault;
  /**
   * Milliseconds by which the application's clock is ahead of that of the test; negative when it is behind, as that of
   * another server may be. Default 0.
   */
  clockSkew?: number;
  /** Real time by which "slow" delays, in milliseconds. Default 100. */
  delay?: number;
  /** Number of exchanges that succeed before the first one is faulty. Default 0. */
  after?: number;
  /** Number of exchanges that are faulty. Default: all until `heal()`. */
  times?: number;
}

/** Faults that have begun. */
export interface Faults {
  /** Number of exchanges that were faulty so far. */
  readonly count: number;
  /** Ends the faults, and what they delay now. Calling it again does nothing. */
  heal(): void;
  /** The same as `heal`, for `using`. */
  [Symbol.dispose](): void;
}

/** Exchange of the application with a binding. */
export interface Exchange<Double, T> {
  /** Name of the binding. */
  binding: string;
  /** Method of the binding. */
  operation: string;
  /** Statement, key or the like. */
  detail(): string;
  /** True for a call of a durable object, whose result is more than a promise. */
  isCall: boolean;
  /** True for reads that the platform may answer with older data. */
  mayBeStale: boolean;
  /** Creates the error of an exchange that fails, in the platform's words. */
  error(): Error;
  /** Does the work. */
  run(double: Double): Promise<T>;
}

/** Faults of one context. */
export interface FaultControl {
  /** Begins faults. */
  begin(options: FaultOptions): Faults;
  /** Milliseconds by which the application's clock is ahead. */
  skew(): number;
  /** Does an exchange, or has it fail. */
  exchange<Double, T>(exchange: Exchange<Double, T>, double: Double): Promise<T>;
  /** Returns true for an error that a fault has caused: the test asked for it. */
  isCause(error: unknown): boolean;
  /** Sends a request to another server, or has it fail. */
  call(send: () => Promise<Response>): Promise<Response>;
  /** Heals all faults. */
  end(): void;
}

/** Something that stores, by its name. */
export interface Faulty {
  name: string;
  /** True when "stale" has reads of it be answered with older data. */
  mayBeStale: boolean;
}

/** A fault that has begun. */
interface Running {
  options: FaultOptions;
  /** Bindings with the data of the moment at which the fault began. */
  old?: Readonly<Record<string, unknown>>;
  seen: number;
  count: number;
  /** Ends of what is slow now. */
  waits: Set<() => void>;
}

/** All options, so that the compiler holds the list to their type. */
const OPTIONS: Readonly<Record<keyof FaultOptions, true>> = {
  storage: true,
  network: true,
  clockSkew: true,
  delay: true,
  after: true,
  times: true,
};
const STORAGE: readonly StorageFault[] = ["slow", "down", "answer lost", "stale"];
const NETWORK: readonly NetworkFault[] = ["slow", "down", "answer lost"];

// Taken before a test installs fake timers, under which nothing slow would ever end.
const { setTimeout, clearTimeout } = globalThis;

const KEY: unique symbol = Symbol.for("framework.test.faults");
// Of all faults: a context may run an application whose own doubles fail. On the global object, because a runner may load
// this package twice.
const shared = globalThis as { [KEY]?: WeakSet<Error> };
const caused = shared[KEY] ??= new WeakSet<Error>();

/**
 * Creates faults, none at first.
 *
 * @param parts `stores`: what stores, which may grow; `copy`: creates it again over a copy of what is stored; `nothing`:
 * advice for who asks for a fault of the storage where nothing stores.
 */
export function createFaults(
  { stores, copy, nothing }: {
    stores: readonly Faulty[];
    copy(): Readonly<Record<string, unknown>>;
    nothing: string;
  },
): FaultControl {
  const running = new Set<Running>();

  function noted(error: () => Error): () => Error {
    return () => {
      const thrown = error();
      caused.add(thrown);
      return thrown;
    };
  }

  /** Finds the newest fault that concerns an exchange, and counts it there. */
  function find<Kind extends string>(
    kindOf: (options: FaultOptions) => Kind | undefined,
  ): { kind: Kind; fault: Running } | undefined {
    for (const fault of [...running].reverse()) {
      const kind = kindOf(fault.options);
      if (kind === undefined) continue;
      const { after = 0, times = Infinity } = fault.options;
      if (fault.seen++ < after || fault.count >= times) continue;
      fault.count++;
      return { kind, fault };
    }
    return undefined;
  }

  function endFault(fault: Running): void {
    running.delete(fault);
    for (const end of fault.waits) end();
  }

  return {
    begin(options) {
      check(options, { stores, nothing });
      const { storage } = options;
      const isStale = (typeof storage === "object" ? Object.values(storage) : [storage])
        .includes("stale");
      const fault: Running = {
        options: { ...options },
        ...(isStale ? { old: copy() } : {}),
        seen: 0,
        count: 0,
        waits: new Set(),
      };
      running.add(fault);
      const heal = () => endFault(fault);
      return {
        get count() {
          return fault.count;
        },
        heal,
        [Symbol.dispose]: heal,
      };
    },
    skew: () => [...running].reduce((sum, { options }) => sum + (options.clockSkew ?? 0), 0),
    exchange({ binding, mayBeStale, error, run }, double) {
      const found = find(({ storage }) => {
        const kind = typeof storage === "object" ? storage[binding] : storage;
        return kind === "stale" && !mayBeStale ? undefined : kind;
      });
      // As it is: a result of a durable object is more than a promise.
      if (found === undefined) return run(double);
      if (found.kind === "stale") return run(found.fault.old![binding] as typeof double);
      return suffer(found, () => run(double), noted(error));
    },
    isCause(error) {
      for (let at = error; at instanceof Error; at = at.cause) if (caused.has(at)) return true;
      return false;
    },
    end() {
      for (const fault of running) endFault(fault);
    },
    async call(send) {
      const found = find(({ network }) => network);
      if (found === undefined) return await send();
      return await suffer(found, send, noted(() => new TypeError("Network connection lost.")));
    },
  };
}

/** Waits for the delay of a fault, or until it is healed. */
async function wait({ options, waits }: Running): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, options.delay ?? 100);
  waits.add(resolve);
  await promise;
  waits.delete(resolve);
  clearTimeout(timer);
}

async function suffer<T>(
  found: { kind: StorageFault; fault: Running },
  work: () => Promise<T>,
  error: () => Error,
): Promise<T> {
  if (found.kind === "down") throw error();
  if (found.kind === "slow") await wait(found.fault);
  const answer = await work();
  if (found.kind === "answer lost") throw error();
  return answer;
}

function check(
  options: FaultOptions,
  { stores, nothing }: { stores: readonly Faulty[]; nothing: string },
): void {
  const { storage, network } = options;
  const wrong = (name: string, given: unknown, expected: string) =>
    new TestingError(
      "OPTIONS",
      `faults() was given ${name} ${JSON.stringify(given) ?? String(given)}. Pass ${expected}.`,
    );
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(OPTIONS, name));
  if (unknown !== undefined) {
    throw wrong("the option", unknown, `some of ${Object.keys(OPTIONS).join(", ")}`);
  }
  const named = typeof storage === "object" ? Object.entries(storage) : [];
  for (const [name, kind] of named) {
    const found = stores.find((store) => store.name === name);
    if (found === undefined) {
      const known = stores.map((store) => store.name).join(", ");
      throw wrong("the name", name, known === "" ? `none: ${nothing}` : `one of ${known}`);
    }
    if (!STORAGE.includes(kind)) throw wrong(`storage.${name}`, kind, listed(STORAGE));
    if (kind === "stale" && !found.mayBeStale) {
      throw wrong(`storage.${name}`, kind, `another one: ${name} never reads older data`);
    }
  }
  if (storage !== undefined && typeof storage !== "object") {
    if (!STORAGE.includes(storage)) throw wrong("storage", storage, listed(STORAGE));
    // It would have no effect, and a test of it would pass.
    if (stores.length === 0) throw wrong("storage", storage, `none: ${nothing}`);
    if (storage === "stale" && !stores.some(({ mayBeStale }) => mayBeStale)) {
      throw wrong("storage", storage, "another one: nothing here reads older data");
    }
  }
  if (network !== undefined && !NETWORK.includes(network)) {
    throw wrong("network", network, listed(NETWORK));
  }
  for (const name of ["delay", "after", "times"] as const) {
    const value = options[name];
    if (value !== undefined && !(value >= 0)) throw wrong(name, value, "a number from 0");
  }
  const { clockSkew = 0 } = options;
  if (!Number.isFinite(clockSkew)) throw wrong("clockSkew", clockSkew, "milliseconds");
}

function listed(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(", ");
}
