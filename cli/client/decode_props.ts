import type { Tagged } from "./encode_props.ts";

/** Reads what `encodeProps` has written. */
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
