import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { isDevVarsCommittable } from "../secret/git_ignore.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

/** What the authentication asks of a secret. */
const shortestSecret = 32;

/**
 * Looks at the secrets for local work: those that `.dev.vars.example` names. No value is ever shown.
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
