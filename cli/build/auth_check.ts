import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { appPath, hasAuth } from "../app/entry.ts";
import { authFiles } from "../app/convention.ts";
import type { AppScan } from "../app/scan.ts";
import type { ProjectConfig } from "../config/load.ts";
import type { Platform } from "../platform/wrangler_file.ts";
import { readDevVars } from "../platform/worker_request.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { pointToCode } from "../tools/error_codes.ts";
import type { JsonValue } from "../tools/jsonc.ts";
import { writeCompilerOptions } from "./bundle_request.ts";
import type { DriverClient } from "./driver.ts";
import type { AuthCheckRequest, AuthCheckResult, AuthFault } from "./protocol.ts";

/** Project whose `app/auth` is examined, and its tools. */
export interface AuthSubject {
  config: ProjectConfig;
  platform: Platform;
  scan: AppScan;
  driver: DriverClient;
  /** Variables of the chosen environment of the platform file. Default: those of the top level. */
  vars?: Platform["vars"];
}

/** Result of an examination of `app/auth`. */
export interface AuthExamination {
  /** Mistake in `app/auth`; null when there is none. */
  error: CliError | null;
  /** Files that the result depends on, relative to the project. */
  inputs: string[];
  /** Errors that prevent bundling; a build reports them with its other errors. */
  errors: AuthCheckResult["errors"];
  /** The document that was asked for; null without one. */
  document: AuthCheckResult["document"];
}

/**
 * Finds mistakes in `app/auth` before the first request: loads the files and reads them as the
 * worker does before its first request, with the variables of the platform file and of `.dev.vars`.
 *
 * @param subject The project.
 * @param options `dev`: the worker has no other environment than this one. Without it, and without `.dev.vars`, what
 * may be right with another environment is no fault: secrets of production are at the platform. `production`: refuses
 * what a provider has for development alone. Default false. `describe`: makes a document of its endpoints. Default null.
 */
export async function examineAuth(
  { config, platform, scan, driver, vars = platform.vars }: AuthSubject,
  { dev, production = false, describe = null }: {
    dev: boolean;
    production?: boolean;
    describe?: AuthCheckRequest["describe"];
  },
): Promise<AuthExamination> {
  if (!hasAuth(scan.auth)) return { error: null, inputs: [], errors: [], document: null };
  const hasDevVars = existsSync(join(config.root, ".dev.vars"));
  const { fault, inputs, errors, document } = await driver.call("checkAuth", {
    root: config.root,
    tsconfig: await writeCompilerOptions(config),
    files: filesOf(scan),
    vars: { ...vars, ...readDevVars(config.root) },
    // Only here, in development, is the environment known.
    bindings: [
      ...bindingsOf(platform.raw, dev ? ["env", "vars"] : ["vars"]),
      ...config.dialect === "postgres"
        ? [[config.database, {}] as [string, Record<string, string>]]
        : [],
    ],
    database: config.database,
    complete: dev || hasDevVars,
    production,
    describe,
  });
  const error = fault && toError(fault, { platform, hasDevVars, root: config.root });
  return { error, inputs, errors, document };
}

/**
 * Refuses mistakes in `app/auth`.
 *
 * @param options `production`: also what is missing in production. Default false.
 * @throws {CliError} Exit code 2; the message names the file, and the environment where it may be that.
 */
export async function demandSoundAuth(
  subject: AuthSubject,
  options: { production?: boolean } = {},
): Promise<void> {
  const { error } = await examineAuth(subject, { dev: false, ...options });
  if (error !== null) throw error;
}

function filesOf({ auth, appDir }: AppScan): AuthCheckRequest["files"] {
  const own = authFiles.flatMap((part) => {
    const file = auth[part];
    return file === undefined ? [] : [{ part, file }];
  });
  const providers = Object.entries(auth.providers)
    .map(([id, file]) => ({ part: `providers/${id}`, file }));
  return [...own, ...providers].map((each) => ({ ...each, name: appPath(appDir, each.file) }));
}

/** Connection details of a database behind the platform's own pool. */
const connection = {
  connectionString: "postgres://user:password@localhost:5432/database",
  host: "localhost",
  user: "user",
  password: "password",
  database: "database",
};

/** Returns every entry of the platform file that names a binding, of any kind. */
function bindingsOf(
  raw: Platform["raw"],
  leftOut: readonly string[],
): AuthCheckRequest["bindings"] {
  const found: AuthCheckRequest["bindings"] = [];
  function look(value: JsonValue | undefined, key: string): void {
    if (Array.isArray(value)) { for (const each of value) look(each, key); }
    else if (typeof value === "object" && value !== null) {
      const name = value["binding"] ?? (key === "bindings" ? value["name"] : undefined);
      if (typeof name === "string") found.push([name, key === "hyperdrive" ? connection : {}]);
      for (const [inner, each] of Object.entries(value)) {
        if (!leftOut.includes(inner)) look(each, inner);
      }
    }
  }
  look(raw, "");
  return found;
}

function toError(
  { file, message, code, environment, read, unset }: AuthFault,
  { platform, hasDevVars, root }: { platform: Platform; hasDevVars: boolean; root: string },
): CliError {
  const about = pointToCode(`code: ${code}`, root);
  const pointer = about === undefined ? "" : ` ${about}`;
  const says = message.startsWith("app/auth") ? message : `${file ?? "app/auth"}: ${message}`;
  const sentence = /[.!?]$/.test(says) ? says : `${says}.`;
  if (!environment) {
    return new CliError(sentence, {
      exitCode: ExitCode.config,
      hint: `Nothing is served until this is corrected, because every request needs it.${pointer}`,
    });
  }
  const name = basename(platform.file);
  const source = hasDevVars ? `.dev.vars and ${name}` : `${name}, without .dev.vars,`;
  const missing = unset.length === 0
    ? ""
    : ` ${unset.join(", ")} ${unset.length === 1 ? "is" : "are"} not set there.`;
  return new CliError(`The configuration fails with the environment of ${source}: ${sentence}`, {
    exitCode: ExitCode.config,
    hint: `It reads ${
      read.join(", ")
    }.${missing} Correct the values in .dev.vars, or the file.${pointer}`,
  });
}
