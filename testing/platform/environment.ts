import type { Platform } from "@framework/cli/project";
import { hyperdriveAddress, objectClasses } from "@framework/cli/testing";
import { basename, dirname, resolve } from "node:path";
import { NotEmulatedError, TestingError } from "../errors.ts";
import type { HtmlHandling, NotFoundHandling } from "./asset_paths.ts";
import { createStaticAssets, type StaticAssets } from "./assets.ts";
import { createD1Database } from "./d1.ts";
import { createHyperdrive } from "./hyperdrive.ts";
import { createKvNamespace } from "./kv.ts";
import { createObjectAlarms } from "./durable_object_alarms.ts";
import {
  createObjectNamespace,
  type ObjectClass,
  type ObjectNamespace,
} from "./durable_object_namespace.ts";
import { createQueue, type QueueDouble, type WaitingMessage } from "./queue.ts";
import { createR2Bucket } from "./r2.ts";
import { createRateLimit } from "./rate_limit.ts";
import { createService, type Entrypoint, isEntrypointClass } from "./service.ts";
import { createEmailSender, type SentEmail } from "./send_email.ts";
import type { DatabaseImage } from "./sqlite.ts";
import { closeStored, createStored, type Stored } from "./stored.ts";
import { createWorkflow, type WorkflowClass, type WorkflowDouble } from "./workflow.ts";

/** Parts of one context's bindings. */
export interface EnvironmentParts {
  platform: Platform;
  /** Variables of `.dev.vars`, which override `vars` as in development. */
  secrets: Record<string, string>;
  /** The migrated database of each binding. */
  images: ReadonlyMap<string, DatabaseImage>;
  /** Bindings that the test passes; they override all others. */
  overrides: Record<string, unknown>;
  now(): number;
  /** Called before each use of a binding; throws when the context has ended. */
  guard(): void;
  /** Finds the class of a durable object. */
  objectClass(name: string): Promise<ObjectClass | undefined>;
  /**
   * Finds an export of the worker for its bindings to itself; `default` for the worker. Default: such bindings are
   * refused.
   */
  entrypoint?(name: string): Promise<Entrypoint | undefined>;
  /** Returns the worker's own entrypoints and objects, for `ctx.exports`. Default: none. */
  exports?(): Record<string, unknown>;
  /** Runs work on behalf of the context. */
  run(work: () => Promise<void>): Promise<void>;
  /** Receives background work of durable objects. */
  waitUntil(work: Promise<unknown>): void;
  /** Receives errors of durable objects' alarms. */
  failed(error: unknown): void;
  /** Receives errors of durable objects' handlers of sockets. Default: `waitUntil` has them. */
  socketFailed?(error: unknown): void;
  /**
   * Serves the folder of static files that the platform file names. Default: false, and its binding is refused, because
   * an application of this framework has no files there before it is built.
   */
  servesAssets?: boolean;
  /** Receives mails that are sent by a binding of `send_email`. Default: only the binding's `take()` shows them. */
  emailed?(mail: SentEmail): void;
  /** Data to begin with, which this environment owns. Default: migrated databases, and nothing else. */
  stored?: Stored;
}

/** The bindings of one context. */
export interface Environment {
  env: Record<string, unknown>;
  /** Data that the bindings store. */
  stored: Stored;
  /** The worker's own durable objects by the names of their classes, those without a binding too. */
  objects: ReadonlyMap<string, ObjectNamespace>;
  /** The static files, which are asked before the worker. Missing where none are served. */
  assets?: StaticAssets;
  /** Runs the alarms and the steps of workflows that are due; resolves when none is left. */
  wake(): Promise<void>;
  /** Closes all open connections. */
  close(): void;
}

const EMULATED = new Set([
  "d1_databases",
  "kv_namespaces",
  "r2_buckets",
  "queues",
  "send_email",
  "vars",
]);

type Entry = { readonly [name: string]: unknown };

/** Lists the entries of a kind in the platform file. */
function entriesOf(list: unknown): Entry[] {
  return Array.isArray(list)
    ? list.filter((entry): entry is Entry => typeof entry === "object" && entry !== null)
    : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function textsOf(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : undefined;
}

/** Creates the `env` that the platform file describes, with its own database. */
export function createEnvironment(parts: EnvironmentParts): Environment {
  const { platform, now, guard } = parts;
  const env: Record<string, unknown> = { ...platform.vars, ...parts.secrets };
  const stored = parts.stored ?? createStored();
  const alarms = createObjectAlarms(parts);
  for (const { binding, kind } of otherBindings(platform.raw)) {
    env[binding] = createRefusedBinding(binding, kind);
  }
  for (const { binding } of platform.kvNamespaces) {
    env[binding] = createKvNamespace({
      now,
      guard,
      entries: own(stored.kv, binding, () => new Map()),
    });
  }
  for (const { binding } of platform.r2Buckets) {
    const entries = own(stored.buckets, binding, () => new Map());
    const uploads = own(stored.uploads, binding, () => new Map());
    env[binding] = createR2Bucket({ now, guard, binding, entries, uploads });
  }
  for (const { binding, queue } of sharedQueues(platform, { now, guard, waiting: stored.queues })) {
    env[binding] = queue;
  }
  for (const entry of entriesOf(platform.raw["send_email"])) {
    const binding = textOf(entry["name"]);
    if (binding === undefined) continue;
    env[binding] = createEmailSender({
      now,
      guard,
      rules: {
        destinationAddress: textOf(entry["destination_address"]),
        allowedDestinationAddresses: textsOf(entry["allowed_destination_addresses"]),
        allowedSenderAddresses: textsOf(entry["allowed_sender_addresses"]),
      },
      sent: own(stored.emails, binding, () => []),
      emailed: parts.emailed,
    });
  }
  for (const entry of entriesOf(platform.raw["ratelimits"])) {
    const binding = textOf(entry["name"]);
    const { limit, period } = (entry["simple"] ?? {}) as { limit?: number; period?: number };
    if (binding === undefined || limit === undefined || period === undefined) continue;
    // Bindings of one namespace count together.
    const namespace = textOf(entry["namespace_id"]) ?? binding;
    const state = own(stored.limits, namespace, () => ({ period: 0, counts: new Map() }));
    env[binding] = createRateLimit({ now, guard, limit, period, state });
  }
  for (const [binding, image] of parts.images) {
    const sqlite = own(stored.databases, binding, () => image.open());
    env[binding] = createD1Database(sqlite, { guard });
  }
  for (const entry of entriesOf(platform.raw["services"])) {
    const { binding, load } = serviceOf(entry, parts);
    if (binding === undefined || load === undefined) continue;
    const props = entry["props"] as Record<string, unknown> | undefined;
    const { waitUntil, exports } = parts;
    env[binding] = createService({
      ...parts,
      binding,
      load,
      env,
      ...(props && { props }),
      contextOf: (props) => ({
        waitUntil,
        passThroughOnException: () => {},
        props,
        exports: exports?.() ?? {},
      }),
    });
  }
  for (const entry of entriesOf(platform.raw["hyperdrive"])) {
    const [binding, address] = [textOf(entry["binding"]), hyperdriveAddress(entry)];
    if (binding === undefined || address === undefined) continue;
    env[binding] = createHyperdrive(binding, address);
  }
  const workflows: WorkflowDouble[] = [];
  for (const entry of entriesOf(platform.raw["workflows"])) {
    const binding = textOf(entry["binding"]);
    const className = textOf(entry["class_name"]);
    const script = textOf(entry["script_name"]) ?? platform.name;
    if (binding === undefined || className === undefined || script !== platform.name) continue;
    const name = textOf(entry["name"]) ?? binding;
    const workflow = createWorkflow({
      ...parts,
      binding,
      name,
      env,
      load: async () => await workflowClass(parts, className),
      records: own(stored.workflows, name, () => new Map()),
    });
    workflows.push(workflow);
    env[binding] = workflow.binding;
  }
  const assets = parts.servesAssets ? assetsOf(platform) : undefined;
  if (assets !== undefined && platform.assets?.binding !== undefined) {
    const { fetch } = assets;
    env[platform.assets.binding] = { fetch };
  }
  // Two bindings of one class share its objects.
  const namespaces = new Map<string, ObjectNamespace>();
  const contained = entriesOf(platform.raw["containers"]).map((entry) => entry["class_name"]);
  const namespaceOf = (className: string, binding: string): ObjectNamespace => {
    const namespace = namespaces.get(className) ?? createObjectNamespace({
      ...parts,
      binding,
      className,
      env,
      alarms,
      hasContainer: contained.includes(className),
      load: async () => await parts.objectClass(className) ?? noClass(platform, className),
      records: own(stored.objects, className, () => new Map()),
    });
    namespaces.set(className, namespace);
    return namespace;
  };
  for (const { name: binding, className, scriptName } of platform.durableObjects) {
    if (scriptName !== undefined && scriptName !== platform.name) continue;
    env[binding] = namespaceOf(className, binding);
  }
  for (const { className } of objectClasses(platform.raw)) namespaceOf(className, className);
  for (const [name, value] of Object.entries(parts.overrides)) {
    // A class in the place of a binding is the other worker's entrypoint.
    env[name] = isEntrypointClass(value)
      ? createService({ ...parts, binding: name, load: () => Promise.resolve(value), env })
      : value;
  }
  return {
    env,
    stored,
    objects: namespaces,
    ...(assets === undefined ? {} : { assets }),
    async wake() {
      await alarms.wake();
      for (const workflow of workflows) await workflow.wake();
    },
    close: () => closeStored(stored),
  };
}

/** Returns the value of a name, which is made at the first call. */
function own<T>(values: Map<string, T>, name: string, make: () => T): T {
  const value = values.get(name) ?? make();
  values.set(name, value);
  return value;
}

function noClass({ file }: Platform, className: string): never {
  throw new TestingError(
    "NO_CLASS",
    `${
      basename(file)
    } binds the durable object ${className}, but no file of app/objects exports it. Add a ` +
      `file there with \`export class ${className}\`.`,
  );
}

function assetsOf(platform: Platform): StaticAssets | undefined {
  const { assets, raw, file, compatibilityDate, compatibilityFlags } = platform;
  if (assets?.directory === undefined) return undefined;
  const settings = raw["assets"] as Entry;
  return createStaticAssets({
    directory: resolve(dirname(file), assets.directory),
    htmlHandling: textOf(settings["html_handling"]) as HtmlHandling | undefined,
    notFoundHandling: textOf(settings["not_found_handling"]) as NotFoundHandling | undefined,
    runWorkerFirst: settings["run_worker_first"] as boolean | string[] | undefined,
    compatibilityDate,
    compatibilityFlags,
  });
}

async function workflowClass(parts: EnvironmentParts, name: string): Promise<WorkflowClass> {
  const found = await parts.entrypoint?.(name) ?? await parts.objectClass(name);
  if (typeof found === "function") return found as unknown as WorkflowClass;
  throw new TestingError(
    "NO_CLASS",
    `${basename(parts.platform.file)} binds the workflow ${name}, but nothing exports it. Add ` +
      `\`export class ${name} extends WorkflowEntrypoint\` to the worker, or to a file of app/objects.`,
  );
}

/** Finds what a service binding reaches, if that is the worker itself. */
function serviceOf(
  entry: Entry,
  { platform, entrypoint }: EnvironmentParts,
): { binding: string | undefined; load?: () => Promise<Entrypoint> } {
  const binding = textOf(entry["binding"]);
  if (entrypoint === undefined || entry["service"] !== platform.name) return { binding };
  const name = textOf(entry["entrypoint"]) ?? "default";
  return {
    binding,
    load: async () => await entrypoint(name) ?? noEntrypoint(platform, `${binding}`, name),
  };
}

function noEntrypoint({ file }: Platform, binding: string, name: string): never {
  throw new TestingError(
    "NO_CLASS",
    `${
      basename(file)
    } binds ${binding} to the entrypoint ${name} of the worker itself, which does ` +
      `not export it. Add \`export class ${name} extends WorkerEntrypoint\`.`,
  );
}

/** Creates the queues; bindings of the same queue share one. */
export function sharedQueues(
  platform: Platform,
  options: { now: () => number; guard?: () => void; waiting?: Stored["queues"] },
): { binding: string; queue: QueueDouble }[] {
  const { waiting = new Map<string, WaitingMessage[]>(), ...rest } = options;
  const queues = new Map<string, QueueDouble>();
  return platform.queues.producers.map(({ binding, queue: name }) => {
    const queue = queues.get(name) ??
      createQueue({ ...rest, waiting: own(waiting, name, () => []) });
    queues.set(name, queue);
    return { binding, queue };
  });
}

/** Lists the bindings of the platform file whose kind is not emulated. */
export function otherBindings(raw: Platform["raw"]): { binding: string; kind: string }[] {
  return Object.entries(raw).flatMap(([kind, value]) => {
    if (EMULATED.has(kind) || typeof value !== "object" || value === null) return [];
    // A list of bindings, one binding, or an object of lists (queues, durable_objects).
    const entries = Array.isArray(value)
      ? value
      : [value, ...Object.values(value).filter(Array.isArray).flat()];
    return entries.flatMap((entry) => {
      if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return [];
      const name = entry["binding"] ?? (NAMED.has(kind) ? entry["name"] : undefined);
      return typeof name === "string" ? [{ binding: name, kind }] : [];
    });
  });
}

/** Kinds that write the binding's name under `name`. */
const NAMED = new Set(["durable_objects", "ratelimits"]);

/** Creates a stand-in for a declared binding that is not emulated; its first use throws. */
function createRefusedBinding(binding: string, kind: string): object {
  const refuse = (_target: object, property: string | symbol): never | undefined => {
    // Printing the env, awaiting it or asking what it is does not use the binding.
    if (typeof property === "symbol" || property === "then" || property === "toJSON") {
      return undefined;
    }
    throw new NotEmulatedError(binding, kind);
  };
  return new Proxy({}, { get: refuse });
}
