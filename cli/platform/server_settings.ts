import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { ProjectConfig } from "../config/load.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import type { JsonValue } from "../tools/jsonc.ts";
import { assetsDirectory } from "./worker_request.ts";
import type { Platform } from "./wrangler_file.ts";

/** Runtime of a server that `framework build --target` makes. */
export type ServerTarget = "node" | "deno";

/** Settings of the platform file that a server needs while it runs. */
export interface ServerSettings {
  /** Name of the application. */
  name: string;
  /** Binding of the database; null when the platform file declares none. */
  database: string | null;
  /** Table in which applied migrations are recorded. */
  migrationsTable: string;
  /** Variables of the platform file, which those of the process override. */
  vars: Record<string, JsonValue>;
  /** Static files: their binding, and which of them and the application is asked first. */
  assets: { binding: string | null; applicationFirst: boolean; html: boolean };
  /** True when the server answers `/healthz`, because the application does not. */
  health: boolean;
}

/** Bindings of the platform that one server with one database does not have, and what to use. */
const UNSUPPORTED: Record<string, string> = {
  "ai": "Call the provider's HTTP API with fetch().",
  "analytics_engine_datasets": "Write the data points to a table of the database.",
  "browser": "Connect to a browser of your own with playwright-core.",
  "containers": "Run them beside the server.",
  "dispatch_namespaces": "Build for Workers: `framework build`.",
  "durable_objects":
    "Keep the state in the database, whose transactions serialize writers. For limits give createRateLimiter() the " +
    "database; for WebSockets use a service of its own.",
  "hyperdrive": "Connect to that database with its own driver, and pass its address as a variable.",
  "images": "Use a library such as sharp.",
  "mtls_certificates": "Use node:https with the certificate.",
  "pipelines": "Write to a queue, and forward its batches in app/queues.",
  "ratelimits": "Use createRateLimiter() of @framework/auth/rate-limit with the database.",
  "secrets_store_secrets": "Pass secrets as variables of the process.",
  "send_email": "Send mails through your provider's HTTP API.",
  "triggers": "Run the jobs by a timer of the machine, or build for Workers.",
  "services": "Call the other service with fetch(), and pass its address as a variable.",
  "vectorize": "Use an extension of your database, or a service of its own.",
  "workflows": "Write the steps as messages of a queue.",
};

/** Kinds of bindings that a server has. */
const SUPPORTED = ["assets", "d1_databases", "vars"];

/**
 * Reads what a server needs from the platform file.
 *
 * @param project The project; `answersHealth`: whether one of its routes is `/healthz`.
 * @throws {CliError} Exit code 2 for everything that one server with one database does not have; the message lists all
 * of it, and the hint names what to use instead.
 */
export function readServerSettings(
  { config, platform, answersHealth }: {
    config: ProjectConfig;
    platform: Platform;
    answersHealth: boolean;
  },
): ServerSettings {
  const faults = [
    ...unsupportedBindings(platform),
    ...severalDatabases(platform),
    ...unsupportedAssets(config, platform),
  ];
  if (faults.length > 0) {
    throw new CliError(faults.map(({ message }) => message).join("\n"), {
      exitCode: ExitCode.config,
      hint: [...new Set(faults.map(({ hint }) => hint))].join("\n"),
    });
  }
  const [database] = platform.d1Databases;
  const assets = (platform.raw["assets"] ?? {}) as Record<string, unknown>;
  return {
    name: platform.name,
    database: database?.binding ?? null,
    migrationsTable: database?.migrationsTable ?? "d1_migrations",
    vars: platform.vars,
    assets: {
      binding: platform.assets?.binding ?? null,
      applicationFirst: assets["run_worker_first"] === true,
      html: assets["html_handling"] !== "none",
    },
    health: !answersHealth,
  };
}

interface Fault {
  message: string;
  hint: string;
}

function unsupportedBindings({ file, raw }: Platform): Fault[] {
  return Object.entries(raw).flatMap(([kind, value]) => {
    if (SUPPORTED.includes(kind) || !(Object.hasOwn(UNSUPPORTED, kind) || bindsSomething(value))) {
      return [];
    }
    if (isEmpty(value)) return [];
    return [{
      message: `${basename(file)} declares ${kind}, which a server does not have.`,
      hint: UNSUPPORTED[kind] ??
        "Build for Workers with `framework build`, or remove it from the platform file.",
    }];
  });
}

/** Returns true for a value that names a binding, of kinds that later versions of wrangler bring too. */
function bindsSomething(value: JsonValue): boolean {
  const entries = Array.isArray(value) ? value : [value];
  return entries.some((entry) =>
    typeof entry === "object" && entry !== null && !Array.isArray(entry) &&
    (typeof entry["binding"] === "string" || Object.values(entry).some(isListOfBindings))
  );
}

function isListOfBindings(value: JsonValue): boolean {
  return Array.isArray(value) && bindsSomething(value);
}

function isEmpty(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && value !== null && Object.values(value).every(isEmpty);
}

function severalDatabases({ file, d1Databases }: Platform): Fault[] {
  if (d1Databases.length <= 1) return [];
  const names = d1Databases.map(({ binding }) => binding).join(", ");
  return [{
    message: `${basename(file)} declares several databases (${names}); a server has one.`,
    hint: "Move the tables into one database, or build for Workers with `framework build`.",
  }];
}

function unsupportedAssets(config: ProjectConfig, platform: Platform): Fault[] {
  const assets = (platform.raw["assets"] ?? {}) as Record<string, unknown>;
  const name = basename(platform.file);
  const faults: Fault[] = [];
  const refuse = (key: string, accepted: string, hint: string): void => {
    faults.push({
      message: `${name}: assets.${key}: a server supports ${accepted} only, found ${
        JSON.stringify(assets[key])
      }.`,
      hint,
    });
  };
  const { run_worker_first: first, html_handling: html, not_found_handling: missing } = assets;
  if (![undefined, true, false].includes(first as boolean)) {
    refuse("run_worker_first", "true and false", "Write true, and answer with env.ASSETS.fetch().");
  }
  if (![undefined, "auto-trailing-slash", "none"].includes(html as string)) {
    refuse("html_handling", '"auto-trailing-slash" and "none"', "Choose one of them.");
  }
  if (![undefined, "none"].includes(missing as string)) {
    refuse("not_found_handling", '"none"', "Write app/not-found.tsx, or a page with [[...path]].");
  }
  if (existsSync(join(assetsDirectory(config, platform), "_redirects"))) {
    faults.push({
      message: "The static files contain _redirects, which a server does not read.",
      hint: "Write the redirects as routes: `export const GET = () => redirect(…)`.",
    });
  }
  return faults;
}
