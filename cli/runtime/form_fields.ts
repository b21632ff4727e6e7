import { RequestError } from "@framework/auth";
import type { FormValues } from "./invalid_input.ts";
import { isSecretField } from "./secret_fields.ts";

/** Value of one field, as a form or a query sends it. */
type Value = string | File;
type Container = Record<string | number, unknown>;

/** `address.city`, `items[0].title`, `tags[]`: names of fields that are part of another value. */
const NESTED = /^[^.[\]]+(?:\.[^.[\]]+|\[\d{1,4}\])*(?:\[\])?$/;
const DEEPEST = 16;
/** Fields of a form or a query: schemas take far longer for many short ones than for a long one. */
const MOST_FIELDS = 1000;

/**
 * Converts the fields of a form or a query to one value: `address.city` is a property of an object,
 * `items[0]` an entry of a list, `tags[]` a list however often it is sent, and a name that is sent
 * more than once a list as well. A file field without a file is left out.
 *
 * @throws {RequestError} For names that contradict each other, and for those that would change what
 * all objects have.
 */
export function nestFields(fields: readonly [string, Value][]): Record<string, unknown> {
  if (fields.length > MOST_FIELDS) {
    throw new RequestError(`The form has more than ${MOST_FIELDS.toLocaleString("en")} fields`);
  }
  const root: Container = {};
  for (const [name, value] of fields) {
    if (typeof value !== "string" && value.name === "" && value.size === 0) continue;
    const isList = name.endsWith("[]") && NESTED.test(name);
    add(root, readPath(name), { value, isList });
  }
  return root;
}

function readPath(name: string): (string | number)[] {
  const path = NESTED.test(name)
    ? [...name.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([part, index]) =>
      index === undefined ? part : Number(index)
    )
    : [name];
  const isOfPrototype = path.some((part, index) =>
    part === "__proto__" || (part === "constructor" && path[index + 1] === "prototype")
  );
  if (isOfPrototype) throw wrongName("is not a name for a field");
  if (path.length > DEEPEST) throw wrongName("is nested too deeply");
  return path;
}

function add(
  root: Container,
  path: readonly (string | number)[],
  { value, isList }: { value: Value; isList: boolean },
): void {
  let node = root;
  path.forEach((key, index) => {
    // Otherwise one field could demand a list of any length.
    if (Array.isArray(node) && (typeof key !== "number" || key > node.length)) {
      throw wrongName("skips an entry of its list");
    }
    const existing = Object.hasOwn(node, key) ? node[key] : undefined;
    const next = path[index + 1];
    if (next === undefined) {
      node[key] = join(existing, value, isList);
      return;
    }
    const isOfLists = typeof next === "number";
    if (existing === undefined) node[key] = isOfLists ? [] : {};
    else if (typeof existing !== "object" || Array.isArray(existing) !== isOfLists) {
      throw wrongName("contradicts another one");
    }
    node = node[key] as Container;
  });
}

/** Adds a value to those of the same name; a list grows in place, so that many take linear time. */
function join(existing: unknown, value: Value, isList: boolean): unknown {
  if (Array.isArray(existing)) {
    existing.push(value);
    return existing;
  }
  if (existing === undefined) return isList ? [value] : value;
  if (typeof existing !== "string" && !(existing instanceof Blob)) {
    throw wrongName("contradicts another one");
  }
  return [existing, value];
}

/** The name is the sender's own text, so the message leaves it out. */
function wrongName(problem: string): RequestError {
  return new RequestError(`The name of a field ${problem}`);
}

/** Returns the values with which a form is shown again. */
export function formValues(fields: Iterable<[string, Value]>): FormValues {
  // A map, so that a field named __proto__ is an ordinary one.
  const values = new Map<string, string | string[]>();
  for (const [name, value] of fields) {
    if (typeof value !== "string" || isSecretField(name)) continue;
    const before = values.get(name);
    if (Array.isArray(before)) before.push(value);
    else values.set(name, before === undefined ? value : [before, value]);
  }
  return Object.fromEntries(values);
}
