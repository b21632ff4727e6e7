import { readPending } from "../migrate/pending_locally.ts";
import type { ProjectConfig } from "../project/config.ts";
import { displayPath } from "../project/paths.ts";
import type { Platform } from "../project/platform.ts";
import type { BuildSummary } from "../project/production_build.ts";
import type { AppScan } from "../project/scan.ts";
import { formatBytes } from "../terminal/bytes.ts";
import { listBackground, type PlannedBackground } from "./background.ts";
import { listBindings, type PlannedBinding } from "./bindings.ts";
import type { DeployEnvironment } from "./environment.ts";

/** The compressed size that the platform accepts on its free plan, in bytes; ten mebibytes on the others. */
const FREE_LIMIT = 3 * 1024 * 1024;
const PAID_LIMIT = 10 * 1024 * 1024;

/** What a deployment would do. */
export interface DeployPlan {
  /** Name of the worker on the platform. */
  worker: string;
  /** Name of the environment; null for the top level of the platform's file. */
  environment: string | null;
  bindings: PlannedBinding[];
  /** Work that the platform will start the worker for, and the classes that its objects are made of. */
  background: PlannedBackground;
  /** Names of the secrets that the platform has to have. */
  secrets: string[];
  routes: number;
  /** Sizes in bytes; `gzipBytes` is what the limits are about. */
  size: { bytes: number; gzipBytes: number; freeLimit: number; paidLimit: number };
  assets: { files: number; bytes: number };
  /** `pendingLocally` are those that the local database has not seen; the platform was not asked. */
  migrations: { folder: string; files: number; pendingLocally: string[] };
}

/** What the plan is made of. */
export interface PlanSubject {
  config: ProjectConfig;
  platform: Platform;
  scan: AppScan;
  environment: DeployEnvironment;
  built: BuildSummary;
  secrets: string[];
}

/** Describes a deployment without asking anybody: everything comes from files of this machine. */
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

/** The plan as people read it, one line each. */
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

/** Most applications have none of it. */
function backgroundRows({ crons, consumers, objects }: PlannedBackground): [string, string[]][] {
  const rows: [string, string[]][] = [
    ["crons", crons],
    ["consumers", consumers.map((queue) => `queue ${queue}`)],
    ["objects", objects.map(({ tag, changes }) => `${tag}  ${changes.join(", ")}`)],
  ];
  return rows.filter(([, lines]) => lines.length > 0);
}
