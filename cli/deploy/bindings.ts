import type { JsonValue } from "../project/jsonc.ts";

/** A binding that the worker will have. */
export interface PlannedBinding {
  /** Key of the platform's file, for example `d1_databases`. */
  kind: string;
  /** Name in `env`. */
  name: string;
  /** What it is bound to, when the file says; never the value of a variable. */
  target?: string;
}

type Section = Record<string, JsonValue>;

/** Where each kind keeps its list, the binding's name, and what it is bound to. */
const lists: Record<string, { path?: string; name?: string; target: string[] }> = {
  "analytics_engine_datasets": { target: ["dataset"] },
  "d1_databases": { target: ["database_name", "database_id"] },
  "dispatch_namespaces": { target: ["namespace"] },
  "durable_objects": { path: "bindings", name: "name", target: ["class_name"] },
  "hyperdrive": { target: ["id"] },
  "kv_namespaces": { target: ["id"] },
  "mtls_certificates": { target: ["certificate_id"] },
  "pipelines": { target: ["pipeline"] },
  "queues": { path: "producers", target: ["queue"] },
  "r2_buckets": { target: ["bucket_name"] },
  "send_email": { name: "name", target: ["destination_address"] },
  "services": { target: ["service"] },
  "vectorize": { target: ["index_name"] },
  "workflows": { target: ["name"] },
};

/** Kinds of which there is one. */
const single = ["ai", "assets", "browser", "images", "version_metadata"];

/**
 * Lists the bindings of an environment, in the order of their kinds.
 *
 * @param section The settings that hold there.
 */
export function listBindings(section: Section): PlannedBinding[] {
  const found: PlannedBinding[] = [];
  for (const [kind, { path, name = "binding", target }] of Object.entries(lists)) {
    const value = path === undefined ? section[kind] : asSection(section[kind])?.[path];
    for (const entry of Array.isArray(value) ? value : []) {
      const fields = asSection(entry);
      const binding = fields?.[name];
      if (fields === undefined || typeof binding !== "string") continue;
      const bound = target.map((key) => fields[key]).find((text) => typeof text === "string");
      found.push({ kind, name: binding, ...(typeof bound === "string" ? { target: bound } : {}) });
    }
  }
  for (const kind of single) {
    const binding = asSection(section[kind])?.["binding"];
    if (typeof binding === "string") found.push({ kind, name: binding });
  }
  for (const name of Object.keys(asSection(section["vars"]) ?? {})) {
    found.push({ kind: "vars", name });
  }
  return found;
}

function asSection(value: JsonValue | undefined): Section | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
}
