import type { Platform } from "../project/platform.ts";

/** Which types of bindings a project can name. */
export interface TypeSource {
  /**
   * Where the platform's own types come from, which are global: `wrangler types` writes them, a package brings them.
   * Imported they would be others than the globals, and a stream of a bucket none that a response takes.
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
export function bindingsText(platform: Platform, source: TypeSource): string {
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
    "/** What the platform hands to the application. */",
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
export const PLATFORM_FILE = "platform.d.ts";

/** Stands at the top of a generated file. */
export const HEADER = "// Made by the framework command. Do not edit.";

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
