import type { AppScan } from "../app/scan.ts";
import type { BuildSummary } from "../build/production.ts";
import type { ProjectConfig } from "../config/load.ts";
import { readPending } from "../migrate/pending.ts";
import type { DeployEnvironment } from "../platform/environments.ts";
import type { Platform } from "../platform/wrangler_file.ts";
import { formatBytes } from "../terminal/output.ts";
import type { JsonValue } from "../tools/jsonc.ts";
import { displayPath } from "../tools/paths.ts";
import { listBackground, type PlannedBackground } from "./background.ts";

/** A binding of the deployed worker. */
interface PlannedBinding {
  /** Key of the platform file, for example `d1_databases`. */
  kind: string;
  /** Name in `env`. */
  name: string;
  /** Target of the binding, when the file names one; never the value of a variable. */
  target?: string;
}

type Section = Record<string, JsonValue>;

/** Path of each kind's list, and its keys for the binding's name and its target. */
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

/** Kinds with a single binding. */
const single = ["ai", "assets", "browser", "images", "version_metadata"];

/**
 * Lists the bindings of an environment, in the order of their kinds.
 *
 * @param section The settings that hold there.
 */
function listBindings(section: Section): PlannedBinding[] {
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

/** Maximum compressed size on the platform's free plan, in bytes; ten mebibytes on the others. */
const FREE_LIMIT = 3 * 1024 * 1024;
const PAID_LIMIT = 10 * 1024 * 1024;

/** Plan of a deployment. */
export interface DeployPlan {
  /** Name of the worker on the platform. */
  worker: string;
  /** Name of the environment; null for the top level of the platform file. */
  environment: string | null;
  bindings: PlannedBinding[];
  /**
   * Events for which the platform will start the worker, and migrations of its durable object
   * classes.
   */
  background: PlannedBackground;
  /** Names of the secrets that the platform must have. */
  secrets: string[];
  routes: number;
  /** Sizes in bytes; the limits apply to `gzipBytes`. */
  size: { bytes: number; gzipBytes: number; freeLimit: number; paidLimit: number };
  assets: { files: number; bytes: number };
  /**
   * Migrations; `pendingLocally` are those that the local database lacks. The platform was not
   * asked.
   */
  migrations: { folder: string; files: number; pendingLocally: string[] };
}

/** Inputs of the plan. */
export interface PlanSubject {
  config: ProjectConfig;
  platform: Platform;
  scan: AppScan;
  environment: DeployEnvironment;
  built: BuildSummary;
  secrets: string[];
}

/** Describes a deployment from local files only, without network access. */
export async function planDeployment(subject: PlanSubject): Promise<DeployPlan> {
  const { config, platform, environment, built, scan, secrets } = subject;
  const { files, pending } = await readPending(config, platform);
  return {
    worker: environment.workerName,
    environment: environment.name,
    bindings: listBindings(environment.section),
    background: listBackground(environment.section),
    secrets,
    routes: scan.routes.length,
    size: {
      bytes: built.bytes,
      gzipBytes: built.gzipBytes,
      freeLimit: FREE_LIMIT,
      paidLimit: PAID_LIMIT,
    },
    assets: built.assets,
    migrations: {
      folder: displayPath(config.root, config.migrationsDir),
      files,
      pendingLocally: pending,
    },
  };
}

/** Formats the plan for people, one entry per line. */
export function formatPlan(plan: DeployPlan): string {
  const { size, assets, migrations, background } = plan;
  const rows: [string, string[]][] = [
    ["worker", [plan.worker]],
    ["environment", [plan.environment ?? "top level (the file has no env.production)"]],
    ["routes", [String(plan.routes)]],
    ["size", [
      `${formatBytes(size.bytes)}, ${formatBytes(size.gzipBytes)} compressed ` +
      `(limit ${formatBytes(size.freeLimit)} on the free plan, ${
        formatBytes(size.paidLimit)
      } on others)`,
    ]],
    ["assets", [
      `${assets.files} ${assets.files === 1 ? "file" : "files"}, ${formatBytes(assets.bytes)}`,
    ]],
    [
      "bindings",
      plan.bindings.map(({ kind, name, target }) =>
        `${name}  ${kind}${target === undefined ? "" : `  ${target}`}`
      ),
    ],
    ...backgroundRows(background),
    ["secrets", plan.secrets],
    ["migrations", [
      `${migrations.files} in ${migrations.folder}/` +
      (migrations.pendingLocally.length === 0
        ? ""
        : `, not applied to the local database: ${migrations.pendingLocally.join(", ")}`),
    ]],
  ];
  return rows
    .flatMap(([label, lines]) =>
      (lines.length === 0 ? ["none"] : lines).map((line, index) =>
        `${(index === 0 ? label : "").padEnd(12)} ${line}`
      )
    )
    .join("\n");
}

/** Rows for background work, which most applications do not have. */
function backgroundRows({ crons, consumers, objects }: PlannedBackground): [string, string[]][] {
  const rows: [string, string[]][] = [
    ["crons", crons],
    ["consumers", consumers.map((queue) => `queue ${queue}`)],
    ["objects", objects.map(({ tag, changes }) => `${tag}  ${changes.join(", ")}`)],
  ];
  return rows.filter(([, lines]) => lines.length > 0);
}
