/**
 * Readers of options, whose errors name the option and say what to write.
 *
 * @module
 */

import { ConfigurationError } from "../errors.ts";

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

/**
 * Refuses a value that lacks one of these methods: a binding that the platform's file does not declare is `undefined`.
 *
 * @throws {ConfigurationError} Naming the parameter and what to write.
 */
export function demandMethods(
  value: unknown,
  methods: readonly string[],
  { field, write }: { field: string; write: string },
): void {
  const found = Object(value) as Record<string, unknown>;
  if (!methods.every((name) => typeof found[name] === "function")) {
    throw wrongOption(field, value, write);
  }
}

/** True for an object that may hold options. */
export function isOptions(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Tests for an edit distance of at most `edits`. */
function isNear(a: string, b: string, edits: number): boolean {
  if (a === "" || b === "") return a.length + b.length <= edits;
  const [restOfA, restOfB] = [a.slice(1), b.slice(1)];
  if (a[0] === b[0]) return isNear(restOfA, restOfB, edits);
  return edits > 0 &&
    [[restOfA, b], [a, restOfB], [restOfA, restOfB]].some(([x, y]) => isNear(x!, y!, edits - 1));
}

/** `Did you mean "x"? ` for the nearest of the known names, or nothing when none is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const most = Math.min(3, Math.max(1, Math.floor(name.length / 3)));
  for (let edits = 0; edits <= most; edits++) {
    const nearest = known.find((one) => isNear(name.toLowerCase(), one.toLowerCase(), edits));
    if (nearest !== undefined) return `Did you mean "${nearest}"? `;
  }
  return "";
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
 * Validates a value that a function of the library made, recognized by its `kind`; null when it is
 * left out.
 */
export function readMade<Made extends { readonly kind: string }>(
  value: unknown,
  field: string,
  { kind, write }: { kind: Made["kind"]; write: string },
): Made | null {
  if (value === undefined) return null;
  if (isOptions(value) && value.kind === kind) return value as unknown as Made;
  throw wrongOption(field, value, write);
}

/** The options in a field, of which only these may be; none when it is left out. */
export function optionsAt(
  value: unknown,
  field: string,
  known: readonly string[],
): Record<string, unknown> {
  const options = tableAt(value, field);
  checkKeys(options, known, field);
  return options;
}

/** The object in a field, with names of the application's own; an empty one when it is left out. */
export function tableAt(value: unknown, field: string): Record<string, unknown> {
  if (value === undefined) return {};
  if (isOptions(value)) return value;
  throw wrongOption(field, value, "an object");
}

/** Validates the options of a function such as `credentials()`, which may have only known names. */
export function optionsOf(
  value: unknown,
  caller: string,
  known: readonly string[],
): Record<string, unknown> {
  if (!isOptions(value)) throw wrongOption(caller, value, "an object");
  checkKeys(value, known, "");
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

/** Any function. */
type AnyFunction = (...values: never[]) => unknown;

/**
 * Reads an option that is given. What is left out is not looked at: a worker would have to compile the check of
 * every option before it answers for the first time.
 */
export function ifGiven<Value, Otherwise>(
  given: unknown,
  read: (given: unknown) => Value,
  otherwise: Otherwise,
): Value | Otherwise {
  return given === undefined ? otherwise : read(given);
}

/** True for a text with something in it. */
export function isFilledText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** A text with something in it. */
export function readText(value: unknown, field: string, write: string): string {
  if (isFilledText(value)) return value;
  throw wrongOption(field, value, write);
}

/** True or false, or undefined when it is left out. */
export function readFlag(value: unknown, field: string): boolean | undefined {
  if (value === undefined || typeof value === "boolean") return value;
  throw wrongOption(field, value, "true or false");
}

/** A function, or undefined when it is left out. */
export function readFunction(
  value: unknown,
  field: string,
  write: string,
): AnyFunction | undefined {
  if (value === undefined || typeof value === "function") return value as AnyFunction | undefined;
  throw wrongOption(field, value, write);
}

/** One of several texts. */
export function readChoice<Choice extends string>(
  value: unknown,
  field: string,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((known) => known === value);
  if (choice !== undefined) return choice;
  const quoted = choices.map((known) => `"${known}"`).join(", ");
  throw wrongOption(field, value, quoted.replace(/, ([^,]*)$/, " or $1"));
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
  const given = optionsAt(value, field, names);
  const functions = names.flatMap((name) => {
    const there = readFunction(given[name], `${field}.${name}`, "a function");
    return there === undefined ? [] : [[name, there.bind(given)]];
  });
  return Object.fromEntries(functions) as Functions;
}

/** A value, or a function that makes it from the environment (bindings, secrets) of the application. */
export type Definition<T, Env = never> = T | ((env: Env) => T);

/** The value of a definition in this environment. */
export function resolveDefinition<T>(definition: Definition<T>, env: unknown): T {
  if (typeof definition !== "function") return definition;
  return (definition as (env: unknown) => T)(env);
}

/**
 * Checks the option `now`. A clock that tells no number would compare as neither before nor after any
 * moment, so it fails the request that asks it.
 *
 * @throws {ConfigurationError} When it is no function.
 */
export function readClock(value: unknown): () => number {
  if (value === undefined) return Date.now;
  if (typeof value !== "function") {
    throw wrongOption("now", value, "a function that returns milliseconds");
  }
  return function now() {
    const time: unknown = value();
    if (typeof time === "number" && Number.isFinite(time)) return time;
    throw new ConfigurationError(
      `Option "now" returned ${describe(time)}: return milliseconds since 1970`,
      { field: "now" },
    );
  };
}
