/** Encoded form of a value that JSON cannot represent: an object with exactly these two names. */
interface Tagged {
  $: Tag;
  v?: unknown;
}

/** Kinds of values that JSON cannot represent. */
export type Tag = "undefined" | "number" | "bigint" | "date" | "map" | "set" | "url" | "object";

/**
 * Error for a prop of a client component that cannot be sent to the browser. It is thrown while the page is rendered, so a
 * test of the page sees it.
 *
 * @example
 * ```ts
 * import { ClientPropError } from "@framework/cli/runtime";
 * import { equal } from "node:assert/strict";
 *
 * const error = new ClientPropError("The prop \"onSave\" of <Editor> is a function.");
 * equal(error.code, "CLIENT_PROP");
 * ```
 */
export class ClientPropError extends TypeError {
  /** Stable name of the error. */
  readonly code: "CLIENT_PROP" = "CLIENT_PROP" as const;

  /**
   * Creates the error while a page with a client component is rendered.
   *
   * @param message Component and path of the prop, and what it is.
   */
  constructor(message: string) {
    super(message);
    this.name = "ClientPropError";
  }
}

/**
 * Serializes the props of a client component as text for `decodeProps`.
 *
 * Besides what JSON knows these are `undefined`, every number, bigint, `Date`, `Map`, `Set` and `URL`. The text is
 * JSON, not a program: reading it runs nothing.
 *
 * @param props The props.
 * @param component How messages name the component.
 * @throws {ClientPropError} For a function, a promise, markup, a class's instance, a symbol or a cycle; the message
 * names where it is.
 */
export function encodeProps(props: Record<string, unknown>, component: string): string {
  const above = new Set<object>();

  function encode(value: unknown, path: string): unknown {
    switch (typeof value) {
      case "string":
      case "boolean":
        return value;
      case "number":
        return Number.isFinite(value) && !Object.is(value, -0)
          ? value
          : tagged("number", Object.is(value, -0) ? "-0" : String(value));
      case "undefined":
        return tagged("undefined");
      case "bigint":
        return tagged("bigint", String(value));
      case "function":
        throw refuse(path, "a function, which stays on the server. Define it in the component");
      case "symbol":
        throw refuse(path, "a symbol. Pass a string");
      case "object":
        return value === null ? null : encodeObject(value, path);
    }
  }

  function encodeObject(value: object, path: string): unknown {
    if (above.has(value)) throw refuse(path, "an object that contains itself. Pass a tree");
    above.add(value);
    const encoded = encodeKnown(value, path);
    above.delete(value);
    return encoded;
  }

  function encodeKnown(value: object, path: string): unknown {
    if (Array.isArray(value)) return value.map((item, index) => encode(item, `${path}[${index}]`));
    if (value instanceof Date) return tagged("date", value.getTime());
    if (value instanceof URL) return tagged("url", value.href);
    if (value instanceof Map) {
      return tagged(
        "map",
        [...value].map(([key, item]) => [
          encode(key, `${path} (a key)`),
          encode(item, `${path}.get(${String(key)})`),
        ]),
      );
    }
    if (value instanceof Set) {
      return tagged("set", [...value].map((item) => encode(item, `${path} (an element)`)));
    }
    if (value instanceof Promise) throw refuse(path, "a promise. Await it on the server");
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== null && prototype !== Object.prototype) {
      if (isMarkup(value)) throw refuse(path, "markup. Only children can be");
      const { name } = prototype.constructor ?? {};
      throw refuse(path, `an instance of ${name || "a class"}. Pass a plain object`);
    }
    const entries = Object.entries(value).map(([name, item]) =>
      [name, encode(item, `${path}.${name}`)] as const
    );
    // fromEntries defines properties, so that one named __proto__ is one like any other.
    const plain = Object.fromEntries(entries);
    return Object.hasOwn(plain, "$") ? tagged("object", plain) : plain;
  }

  function refuse(path: string, what: string): ClientPropError {
    return new ClientPropError(
      `The client component ${component} cannot receive ${path}: it is ${what}.`,
    );
  }

  return JSON.stringify(
    Object.fromEntries(
      Object.entries(props).map(([name, value]) => [name, encode(value, `the prop ${name}`)]),
    ),
  );
}

function tagged($: Tag, v?: unknown): Tagged {
  return v === undefined ? { $ } : { $, v };
}

/**
 * Returns true for JSX or a value that contains it, which can be rendered here but not sent as
 * data.
 */
export function isMarkup(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isMarkup);
  if (typeof value !== "object" || value === null) return false;
  return "isEscaped" in value || ("tag" in value && "props" in value && "children" in value) ||
    value instanceof Promise;
}

/** Decodes the output of `encodeProps`. */
export function decodeProps(text: string): Record<string, unknown> {
  return decodeEntries(JSON.parse(text) as object);
}

function decode(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(decode);
  return Object.hasOwn(value, "$") ? decodeTagged(value as Tagged) : decodeEntries(value);
}

function decodeEntries(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, decode(item)]));
}

function decodeTagged({ $, v }: Tagged): unknown {
  switch ($) {
    case "undefined":
      return undefined;
    case "number":
      return Number(v);
    case "bigint":
      return BigInt(v as string);
    case "date":
      return new Date(v as number ?? NaN);
    case "url":
      return new URL(v as string);
    case "map":
      return new Map((v as [unknown, unknown][]).map(([key, item]) => [decode(key), decode(item)]));
    case "set":
      return new Set((v as unknown[]).map(decode));
    case "object":
      return decodeEntries(v as object);
  }
}
