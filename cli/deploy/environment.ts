import { basename } from "node:path";
import type { JsonValue } from "../project/jsonc.ts";
import type { Platform } from "../project/platform.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { didYouMean } from "../terminal/suggest.ts";

/** Where a deployment goes. */
export interface DeployEnvironment {
  /** Name of the block of the platform's file; null for its top level. */
  name: string | null;
  /** Name of the worker on the platform. */
  workerName: string;
  /** The settings that hold there. */
  section: Record<string, JsonValue>;
  /** Top-level bindings that the block lacks: the platform does not pass them on. */
  notInherited: string[];
  /** Arguments that tell wrangler. */
  args: string[];
}

/** Settings that an environment does not inherit from the top level. */
const ownOfEachEnvironment = [
  "ai",
  "analytics_engine_datasets",
  "browser",
  "d1_databases",
  "dispatch_namespaces",
  "durable_objects",
  "hyperdrive",
  "images",
  "kv_namespaces",
  "mtls_certificates",
  "pipelines",
  "queues",
  "r2_buckets",
  "secrets",
  "send_email",
  "services",
  "tail_consumers",
  "vars",
  "vectorize",
  "workflows",
];

/**
 * Finds the environment to deploy to. `production` means the top level unless the platform's file has a block of that
 * name: wrangler would otherwise make a second worker, named after the environment.
 *
 * @param platform The platform's file.
 * @param requested Value of `--env`.
 * @throws {CliError} Exit code 2 for an environment that the file does not have.
 */
export function findEnvironment(platform: Platform, requested: string): DeployEnvironment {
  const { env, ...top } = platform.raw;
  const environments = isSection(env) ? env : {};
  const block = Object.hasOwn(environments, requested) ? environments[requested] : undefined;
  if (isSection(block)) {
    const inherited = Object.entries(top).filter(([key]) => !ownOfEachEnvironment.includes(key));
    const name = block["name"];
    return {
      name: requested,
      workerName: typeof name === "string" ? name : `${platform.name}-${requested}`,
      section: { ...Object.fromEntries(inherited), ...block },
      notInherited: ownOfEachEnvironment.filter((key) =>
        Object.hasOwn(top, key) && !Object.hasOwn(block, key)
      ),
      args: ["--env", requested],
    };
  }
  const names = Object.keys(environments);
  if (requested !== "production") {
    throw new CliError(
      `${basename(platform.file)} has no environment ${JSON.stringify(requested)}.${
        didYouMean(requested, names)
      }`,
      {
        exitCode: ExitCode.config,
        hint: names.length === 0
          ? "Add it under `env`, or leave --env out to deploy the top level."
          : `Environments: ${names.join(", ")}. Without --env the top level is deployed.`,
      },
    );
  }
  return {
    name: null,
    workerName: platform.name,
    section: top,
    notInherited: [],
    // wrangler warns when there are environments and none is named.
    args: ["--env", ""],
  };
}

function isSection(value: JsonValue | undefined): value is Record<string, JsonValue> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
