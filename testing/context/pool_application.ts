// Runs in the worker pool: nothing may be imported that needs files or programs.
import type { Auth } from "@framework/auth";
import { TestingError } from "../errors.ts";
import { markRpcTarget } from "../platform/cloudflare_workers.ts";
import type { Entrypoint } from "../platform/service.ts";
import { type FetchApplication, type Handlers, handlersOf } from "./handlers.ts";
import { notConfigured, type PoolSettings } from "./pool.ts";
import { type Pool, POOL_KEY } from "./pool_hooks.ts";
import { noteFailure, scopedDeliver, scopedNow } from "./scope.ts";

/** Application that a context in the pool runs. */
export interface PoolApplication {
  worker: Handlers;
  auth: Auth<unknown> | null;
  /** True for a worker or handler without `app/`. */
  isForeign: boolean;
  /** Name of the worker's file, for messages. */
  owner: string;
  /** Finds a named export of the worker. */
  entrypoint(name: string): Entrypoint | undefined;
}

/** Worker that a test asks to run in the place of the configured worker. */
export interface GivenApplication {
  worker?: string | Record<string, unknown> | undefined;
  handler?: FetchApplication | undefined;
}

/** Classes of the platform's own module. */
export interface PlatformModule {
  WorkerEntrypoint: AnyClass;
  DurableObject: AnyClass;
  WorkflowEntrypoint: AnyClass;
  RpcTarget: AnyClass;
  /** The worker's own entrypoints and objects; older versions have none. */
  exports?: Record<string, unknown>;
  /** Runs a function for which `env` of this module is another one; older versions have none. */
  withEnv?<T>(env: object, work: () => T): T;
}

/** Imports `cloudflare:workers` of the runtime. */
export async function importPlatform(): Promise<PlatformModule> {
  // Not a literal: outside of the pool the name stands for this package's own module.
  const name = ["cloudflare", "workers"].join(":");
  return await import(/* @vite-ignore */ name);
}

/**
 * Loads the worker of the pool's configuration, or the one that the test names.
 *
 * @throws {TestingError} `POOL` when nothing names a worker.
 */
export async function loadPoolApplication(
  settings: PoolSettings,
  { worker, handler }: GivenApplication,
  platform: PlatformModule,
): Promise<PoolApplication> {
  if (handler !== undefined) return foreign({ default: handler }, "The handler", platform);
  if (typeof worker === "object") {
    return foreign(worker, "The module that worker names", platform);
  }
  if (worker === undefined && settings.isApplication) {
    return await builtApplication(settings, platform);
  }
  const main = worker === undefined ? settings.main : resolveIn(settings.root, worker);
  if (main === undefined) throw noWorker();
  const owner = main.startsWith(`${settings.root}/`) ? main.slice(settings.root.length + 1) : main;
  return foreign(await import(/* @vite-ignore */ main), owner, platform);
}

async function builtApplication(
  { main }: PoolSettings,
  platform: PlatformModule,
): Promise<PoolApplication> {
  const shared = globalThis as Record<symbol, Pool | undefined>;
  const pool: Pool = shared[Symbol.for(POOL_KEY)] ??= {};
  pool.options = { now: scopedNow, deliver: scopedDeliver, onError: noteFailure };
  adoptModule(await import(/* @vite-ignore */ main!), platform);
  if (pool.application === undefined) throw notConfigured();
  const { worker, auth } = pool.application;
  return {
    worker: worker as Handlers,
    auth,
    isForeign: false,
    owner: "The application",
    entrypoint: () => undefined,
  };
}

function foreign(
  module: Record<string, unknown>,
  owner: string,
  platform: PlatformModule,
): PoolApplication {
  for (const type of [platform.WorkerEntrypoint, platform.RpcTarget]) mark(type);
  const entrypoint = module["default"];
  adoptModule(module, platform);
  openConstructor(entrypoint, platform);
  return {
    worker: handlersOf(entrypoint),
    auth: null,
    isForeign: true,
    owner,
    entrypoint(name) {
      const found = name === "default" ? entrypoint : module[name];
      if (typeof found !== "function" && (typeof found !== "object" || found === null)) {
        return undefined;
      }
      openConstructor(found, platform);
      return found;
    },
  };
}

// deno-lint-ignore no-explicit-any -- classes with constructors of every kind.
type AnyClass = new (...args: any[]) => object;

const marked = new WeakSet<AnyClass>();

function mark(type: AnyClass): void {
  if (marked.has(type)) return;
  marked.add(type);
  markRpcTarget(type);
}

/** Constructor in the place of the platform's base class: a function, so that each class keeps its own prototype. */
const OpenEntrypoint = function (this: { ctx: unknown; env: unknown }, ctx: unknown, env: unknown) {
  this.ctx = ctx;
  this.env = env;
};

/**
 * Puts {@linkcode OpenEntrypoint} below a class of entrypoints: the platform's own constructor takes no context but one
 * that the runtime has made. Its instances remain those of the platform's class.
 */
function openConstructor(type: unknown, { WorkerEntrypoint }: PlatformModule): void {
  if (typeof type !== "function") return;
  for (let each = type; typeof each === "function"; each = Object.getPrototypeOf(each)) {
    if (Object.getPrototypeOf(each) === WorkerEntrypoint) {
      return void Object.setPrototypeOf(each, OpenEntrypoint);
    }
  }
}

/** Runs work on behalf of the open context. */
type Adopt = <T>(work: () => T) => T;

let adopt: Adopt = (work) => work();

/** Sets who adopts what the platform itself starts: durable objects, consumers of queues, workflows. */
export function setAdoption(given: Adopt = (work) => work()): void {
  adopt = given;
}

const EVENTS = ["fetch", "queue", "scheduled", "email"];
const adopted = new WeakSet<object>();

function adoptModule(module: Record<string, unknown>, platform: PlatformModule): void {
  for (const exported of Object.values(module)) adoptClass(exported, platform);
  const entrypoint = module["default"];
  if (typeof entrypoint === "object" && entrypoint !== null) adoptMethods(entrypoint, EVENTS);
}

function adoptClass(
  type: unknown,
  { WorkerEntrypoint, DurableObject, WorkflowEntrypoint }: PlatformModule,
): void {
  const bases = [WorkerEntrypoint, DurableObject, WorkflowEntrypoint];
  if (typeof type !== "function" || !bases.some((base) => type.prototype instanceof base)) return;
  for (
    let each = type.prototype;
    !bases.some((base) => each === base.prototype);
    each = Object.getPrototypeOf(each)
  ) {
    const isWorkflow = each instanceof WorkflowEntrypoint;
    adoptMethods(each, Object.getOwnPropertyNames(each), isWorkflow);
  }
}

function adoptMethods(target: object, names: readonly string[], isWorkflow = false): void {
  if (adopted.has(target)) return;
  adopted.add(target);
  for (const name of names) {
    const { value: method, writable } = Object.getOwnPropertyDescriptor(target, name) ?? {};
    if (name === "constructor" || typeof method !== "function" || !writable) continue;
    const isRun = isWorkflow && name === "run";
    Reflect.set(target, name, function (this: unknown, ...args: unknown[]) {
      return adopt(() => Reflect.apply(method, this, isRun ? withSteps(args) : args));
    });
  }
}

/** Arguments of a workflow's `run()`: functions that are given to its steps are called by the platform. */
function withSteps([event, step, ...others]: unknown[]): unknown[] {
  if (step === undefined) return [event];
  const adoptive = new Proxy({}, {
    get: (_target, name) =>
      typeof name === "symbol" || name === "then" ? undefined : (...args: unknown[]) => {
        const steps = step as Record<string, (...args: unknown[]) => unknown>;
        return steps[name]!(...args.map(adoptFunction));
      },
  });
  return [event, adoptive, ...others];
}

function adoptFunction(given: unknown): unknown {
  if (typeof given !== "function") return given;
  return (...args: unknown[]) => adopt(() => given(...args));
}

function resolveIn(root: string, path: string): string {
  return path.startsWith("/") ? path : new URL(path, `file://${root}/`).pathname;
}

function noWorker(): TestingError {
  return new TestingError(
    "POOL",
    "The worker's module is not known: neither the pool's options nor the platform file that they name have a main. " +
      'Add it to one of them, or pass it: createTestContext({ worker: "./src/index.ts" }).',
  );
}
