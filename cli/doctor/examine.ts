import { dirname, resolve } from "node:path";
import process from "node:process";
import { loadConfig, type ProjectConfig } from "../config/load.ts";
import { checkConventions, countProblems } from "../lint/conventions.ts";
import { otherDatabases } from "../platform/server_settings.ts";
import { type Platform, readPlatform } from "../platform/wrangler_file.ts";
import { bindingNames, missingBindings, workerRequest } from "../platform/worker_request.ts";
import { CliError } from "../terminal/exit.ts";
import { displayPath } from "../tools/paths.ts";
import { findRuntime } from "../tools/runtime.ts";
import { examineDeclarations } from "./declarations.ts";
import {
  checkAuth,
  checkCompatibilityDate,
  checkLinter,
  checkPackages,
  checkSecrets,
  checkSessionCookie,
  type Finding,
  ok,
  problem,
  warning,
} from "./checks.ts";
import { checkDatabase } from "./database.ts";

/**
 * Examines a project. Changes nothing, and asks nobody on the network.
 *
 * @param cwd The folder that the command was started in.
 * @param path Value of `--config`.
 * @param env Environment variables, for `PATH`.
 */
export async function examine(
  cwd: string,
  path: string | undefined,
  { env }: { env: Record<string, string | undefined> },
): Promise<Finding[]> {
  const { deno, node } = process.versions;
  const findings = [ok("runtime", deno === undefined ? `Node ${node}` : `Deno ${deno}`)];
  const tools = await attempt("tools run on", findings, () => Promise.resolve(findRuntime(env)));
  if (tools !== undefined) {
    findings.push(ok("tools run on", tools.kind === "deno" ? "Deno" : "Node"));
  }
  const config = await attempt("configuration", findings, () => loadConfig(cwd, path));
  if (config === undefined) {
    // A missing package may be the cause; the other checks need the configuration.
    const folder = path === undefined ? cwd : dirname(resolve(cwd, path));
    const packages = checkPackages(folder);
    const isComplete = packages.every(({ status }) => status !== "problem");
    if (isComplete) findings.at(-1)!.configuration = true;
    return [...findings, ...packages];
  }
  const { root, file } = config;
  findings.push(ok("configuration", file === undefined ? "defaults" : displayPath(root, file)));
  findings.push(...checkPackages(root), checkLinter(root, env));
  const platform = await attempt("platform file", findings, () => readPlatform(config));
  if (platform !== undefined) findings.push(...await checkPlatform(config, platform, env));
  const routes = await attempt("routes", findings, () => checkRoutes(config));
  if (routes !== undefined) findings.push(routes);
  if (platform !== undefined) {
    findings.push(...await examineDeclarations(config, platform));
    findings.push(...await checkAuth(config, platform, env));
  }
  const cookie = checkSessionCookie(config);
  if (cookie !== undefined) findings.push(cookie);
  findings.push(...checkSecrets(root));
  return findings;
}

/** Converts an error that a command would report into a finding. */
async function attempt<T>(
  check: string,
  findings: Finding[],
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    findings.push(problem(check, error.message, error.hint));
    return undefined;
  }
}

async function checkPlatform(
  config: ProjectConfig,
  platform: Platform,
  env: Record<string, string | undefined>,
): Promise<Finding[]> {
  const { root } = config;
  const findings = [
    ok("platform file", `${displayPath(root, platform.file)} (worker ${platform.name})`),
    checkCompatibilityDate(root, platform),
    ok("compatibility flags", platform.compatibilityFlags.join(", ")),
    checkBindings(config, platform),
  ];
  const database = await attempt("database", findings, () => checkDatabase(config, platform, env));
  return [...findings, ...database ?? []];
}

function checkBindings(config: ProjectConfig, platform: Platform): Finding {
  const [other] = otherDatabases(config, platform);
  if (other !== undefined) return problem("bindings", other.message, other.hint);
  const missing = missingBindings(platform);
  if (missing.length > 0) {
    return warning(
      "bindings",
      `${missing.join(", ")} of ${
        displayPath(config.root, platform.file)
      } do not work in framework dev`,
      "Test code that uses them with a deployed worker.",
    );
  }
  const names = bindingNames(workerRequest({ config, platform }, 0));
  return ok("bindings", names.length === 0 ? "none" : names.join(", "));
}

async function checkRoutes(config: ProjectConfig): Promise<Finding> {
  const found = await checkConventions(config);
  if (found.length === 0) return ok("routes", "follow the conventions");
  const say = found.some(({ severity }) => severity === "error") ? problem : warning;
  return say("routes", countProblems(found), "Run `framework lint` to see the problems.");
}
