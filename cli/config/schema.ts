import { basename } from "node:path";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { didYouMean } from "../terminal/suggestion.ts";
import type { FrameworkConfig } from "./define_config.ts";

interface Rule {
  expected: string;
  /** True for a string whose error message says that it does not match. */
  text?: true;
  accepts(value: unknown): boolean;
  /** Keys of an object in its place. Default: an object is wrong. */
  object?: Schema;
}
type Schema = { [key: string]: Rule | Schema };

const path: Rule = {
  expected: "a path as a string",
  text: true,
  accepts: (value) => typeof value === "string" && value !== "" && !value.includes("\0"),
};
const flag: Rule = {
  expected: "true or false",
  accepts: (value) => typeof value === "boolean",
};

const binding: Rule = {
  expected: "the name of a binding, for example DB",
  text: true,
  accepts: (value) => typeof value === "string" && /^[A-Za-z_$][\w$]*$/.test(value),
};

const schema: Schema = {
  appDir: path,
  publicDir: path,
  outDir: path,
  wrangler: path,
  database: {
    ...binding,
    object: {
      binding,
      dialect: {
        expected: '"sqlite" or "postgres"',
        text: true,
        accepts: (value) => value === "sqlite" || value === "postgres",
      },
    },
  },
  tracing: flag,
  dev: {
    port: {
      expected: "a whole number from 0 to 65535",
      accepts: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65535,
    },
    host: {
      expected: "a host name or address as a string",
      text: true,
      accepts: (value) => typeof value === "string" && /^[\w.:[\]-]+$/.test(value),
    },
    allowedHosts: {
      expected: "a list of host names",
      accepts: (value) =>
        Array.isArray(value) &&
        value.every((host) => typeof host === "string" && /^[\w.*-]+$/.test(host)),
    },
  },
  build: { minify: flag, sourcemap: flag },
};

/**
 * Checks the default export of a configuration file.
 *
 * @param value Its default export.
 * @param file Path of the file, for the message.
 * @throws {CliError} Exit code 2; the message names the key, what is expected and what was found.
 */
export function validateConfig(value: unknown, file: string): FrameworkConfig {
  check(value, schema, { file: basename(file), path: "" });
  return value as FrameworkConfig;
}

function check(value: unknown, rules: Schema, place: { file: string; path: string }): void {
  if (!isObject(value)) {
    const name = place.path || "the default export";
    throw wrong(place.file, `${name}: expected an object, found ${kindOf(value)}.`);
  }
  for (const [key, entry] of Object.entries(value as object)) {
    const path = place.path === "" ? key : `${place.path}.${key}`;
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    if (rule === undefined) {
      const known = Object.keys(rules);
      throw wrong(
        place.file,
        `${path}: unknown key.${didYouMean(key, known)}`,
        `Known keys${place.path === "" ? "" : ` of ${place.path}`}: ${known.join(", ")}.`,
      );
    }
    if (entry === undefined) continue;
    if (!isRule(rule)) check(entry, rule, { file: place.file, path });
    else if (rule.object && isObject(entry)) {
      check(entry, rule.object, { file: place.file, path });
    } else if (!rule.accepts(entry)) {
      const unfit = rule.text && typeof entry === "string" ? " that does not match" : "";
      throw wrong(
        place.file,
        `${path}: expected ${rule.expected}, found ${kindOf(entry)}${unfit}.`,
      );
    }
  }
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isRule(rule: Rule | Schema): rule is Rule {
  return typeof rule["accepts"] === "function";
}

function wrong(file: string, message: string, hint?: string): CliError {
  return new CliError(`${file}: ${message}`, {
    exitCode: ExitCode.config,
    hint: hint ?? `Correct the value in ${file}.`,
  });
}

/** Describes a value's type. Strings are not quoted: a secret in the wrong place would be printed. */
function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
