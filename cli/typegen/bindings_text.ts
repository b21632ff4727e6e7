import type { Platform } from "../project/platform.ts";

/** Which types of bindings a project can name. */
export interface TypeSource {
  /** Whether `@cloudflare/workers-types` is installed, which knows all of what the platform offers. */
  workersTypes: boolean;
  /** Names of the secrets in `.dev.vars`. */
  secrets: readonly string[];
}

const OWN = "@framework/cli/runtime";
const PLATFORM = "@cloudflare/workers-types";

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

  function add(name: string, kind: Kind): void {
    const { platform: platformName, own, from } = KINDS[kind];
    const [type, module] = source.workersTypes ? [platformName, PLATFORM] : [own, from];
    fields.set(name, type);
    imports.set(module, (imports.get(module) ?? new Set()).add(type));
  }

  for (const { binding } of platform.d1Databases) add(binding, "database");
  for (const { binding } of platform.kvNamespaces) add(binding, "keyValue");
  for (const { binding } of platform.r2Buckets) add(binding, "bucket");
  for (const { binding } of platform.queues.producers) add(binding, "queue");
  for (const { name } of platform.durableObjects) add(name, "object");
  if (platform.assets?.binding !== undefined) add(platform.assets.binding, "assets");
  for (const [name, value] of Object.entries(platform.vars)) fields.set(name, typeOf(value));
  for (const name of source.secrets) if (!fields.has(name)) fields.set(name, "string");

  return [
    HEADER,
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
    "",
  ].join("\n");
}

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
