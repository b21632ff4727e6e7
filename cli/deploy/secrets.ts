import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import type { JsonValue } from "../project/jsonc.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import type { DeployEnvironment } from "./environment.ts";

/** What an application needs besides the plain variables of the platform's file. */
export interface SecretPlan {
  /** Names that have to be secrets on the platform. */
  needed: string[];
  /** Names that the platform's file holds in plain text, although they look like secrets. */
  inPlainText: string[];
}

const looksSecret = /(?:SECRET|PASSWORD|TOKEN|PRIVATE_KEY|API_KEY)$/i;
const looksMadeUp =
  /^(?:|x+|\*+|\.{3,}|<.*>)$|change[-_ ]?me|replace[-_ ]?me|example|placeholder|^your[-_ ]|^(?:secret|password|test|todo)$/i;

/**
 * Finds the secrets of an application: the names of `.dev.vars.example`, and `secrets.required` of the platform's file.
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
 * Refuses to deploy a worker that lacks secrets: it would answer every request with an error.
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
    `The platform does not have the secret${missing.length === 1 ? "" : "s"} ${
      missing.join(", ")
    }: nothing was deployed.`,
    {
      exitCode: ExitCode.config,
      hint: missing.length === 1
        ? `Run \`${putCommand(missing[0]!, environment)}\`.`
        : `Run:\n${missing.map((name) => `  ${putCommand(name, environment)}`).join("\n")}`,
    },
  );
}

/**
 * The line that sets a secret on the platform.
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
