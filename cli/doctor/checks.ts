import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { hasAuth } from "../app/entry.ts";
import { type AppScan, scanApp } from "../app/scan.ts";
import { tokenize } from "../app/tokens.ts";
import { type AuthExamination, examineAuth } from "../build/auth_check.ts";
import { startDriver } from "../build/driver.ts";
import { findAuthUses } from "../build/missing_auth.ts";
import type { ProjectConfig } from "../config/load.ts";
import { findLinter, linterPackage } from "../lint/linters.ts";
import type { Platform } from "../platform/wrangler_file.ts";
import { isDevVarsCommittable } from "../platform/secrets.ts";
import { formatDiagnostic } from "../terminal/diagnostics.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { createColors } from "../terminal/output.ts";
import { findPackage, installCommand, installedVersion } from "../tools/packages.ts";
import { displayPath } from "../tools/paths.ts";
import { VERSION } from "../version.ts";

/** Finding of one check of `framework doctor`. */
export interface Finding {
  /** Subject of the check, in one or two words. */
  check: string;
  status: "ok" | "warning" | "problem";
  message: string;
  /** Remedy for the finding. */
  fix?: string;
  /** True for a wrong configuration, which every other command refuses with exit code 2. */
  configuration?: true;
}

/** Creates a finding without a problem. */
export function ok(check: string, message: string): Finding {
  return { check, status: "ok", message };
}

/** Creates a finding for something that works, but not as it should. */
export function warning(check: string, message: string, fix: string): Finding {
  return { check, status: "warning", message, fix };
}

/** Creates a finding that makes a command fail. */
export function problem(check: string, message: string, fix: string | undefined): Finding {
  return { check, status: "problem", message, ...(fix === undefined ? {} : { fix }) };
}

/**
 * Checks `app/auth`: the names of its files, and what they declare.
 *
 * @param config The project.
 * @param platform The platform's file.
 * @param env Environment variables, for `PATH`.
 * @returns Nothing for a project without accounts, or without the tools that the files are read with.
 */
export async function checkAuth(
  config: ProjectConfig,
  platform: Platform,
  env: Record<string, string | undefined>,
): Promise<Finding[]> {
  if (!existsSync(config.appDir)) return [];
  let about = "application";
  try {
    const scan = await scanApp(config.appDir);
    const uses = await findAuthUses(config, scan);
    if (uses.length > 0) {
      const text = uses.map((each) => formatDiagnostic(each, createColors(false))).join("\n");
      return [warning("authentication", text, "Run `framework generate auth`.")];
    }
    if (!hasAuth(scan.auth) || findPackage("esbuild", config.root) === undefined) return [];
    about = "authentication";
    const { error, errors } = await examine({ config, platform, scan }, env);
    if (error !== null) throw error;
    if (errors.length === 0) return [ok(about, "can be set up")];
    const text = errors.map((each) => formatDiagnostic(each, createColors(false))).join("\n");
    return [problem(about, text, "Correct the position that is shown.")];
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const found = problem(about, error.message, error.hint);
    return [error.exitCode === ExitCode.config ? { ...found, configuration: true } : found];
  }
}

async function examine(
  subject: { config: ProjectConfig; platform: Platform; scan: AppScan },
  env: Record<string, string | undefined>,
): Promise<AuthExamination> {
  const driver = startDriver({ root: subject.config.root, env, log: () => {} });
  try {
    return await examineAuth({ ...subject, driver }, { dev: false });
  } finally {
    await driver.close();
  }
}

/** Shortest secret that the authentication accepts, in characters. */
const shortestSecret = 32;

/**
 * Checks the secrets for local development: those in `.dev.vars.example`. Values are never shown.
 *
 * @param root Absolute path of the project.
 */
export function checkSecrets(root: string): Finding[] {
  const names = Object.keys(readVars(join(root, ".dev.vars.example")));
  const values = readVars(join(root, ".dev.vars"));
  const findings = names.map((name) => {
    const value = values[name] ?? "";
    const fix = name === "AUTH_SECRET" ? "Run `framework secret`." : `Set ${name} in .dev.vars.`;
    if (value === "") return problem(name, "is not set in .dev.vars", fix);
    if (name === "AUTH_SECRET" && new TextEncoder().encode(value).length < shortestSecret) {
      return problem(
        name,
        `is shorter than ${shortestSecret} bytes`,
        "Run `framework secret --force`.",
      );
    }
    return ok(name, "set in .dev.vars");
  });
  if (existsSync(join(root, ".dev.vars")) && isDevVarsCommittable(root)) {
    findings.push(
      warning(".dev.vars", "is not ignored by git", "Add the line .dev.vars to .gitignore."),
    );
  }
  return findings;
}

function readVars(file: string): Record<string, string | undefined> {
  return existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {};
}

const FIX = "Add cookies: { sessionToken: { hostOnly: true } } to defineAuthConfig(), with " +
  "hostOnlySince: new Date(…) when users are already signed in.";

/**
 * Checks whether the session cookie has the prefix `__Host-`. The file is read and not run, since
 * its values may depend on the environment.
 *
 * @returns Undefined for a project without accounts.
 */
export function checkSessionCookie({ root, appDir }: ProjectConfig): Finding | undefined {
  const check = "session cookie";
  const folder = join(appDir, "auth");
  if (!existsSync(folder)) return undefined;
  const file = join(folder, "config.ts");
  if (existsSync(file) && isHostOnly(readFileSync(file, "utf8"))) {
    return ok(check, "for this host only");
  }
  return warning(
    check,
    `${
      displayPath(root, file)
    } does not set hostOnly, so another host of the site can plant a session`,
    FIX,
  );
}

function isHostOnly(source: string): boolean {
  const tokens = tokenize(source, { jsx: false }) ?? [];
  return tokens.some(({ kind, text }, index) =>
    kind === "string"
      ? /^.__Host-/i.test(text)
      : text === "hostOnly" && tokens[index + 1]?.text === ":" && tokens[index + 2]?.text === "true"
  );
}

/** Packages and their uses. Without a required one, nothing can be built or served. */
const packages: [name: string, use: string, required: boolean][] = [
  ["hono", "every page", true],
  ["kysely", "context.db", true],
  ["esbuild", "framework dev and build", true],
  ["miniflare", "framework dev", true],
  ["wrangler", "deploying", false],
  ["typescript", "checking types", false],
];
const ownPackages = ["@framework/auth", "@framework/cli", "@framework/testing"];
/** workerd accepts dates up to a week after the one in its version. */
const graceDays = 7;

/**
 * Checks the installed packages.
 *
 * @param root Absolute path of the project.
 */
export function checkPackages(root: string): Finding[] {
  const findings = packages.map(([name, use, required]) => {
    const version = installedVersion(name, root);
    if (version !== undefined) return ok(name, version);
    const fix = `Run \`${installCommand(name, root)}\`.`;
    const message = `not installed (for ${use})`;
    return required ? problem(name, message, fix) : warning(name, message, fix);
  });
  for (const name of ownPackages) {
    const version = installedVersion(name, root);
    if (version === undefined) continue;
    findings.push(
      version === VERSION ? ok(name, version) : warning(
        name,
        `${version}, but this command is ${VERSION}`,
        "Install the same version of all @framework packages.",
      ),
    );
  }
  return findings;
}

/**
 * Compares the compatibility date with the date that the installed workerd supports.
 *
 * @param root Absolute path of the project.
 * @param platform The platform's file.
 */
export function checkCompatibilityDate(root: string, platform: Platform): Finding {
  const check = "compatibility date";
  const { compatibilityDate } = platform;
  const miniflare = findPackage("miniflare", root);
  const version = installedVersion("workerd", miniflare ?? root);
  const [, year, month, day] = /^1\.(\d{4})(\d{2})(\d{2})\./.exec(version ?? "") ?? [];
  const newest = new Date(`${year}-${month}-${day}T00:00:00Z`);
  if (Number.isNaN(newest.getTime())) return ok(check, compatibilityDate);
  newest.setUTCDate(newest.getUTCDate() + graceDays);
  const limit = newest.toISOString().slice(0, 10);
  if (compatibilityDate <= limit) return ok(check, compatibilityDate);
  return problem(
    check,
    `${compatibilityDate} is newer than the installed workerd supports (${limit})`,
    `Set compatibility_date to ${limit}, or install a newer miniflare.`,
  );
}

/**
 * Finds the linter that `framework lint` runs.
 *
 * @param root Absolute path of the project.
 * @param env Environment variables, for `PATH`.
 */
export function checkLinter(root: string, env: Record<string, string | undefined>): Finding {
  const check = "linter";
  const linter = findLinter(root, env);
  if (linter === undefined) {
    const message = "none: framework lint checks only the framework's conventions";
    return warning(check, message, `Run \`${installCommand("oxlint", root)}\`.`);
  }
  const name = linterPackage(linter);
  if (name === undefined || findPackage(name, root) !== undefined) return ok(check, linter);
  return warning(check, `${linter} is not installed`, `Run \`${installCommand(name, root)}\`.`);
}
