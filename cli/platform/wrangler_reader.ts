import { CliError, ExitCode } from "../terminal/exit.ts";
import type { JsoncDocument, JsonValue } from "../tools/jsonc.ts";

/** Reads values of a document by path, for example `d1_databases[0].binding`, and checks their types. */
export interface PlatformReader {
  /** The document's top level. */
  raw: Record<string, JsonValue>;
  /** Returns a string that may be missing. */
  string(path: string): string | undefined;
  /** Returns a string that must be present and match. */
  requiredString(path: string, check?: { pattern: RegExp; expected: string }): string;
  /** Returns a list of strings that may be missing. */
  strings(path: string): string[] | undefined;
  /** Returns an object that may be missing. */
  object(path: string): Record<string, JsonValue> | undefined;
  /** Returns the paths of the objects in a list that may be missing. */
  objects(path: string): string[];
  /** Creates the error for a path, with file and line. */
  fail(path: string, problem: string, options?: { hint?: string }): CliError;
}

/**
 * Makes the reader.
 *
 * @param name Name of the file, for messages.
 * @param document What the file holds.
 */
export function createPlatformReader(name: string, document: JsoncDocument): PlatformReader {
  const raw = document.value;
  if (!isObject(raw)) throw fail("", "expected an object at the top level");
  const top = raw;

  function fail(path: string, problem: string, options: { hint?: string } = {}): CliError {
    const line = document.lineOf(path);
    return new CliError(`${name}:${line}: ${path === "" ? "" : `${path}: `}${problem}.`, {
      exitCode: ExitCode.config,
      hint: options.hint ?? `Correct line ${line} of ${name}.`,
    });
  }

  function at(path: string): JsonValue | undefined {
    let value: JsonValue | undefined = top;
    for (const key of path.split(/[.[\]]+/).filter((part) => part !== "")) {
      if (Array.isArray(value)) value = value[Number(key)];
      else if (isObject(value) && Object.hasOwn(value, key)) value = value[key];
      else return undefined;
    }
    return value;
  }

  function mismatch(path: string, expected: string, value: JsonValue | undefined): CliError {
    return fail(path, `expected ${expected}, found ${kindOf(value)}`);
  }

  function string(path: string): string | undefined {
    const value = at(path);
    if (value === undefined || typeof value === "string") return value;
    throw mismatch(path, "a string", value);
  }

  return {
    raw: top,
    fail,
    string,
    requiredString(path, check) {
      const value = string(path);
      if (value === undefined) {
        // A missing key has no line; the line of its object is the nearest.
        const parent = path.replace(/\.?[^.]+$/, "");
        const line = document.lineOf(parent);
        throw new CliError(`${name}:${line}: ${path} is missing.`, {
          exitCode: ExitCode.config,
          hint: `Add it to ${name}${check === undefined ? "" : `: ${check.expected}`}.`,
        });
      }
      const fits = check === undefined ? value !== "" : check.pattern.test(value);
      if (fits) return value;
      throw fail(path, `expected ${check?.expected ?? "a string that is not empty"}`);
    },
    strings(path) {
      const value = at(path);
      if (value === undefined) return undefined;
      if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
      throw mismatch(path, "a list of strings", value);
    },
    object(path) {
      const value = at(path);
      if (value === undefined || isObject(value)) return value;
      throw mismatch(path, "an object", value);
    },
    objects(path) {
      const value = at(path);
      if (value === undefined) return [];
      if (!Array.isArray(value)) throw mismatch(path, "a list", value);
      return value.map((item, index) => {
        const itemPath = `${path}[${index}]`;
        if (!isObject(item)) throw mismatch(itemPath, "an object", item);
        return itemPath;
      });
    },
  };
}

function isObject(value: JsonValue | undefined): value is { [key: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
