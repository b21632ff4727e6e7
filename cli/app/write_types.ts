import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import process from "node:process";
import type { ProjectConfig } from "../config/config.ts";
import { type Platform, readPlatform } from "../platform/platform_file.ts";
import { findPackage } from "../tools/packages.ts";
import { readModuleNames } from "./module_exports.ts";
import { scanApp } from "./scan.ts";

/** Sources of types for a project's bindings. */
interface TypeSource {
  /**
   * Source of the platform's own types, which are global: `wrangler types` writes them, a package
   * brings them. Imported they would be others than the globals, and a stream of a bucket none that
   * a response takes.
   */
  platform: "wrangler" | "@cloudflare/workers-types" | null;
  /** Files of `app/objects` by class, as `.framework/types` imports them. */
  objects: Record<string, string>;
  /** Files of `app/queues` that export a handler, by the name of the queue, as `.framework/types` imports them. */
  queues: Record<string, string>;
  /** Names of the secrets in `.dev.vars`. */
  secrets: readonly string[];
}

const OWN = "@framework/cli/runtime";

/** The name of each kind of binding: in the platform's own types, and in the framework's. */
const KINDS = {
  database: { platform: "D1Database", own: "SqlDatabase", from: "@framework/auth/storage" },
  keyValue: { platform: "KVNamespace", own: "KeyValueNamespace", from: OWN },
  bucket: { platform: "R2Bucket", own: "ObjectBucket", from: OWN },
  queue: { platform: "Queue", own: "QueueProducer", from: OWN },
  object: { platform: "DurableObjectNamespace", own: "DurableObjectNamespace", from: OWN },
  assets: { platform: "Fetcher", own: "AssetFetcher", from: OWN },
} as const;

type Kind = keyof typeof KINDS;

/** The bindings that the platform's file declares, as the source text of a type. */
function bindingsText(platform: Platform, source: TypeSource): string {
  const fields = new Map<string, string>();
  const imports = new Map<string, Set<string>>();

  function add(name: string, kind: Kind, argument?: string): void {
    const { platform: platformName, own, from } = KINDS[kind];
    const type = source.platform === null ? own : platformName;
    fields.set(name, argument === undefined ? type : `${type}<${argument}>`);
    if (source.platform === null) imports.set(from, (imports.get(from) ?? new Set()).add(own));
  }

  for (const { binding } of platform.d1Databases) add(binding, "database");
  for (const { binding } of platform.kvNamespaces) add(binding, "keyValue");
  for (const { binding } of platform.r2Buckets) add(binding, "bucket");
  let hasBodies = false;
  for (const { binding, queue } of platform.queues.producers) {
    const file = source.queues[queue];
    hasBodies ||= file !== undefined;
    add(binding, "queue", file && `Body<typeof import(${JSON.stringify(file)}).queue>`);
  }
  for (const { name, className } of platform.durableObjects) {
    const file = source.objects[className];
    add(name, "object", file && `import(${JSON.stringify(file)}).${className}`);
  }
  if (platform.assets?.binding !== undefined) add(platform.assets.binding, "assets");
  for (const [name, value] of Object.entries(platform.vars)) fields.set(name, typeOf(value));
  for (const name of source.secrets) if (!fields.has(name)) fields.set(name, "string");

  return [
    HEADER,
    ...(source.platform === "@cloudflare/workers-types"
      ? [`/// <reference types="${source.platform}" />`]
      : source.platform === null
      ? [`/// <reference path="./${PLATFORM_FILE}" />`]
      : []),
    ...[...imports].sort(([a], [b]) => a < b ? -1 : 1).map(([module, names]) =>
      `import type { ${[...names].sort().join(", ")} } from "${module}";`
    ),
    "",
    "/** Bindings that the platform gives to the application. */",
    "export interface Bindings {",
    ...[...fields].sort(([a], [b]) => a < b ? -1 : 1).map(([name, type]) =>
      `  ${propertyName(name)}: ${type};`
    ),
    "}",
    ...(hasBodies ? ["", BODY] : []),
    "",
  ].join("\n");
}

/** Of the parameters alone: the result of a handler may depend on the bindings that it gets. */
const BODY = `/** Body of the messages that a handler takes. */
type Body<Handler extends (...args: never[]) => unknown> =
  Parameters<Handler>[0] extends readonly { readonly body: infer B }[] ? B : unknown;`;

/** Name of the file with the declarations for projects that have none of the platform. */
const PLATFORM_FILE = "platform.d.ts";

/** Stands at the top of a generated file. */
const HEADER = "// Made by the framework command. Do not edit.";

/** A name as a property, in quotes where it has to be. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** A variable is a text, or JSON that the platform has read already. */
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
 * Declarations of the platform's own module and globals, as far as the framework's types name them: the source text of
 * a file for projects that have neither the output of `wrangler types` nor `@cloudflare/workers-types`.
 */
const PLATFORM_TEXT = `${HEADER}
// With \`npx wrangler types\` this file goes, and the platform's complete types are in its place.

declare module "cloudflare:workers" {
  import type { DurableObjectHandlers, DurableObjectState } from "@framework/cli/runtime";

  export interface DurableObject<Env = import("./bindings.ts").Bindings>
    extends DurableObjectHandlers {}
  /** Base of durable objects whose methods can be called through their stubs. */
  export abstract class DurableObject<Env = import("./bindings.ts").Bindings> {
    constructor(ctx: DurableObjectState, env: Env);
    /** The object's state: storage, alarms and sockets. */
    readonly ctx: DurableObjectState;
    /** The bindings and variables of the worker. */
    readonly env: Env;
  }

  export interface WorkerEntrypoint<Env = import("./bindings.ts").Bindings>
    extends Pick<DurableObjectHandlers, "fetch"> {}
  /** Base of named entrypoints, which other workers call by a service binding. */
  export abstract class WorkerEntrypoint<Env = import("./bindings.ts").Bindings> {
    constructor(ctx: { waitUntil(work: Promise<unknown>): void }, env: Env);
    /** Takes work that goes on after the answer. */
    readonly ctx: { waitUntil(work: Promise<unknown>): void };
    /** The bindings and variables of the worker. */
    readonly env: Env;
  }

  /** Base of objects that stay where they were made, and are called from elsewhere. */
  export abstract class RpcTarget {}

  /** The bindings and variables of the worker. */
  export const env: import("./bindings.ts").Bindings;
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
 * Writes the types of the bindings into `.framework/types`, and declarations of the platform where the project has none.
 * A file that says the same already is left alone, so that nothing that watches it wakes up.
 *
 * @param config The project.
 * @returns Absolute paths of what was written.
 * @throws {CliError} Exit code 2 for a wrong platform file or a route conflict.
 */
export async function writeTypes(config: ProjectConfig): Promise<string[]> {
  const { root, appDir } = config;
  const folder = join(root, ".framework", "types");
  // A folder that is no application yet has types to check too.
  if (!existsSync(config.platformFile)) return [];
  const scan = existsSync(appDir) ? await scanApp(appDir) : undefined;
  const platform = platformTypes(root);
  const files: Record<string, string> = {
    "bindings.ts": bindingsText(await readPlatform(config), {
      platform,
      objects: classFiles(scan?.objects ?? [], folder),
      queues: handlerFiles(scan?.queues ?? {}, folder),
      secrets: secretNames(root),
    }),
  };
  if (platform === null) files[PLATFORM_FILE] = PLATFORM_TEXT;
  // It would say otherwise than the types that have come since.
  else await rm(join(folder, PLATFORM_FILE), { force: true });
  const written: string[] = [];
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    if (await readFile(path, "utf8").catch(() => null) === text) continue;
    // Whoever reads it meanwhile gets the old file or the new one, never a part.
    const draft = `${path}.${process.pid}.tmp`;
    await writeFile(draft, text);
    await rename(draft, path);
    written.push(path);
  }
  return written;
}

/**
 * Finds the platform's types; `wrangler types` writes them for the project's own compatibility
 * date.
 */
function platformTypes(root: string): TypeSource["platform"] {
  const written = join(root, "worker-configuration.d.ts");
  // With `--include-runtime=false` the file names the platform's types and declares none.
  const declared = /\b(?:class|interface|type) D1Database\b/;
  if (existsSync(written) && declared.test(readFileSync(written, "utf8"))) return "wrangler";
  const name = "@cloudflare/workers-types";
  return findPackage(name, root) === undefined ? null : name;
}

/** Maps each class of `app/objects` to its file, as a file in `folder` imports it. */
function classFiles(objects: readonly string[], folder: string): Record<string, string> {
  return Object.fromEntries(objects.flatMap((file) => {
    return exportsOf(file).map((name) => [name, importPath(folder, file)]);
  }));
}

/** The files of `app/queues` that have a handler, as a file in `folder` imports them. */
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

/** The names in `.dev.vars`, or in its example, which is what a fresh clone has. */
function secretNames(root: string): string[] {
  const file = [".dev.vars", ".dev.vars.example"].map((name) => join(root, name)).find(existsSync);
  if (file === undefined) return [];
  return [...readFileSync(file, "utf8").matchAll(/^(?:export\s+)?([A-Za-z_]\w*)\s*=/gm)]
    .map(([, name]) => name!);
}
