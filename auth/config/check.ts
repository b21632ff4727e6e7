import { ConfigurationError } from "../errors/configuration_error.ts";

/** Makes the error for one option: where, what was found, what to write. */
export function wrongOption(field: string, found: unknown, write: string): ConfigurationError {
  return new ConfigurationError(
    `Wrong option "${field}": found ${describe(found)}; write ${write}`,
    {
      field,
    },
  );
}

/** Describes a value for a message: short, and no contents of objects. */
export function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") {
    return value.length > 80 ? `a text of ${value.length} characters` : JSON.stringify(value);
  }
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  return String(value);
}

/** True for an object that may hold options. */
export function isOptions(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** How many single edits lie between two words. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + cost));
    }
    row = next;
  }
  return row[b.length]!;
}

/** `Did you mean "x"? ` for the nearest of the known names, or nothing when none is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  if (name.length > 64) return "";
  const limit = Math.max(1, Math.floor(name.length / 3));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of known) {
    const edits = distance(name.toLowerCase(), candidate.toLowerCase());
    if (edits < bestDistance) [best, bestDistance] = [candidate, edits];
  }
  return best === undefined ? "" : `Did you mean "${best}"? `;
}

/**
 * Refuses keys that are not known: an option that is misspelled must not be an option that is ignored.
 *
 * @param field The path of the object, empty at the root.
 */
export function checkKeys(options: object, known: readonly string[], field: string): void {
  for (const key of Object.keys(options)) {
    if (known.includes(key)) continue;
    const path = field === "" ? key : `${field}.${key}`;
    throw new ConfigurationError(
      `Unknown option "${path}". ${didYouMean(key, known)}Known here: ${known.join(", ")}`,
      { field: path },
    );
  }
}

/**
 * The functions of an application by name. They are bound, since it may have written them as methods of one
 * object.
 *
 * @throws {ConfigurationError} For an unknown name, or for what is no function.
 */
export function functionsOf<Functions extends object>(
  value: unknown,
  field: string,
  names: readonly (keyof Functions & string)[],
): Functions {
  const given = optionsAt(value, field);
  checkKeys(given, names, field);
  for (const name of names) {
    if (given[name] !== undefined && typeof given[name] !== "function") {
      throw wrongOption(`${field}.${name}`, given[name], "a function");
    }
  }
  const there = names.filter((name) => given[name] !== undefined);
  return Object.fromEntries(
    there.map((name) => [name, (given[name] as () => void).bind(given)]),
  ) as Functions;
}

/** The option as options, or an empty object when it is left out. */
export function optionsAt(value: unknown, field: string): Record<string, unknown> {
  if (value === undefined) return {};
  if (!isOptions(value)) throw wrongOption(field, value, "an object");
  return value;
}

/**
 * A list of the configuration.
 *
 * @param example What may stand in it, for the message.
 */
export function readList(value: unknown, field: string, example: string): unknown[] {
  if (!Array.isArray(value)) throw wrongOption(field, value, `a list such as ["${example}"]`);
  return value;
}
