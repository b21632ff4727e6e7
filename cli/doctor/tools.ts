import { findLinter, linterPackage } from "../lint/linters.ts";
import type { Platform } from "../project/platform.ts";
import { findPackage, installCommand, installedVersion } from "../project/tools.ts";
import { VERSION } from "../version.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

/** What each package is for. Without a required one nothing is built or served. */
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
 * Looks at the installed packages.
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
        `${version}, while this command is ${VERSION}`,
        "Install the same version of all @framework packages.",
      ),
    );
  }
  return findings;
}

/**
 * Compares the compatibility date with what the installed workerd knows.
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
 * Looks for the linter that `framework lint` runs.
 *
 * @param root Absolute path of the project.
 * @param env Environment variables, for `PATH`.
 */
export function checkLinter(root: string, env: Record<string, string | undefined>): Finding {
  const check = "linter";
  const linter = findLinter(root, env);
  if (linter === undefined) {
    const message = "none: framework lint checks the conventions alone";
    return warning(check, message, `Run \`${installCommand("oxlint", root)}\`.`);
  }
  const name = linterPackage(linter);
  if (name === undefined || findPackage(name, root) !== undefined) return ok(check, linter);
  return warning(check, `${linter} is not installed`, `Run \`${installCommand(name, root)}\`.`);
}
