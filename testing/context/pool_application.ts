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
  RpcTarget: AnyClass;
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
  if (worker === undefined && settings.isApplication) return await builtApplication(settings);
  const main = worker === undefined ? settings.main : resolveIn(settings.root, worker);
  if (main === undefined) throw noWorker();
  const owner = main.startsWith(`${settings.root}/`) ? main.slice(settings.root.length + 1) : main;
  return foreign(await import(/* @vite-ignore */ main), owner, platform);
}

async function builtApplication({ main }: PoolSettings): Promise<PoolApplication> {
  const shared = globalThis as Record<symbol, Pool | undefined>;
  const pool: Pool = shared[Symbol.for(POOL_KEY)] ??= {};
  pool.options = { now: scopedNow, deliver: scopedDeliver, onError: noteFailure };
  if (pool.application === undefined) await import(/* @vite-ignore */ main!);
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
