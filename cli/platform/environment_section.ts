import type { JsonValue } from "../tools/jsonc.ts";

/** Settings that an environment does not inherit from the top level. */
export const ownOfEachEnvironment: readonly string[] = [
  "agent_memory",
  "ai",
  "ai_search",
  "ai_search_namespaces",
  "analytics_engine_datasets",
  "artifacts",
  "browser",
  "containers",
  "d1_databases",
  "define",
  "dispatch_namespaces",
  "durable_objects",
  "flagship",
  "hyperdrive",
  "images",
  "kv_namespaces",
  "media",
  "mtls_certificates",
  "pipelines",
  "queues",
  "r2_buckets",
  "ratelimits",
  "secrets",
  "secrets_store_secrets",
  "send_email",
  "services",
  "stream",
  "streaming_tail_consumers",
  "tail_consumers",
  "unsafe",
  "vars",
  "vectorize",
  "version_metadata",
  "vpc_networks",
  "vpc_services",
  "worker_loaders",
  "workflows",
];

/**
 * Returns the settings of an environment of the platform file: its own, and those of the top level that it inherits.
 *
 * @param raw The platform file as written.
 * @param name Name of the environment, below `env`.
 * @returns Undefined for an environment that the file does not have.
 */
export function environmentSection(
  raw: Record<string, JsonValue>,
  name: string,
): Record<string, JsonValue> | undefined {
  const { env, ...top } = raw;
  const block = isSection(env) && Object.hasOwn(env, name) ? env[name] : undefined;
  if (!isSection(block)) return undefined;
  const inherited = Object.entries(top).filter(([key]) => !ownOfEachEnvironment.includes(key));
  return { ...Object.fromEntries(inherited), ...block };
}

/** Returns true for an object of settings. */
export function isSection(value: JsonValue | undefined): value is Record<string, JsonValue> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
