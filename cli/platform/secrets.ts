import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import { CliError, ExitCode } from "../terminal/exit.ts";
import type { JsonValue } from "../tools/jsonc.ts";
import type { DeployEnvironment } from "./environments.ts";

/**
 * Sets a variable in the text of a `.dev.vars` file; everything else is unchanged.
 *
 * @param text The file; empty when there is none.
 * @param name Name of the variable.
 * @param value Its value, without quotes and line ends.
 * @throws {CliError} Exit code 1 when the file is written so that it cannot be changed safely.
 */
export function setDevVar(text: string, name: string, value: string): string {
  const line = `${name}=${value}`;
  const newLine = text.includes("\r\n") ? "\r\n" : "\n";
  const declaration = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=.*?(?=\\r?$)`, "m");
  const gap = text === "" || text.endsWith("\n") ? "" : newLine;
  const changed = declaration.test(text)
    ? text.replace(declaration, () => line)
    : `${text}${gap}${line}${newLine}`;
  const before = parseEnv(text);
  const after = parseEnv(changed);
  const kept = Object.keys(before).filter((key) => key !== name);
  if (
    after[name] === value && !before[name]?.includes("\n") &&
    kept.every((key) => after[key] === before[key]) &&
    Object.keys(after).length === kept.length + 1
  ) {
    return changed;
  }
  throw new CliError(
    `${name} could not be set in .dev.vars, because the file declares it in an unusual form.`,
    {
      hint: `Remove ${name} from .dev.vars, then run the command again.`,
    },
  );
}

/**
 * Returns true when git would offer to commit a project's `.dev.vars`, according to the
 * `.gitignore` files from the project up to the repository.
 *
 * @param root Absolute path of the project.
 * @returns False outside of a repository.
 */
export function isDevVarsCommittable(root: string): boolean {
  for (let folder = root;; folder = dirname(folder)) {
    if (ignoresDevVars(join(folder, ".gitignore"))) return false;
    if (existsSync(join(folder, ".git"))) return true;
    if (dirname(folder) === folder) return false;
  }
}

function ignoresDevVars(file: string): boolean {
  if (!existsSync(file)) return false;
  return readFileSync(file, "utf8").split(/\r?\n/)
    .some((line) => /^(?:\/|\*\*\/)?\.dev\.vars(?:\*|\.\*)?\s*$/.test(line));
}

/**
 * Secrets and variables that an application needs, besides the plain variables of the platform
 * file.
 */
export interface SecretPlan {
  /** Names that must be secrets on the platform. */
  needed: string[];
  /** Names that the platform file stores in plain text, although they look like secrets. */
  inPlainText: string[];
}

const looksSecret = /(?:SECRET|PASSWORD|TOKEN|PRIVATE_KEY|API_KEY)$/i;
const looksMadeUp =
  /^(?:|x+|\*+|\.{3,}|<.*>)$|change[-_ ]?me|replace[-_ ]?me|example|placeholder|^your[-_ ]|^(?:secret|password|test|todo)$/i;

/**
 * Finds the secrets of an application: the names of `.dev.vars.example`, and `secrets.required` of
 * the platform file.
 *
 * @param root Absolute path of the project.
 * @param environment Where it goes.
 * @throws {CliError} Exit code 2 when the platform's file holds the example of a secret as its value.
 */
export function planSecrets(root: string, { section, name }: DeployEnvironment): SecretPlan {
  const examples = readExamples(root);
  const vars = asObject(section["vars"]);
  const declared = asObject(section["secrets"])["required"];
  const names = new Set(Object.keys(examples));
  for (const name of Array.isArray(declared) ? declared : []) names.add(String(name));

  const isExample = (name: string): boolean => {
    const value = vars[name];
    if (typeof value !== "string") return false;
    const known = looksSecret.test(name) || names.has(name);
    return known && (value === examples[name] || looksMadeUp.test(value));
  };
  const bad = Object.keys(vars).filter(isExample);
  if (bad.length > 0) {
    const where = name === null ? "vars" : `env.${name}.vars`;
    throw new CliError(
      `${bad.join(", ")} in ${where} of wrangler.jsonc ${
        bad.length === 1 ? "is only an example" : "are only examples"
      }.`,
      {
        exitCode: ExitCode.config,
        hint: `Remove it there, and run \`${putCommand(bad[0]!, name)}\`.`,
      },
    );
  }
  return {
    needed: [...names].filter((name) => !Object.hasOwn(vars, name)),
    inPlainText: Object.keys(vars).filter((name) => looksSecret.test(name)),
  };
}

/**
 * Refuses to deploy a worker that lacks secrets, because it would answer every request with an
 * error.
 *
 * @param needed Names that have to be there.
 * @param present Names that the platform has.
 * @param environment Name of the environment; null for the top level.
 * @throws {CliError} Exit code 2; the hint holds the line that sets each.
 */
export function refuseMissingSecrets(
  needed: string[],
  present: string[],
  environment: string | null,
): void {
  const missing = needed.filter((name) => !present.includes(name));
  if (missing.length === 0) return;
  throw new CliError(
    `The platform lacks the secret${missing.length === 1 ? "" : "s"} ${
      missing.join(", ")
    }, so nothing was deployed.`,
    {
      exitCode: ExitCode.config,
      hint: missing.length === 1
        ? `Run \`${putCommand(missing[0]!, environment)}\`.`
        : `Run:\n${missing.map((name) => `  ${putCommand(name, environment)}`).join("\n")}`,
    },
  );
}

/**
 * Returns the command that sets a secret on the platform.
 *
 * @param name Name of the secret.
 * @param environment Name of the environment; null for the top level.
 */
export function putCommand(name: string, environment: string | null): string {
  return `npx wrangler secret put ${name}${environment === null ? "" : ` --env ${environment}`}`;
}

function readExamples(root: string): Record<string, string | undefined> {
  const file = join(root, ".dev.vars.example");
  return existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {};
}

function asObject(value: JsonValue | undefined): Record<string, JsonValue> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
