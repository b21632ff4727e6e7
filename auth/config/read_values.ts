import { optionsAt, wrongOption } from "./check.ts";

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
