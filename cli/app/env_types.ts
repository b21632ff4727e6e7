import { existsSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { Platform } from "../platform/wrangler_file.ts";
import { findPackage } from "../tools/packages.ts";
import { readModuleNames } from "./exports.ts";
import type { AppScan } from "./scan.ts";

/** Entry whose types are used and augmented. */
export const OWN: string = "@framework/cli/runtime";

/** Type names of each kind of binding: the platform's, and the framework's. */
const KINDS = {
  database: { platform: "D1Database", own: "SqlDatabase", from: "@framework/auth/storage" },
  keyValue: { platform: "KVNamespace", own: "KeyValueNamespace", from: OWN },
  bucket: { platform: "R2Bucket", own: "ObjectBucket", from: OWN },
  queue: { platform: "Queue", own: "QueueProducer", from: OWN },
  object: { platform: "DurableObjectNamespace", own: "DurableObjectNamespace", from: OWN },
  assets: { platform: "Fetcher", own: "AssetFetcher", from: OWN },
  mail: { platform: "SendEmail", own: "SendEmail", from: OWN },
  service: { platform: "Fetcher", own: "ServiceFetcher", from: OWN },
} as const;

type Kind = keyof typeof KINDS;

/** Source text of the type of the environment. */
export interface EnvTypes {
  /** Lines before everything else. */
  references: string[];
  imports: string[];
  /** Members of the interface. */
  members: string[];
  /** Declarations that the members use. */
  helpers: string[];
  /** Text of {@linkcode PLATFORM_FILE}; null when the project has the platform's own types. */
  platform: string | null;
}

/** Project whose environment is described. */
export interface EnvSource {
  /** Absolute path of the project. */
  root: string;
  /** Absolute path of the folder of the generated file. */
  folder: string;
  /** The application's files, if it has any. */
  scan: AppScan | undefined;
  /** Binding of a database that is PostgreSQL, which no platform declares. Default: none. */
  postgres?: string | undefined;
}

/**
 * Returns the bindings and variables of the platform file and the secrets as the source text of a
 * type. Its names are the platform's own where the project has them: imported types would differ from
 * the globals, so that a response would not accept a bucket's stream.
 */
export function envTypes(
  platform: Platform,
  { root, folder, scan, postgres }: EnvSource,
): EnvTypes {
  const source = platformTypes(root);
  const objects = classFiles(scan?.objects ?? [], folder);
  const queues = handlerFiles(scan?.queues ?? {}, folder);
  const { required, optional } = secretNames(root);
  const fields = new Map<string, string>();
  const imports = new Map<string, Set<string>>();

  function add(name: string, kind: Kind, argument?: string): void {
    const { platform: platformName, own, from } = KINDS[kind];
    const type = source === null ? own : platformName;
    fields.set(name, argument === undefined ? type : `${type}<${argument}>`);
    if (source === null) imports.set(from, (imports.get(from) ?? new Set()).add(own));
  }

  for (const { binding } of platform.d1Databases) add(binding, "database");
  if (postgres !== undefined) {
    const { own, from } = KINDS.database;
    fields.set(postgres, own);
    imports.set(from, new Set([own]));
  }
  for (const { binding } of platform.kvNamespaces) add(binding, "keyValue");
  for (const { binding } of platform.r2Buckets) add(binding, "bucket");
  let hasBodies = false;
  for (const { binding, queue } of platform.queues.producers) {
    const file = queues[queue];
    hasBodies ||= file !== undefined;
    add(binding, "queue", file && `Body<typeof import(${JSON.stringify(file)}).queue>`);
  }
  for (const { name, className } of platform.durableObjects) {
    const file = objects[className];
    add(name, "object", file && `import(${JSON.stringify(file)}).${className}`);
  }
  if (platform.assets?.binding !== undefined) add(platform.assets.binding, "assets");
  for (const name of namesOf(platform.raw["send_email"], "name")) add(name, "mail");
  for (const name of namesOf(platform.raw["services"], "binding")) add(name, "service");
  for (const [name, value] of Object.entries(platform.vars)) fields.set(name, typeOf(value));
  for (const name of required) if (!fields.has(name)) fields.set(name, "string");
  const members = [...fields].map(([name, type]) => `  ${propertyName(name)}: ${type};`);
  for (const name of optional) if (!fields.has(name)) members.push(`  ${name}?: string;`);

  return {
    references: source === "@cloudflare/workers-types"
      ? [`/// <reference types="${source}" />`]
      : source === null
      ? [`/// <reference path="./${PLATFORM_FILE}" />`]
      : [],
    imports: [...imports].sort(([a], [b]) => a < b ? -1 : 1).map(([module, names]) =>
      `import type { ${[...names].sort().join(", ")} } from "${module}";`
    ),
    members: members.sort(),
    helpers: hasBodies ? ["", BODY] : [],
    platform: source === null ? PLATFORM_TEXT : null,
  };
}

/**
 * Source of the type of a message body. It uses the parameters only, because a handler's result may
 * depend on the bindings that it receives.
 */
const BODY = `/** Body of the messages that a handler takes. */
type Body<Handler extends (...args: never[]) => unknown> =
  Parameters<Handler>[0] extends readonly { readonly body: infer B }[] ? B : unknown;`;

/** File name of the declarations for projects without the platform's types. */
export const PLATFORM_FILE = "platform.d.ts";

/** First line of a generated file. */
export const HEADER = "// Generated by framework. Do not edit.";

/** Returns a name as a property, quoted when necessary. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** Returns the names of bindings that the commands themselves do not use, and which nothing has checked. */
function namesOf(entries: unknown, key: string): string[] {
  return [entries].flat().flatMap((entry) => {
    const name: unknown = (entry as Record<string, unknown> | null | undefined)?.[key];
    return typeof name === "string" ? [name] : [];
  });
}

/** Returns the type of a variable: text, or JSON that the platform has parsed. */
function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) {
    const types = new Set(value.map(typeOf));
    return types.size === 0 ? "unknown[]" : `(${[...types].join(" | ")})[]`;
  }
  if (typeof value !== "object") return typeof value;
  const fields = Object.entries(value).map(([key, item]) =>
    `${propertyName(key)}: ${typeOf(item)}`
  );
  return fields.length === 0 ? "Record<string, never>" : `{ ${fields.join("; ")} }`;
}

/**
 * Declarations of the platform's module and globals that the framework's types refer to, for
 * projects with neither the output of `wrangler types` nor `@cloudflare/workers-types`.
 */
const PLATFORM_TEXT = `${HEADER}
// With \`npx wrangler types\` this file goes, and the platform's complete types are in its place.

declare module "cloudflare:workers" {
  import type { DurableObjectHandlers, DurableObjectState } from "@framework/cli/runtime";

  export interface DurableObject<Env = import("@framework/cli/runtime").Env>
    extends DurableObjectHandlers {}
  /** Base of durable objects whose methods can be called through their stubs. */
  export abstract class DurableObject<Env = import("@framework/cli/runtime").Env> {
    constructor(ctx: DurableObjectState, env: Env);
    /** The object's state: storage, alarms and sockets. */
    readonly ctx: DurableObjectState;
    /** The bindings and variables of the worker. */
    readonly env: Env;
  }

  export interface WorkerEntrypoint<Env = import("@framework/cli/runtime").Env>
    extends Pick<DurableObjectHandlers, "fetch"> {}
  /** Base of named entrypoints, which other workers call by a service binding. */
  export abstract class WorkerEntrypoint<Env = import("@framework/cli/runtime").Env> {
    constructor(ctx: { waitUntil(work: Promise<unknown>): void }, env: Env);
    /** Takes work that goes on after the answer. */
    readonly ctx: { waitUntil(work: Promise<unknown>): void };
    /** The bindings and variables of the worker. */
    readonly env: Env;
  }

  /** Base of objects that stay where they were made, and are called from elsewhere. */
  export abstract class RpcTarget {}

  /** The bindings and variables of the worker. */
  export const env: import("@framework/cli/runtime").Env;
}

/** Two ends of a connection: one for the answer, one for the worker. */
declare var WebSocketPair: {
  new (): { 0: WebSocket; 1: WebSocket };
  readonly prototype: { 0: WebSocket; 1: WebSocket };
};

interface WebSocket {
  /** Begins to deliver events to this end. */
  accept(): void;
  /** Keeps a value of at most 16,384 bytes with the socket while the object sleeps. */
  serializeAttachment(value: unknown): void;
  /** The value that was kept last; null when there is none. */
  deserializeAttachment(): unknown;
}

interface ResponseInit {
  /** One end of a pair, for an answer with status 101. */
  webSocket?: WebSocket | null;
}

interface Response {
  /** The end of a pair that the answer has with status 101. */
  readonly webSocket: WebSocket | null;
}
`;

/**
 * Finds the source of the platform's types; `wrangler types` writes them for the project's
 * compatibility date.
 */
function platformTypes(root: string): "wrangler" | "@cloudflare/workers-types" | null {
  const written = join(root, "worker-configuration.d.ts");
  // With `--include-runtime=false` the file refers to the platform's types and declares none.
  const declared = /\b(?:class|interface|type) D1Database\b/;
  if (existsSync(written) && declared.test(readFileSync(written, "utf8"))) return "wrangler";
  const name = "@cloudflare/workers-types";
  return findPackage(name, root) === undefined ? null : name;
}

/** Maps each class of `app/objects` to its file, as imported from `folder`. */
function classFiles(objects: readonly string[], folder: string): Record<string, string> {
  return Object.fromEntries(objects.flatMap((file) => {
    return exportsOf(file).map((name) => [name, importPath(folder, file)]);
  }));
}

/** Returns the files of `app/queues` that have a handler, as imported from `folder`. */
function handlerFiles(
  queues: Readonly<Record<string, string>>,
  folder: string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(queues)
      .filter(([, file]) => exportsOf(file).includes("queue"))
      .map(([name, file]) => [name, importPath(folder, file)]),
  );
}

function exportsOf(file: string): string[] {
  const exported = readModuleNames(readFileSync(file, "utf8"), file)?.exports ?? [];
  return exported.map(({ name }) => name);
}

function importPath(folder: string, file: string): string {
  return relative(folder, file).split(sep).join("/");
}

/**
 * Returns the names in `.dev.vars` and its example. What the example has commented out is optional,
 * also for whoever has set it here, so that the types are the same on every machine.
 */
function secretNames(
  root: string,
): { required: ReadonlySet<string>; optional: ReadonlySet<string> } {
  const [own, example] = [".dev.vars", ".dev.vars.example"].map((name) => {
    const file = join(root, name);
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }) as [string, string];
  const namesIn = (text: string, line: RegExp) => [...text.matchAll(line)].map(([, name]) => name!);
  const needed = namesIn(example, /^(?:export\s+)?([A-Za-z_]\w*)\s*=/gm);
  const optional = new Set(namesIn(example, /^#[ \t]*(?:export\s+)?([A-Za-z_]\w*)=/gm));
  for (const name of needed) optional.delete(name);
  const named = namesIn(own, /^(?:export\s+)?([A-Za-z_]\w*)\s*=/gm);
  return { required: new Set([...needed, ...named.filter((one) => !optional.has(one))]), optional };
}
