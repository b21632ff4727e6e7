import { concat } from "./bytes.ts";

function head(kind: number, size: number): Uint8Array {
  const major = kind << 5;
  if (size < 24) return Uint8Array.of(major | size);
  if (size < 256) return Uint8Array.of(major | 24, size);
  return Uint8Array.of(major | 25, size >> 8, size & 255);
}

/** Writes CBOR (RFC 8949) of numbers, texts, bytes and maps of these, up to 65535 long. */
export function encodeCbor(value: unknown): Uint8Array {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (value instanceof Uint8Array) return concat(head(2, value.length), value);
  if (typeof value === "string") {
    const bytes = new TextEncoder().encode(value);
    return concat(head(3, bytes.length), bytes);
  }
  const map = value as ReadonlyMap<unknown, unknown>;
  const entries = [...map].flatMap(([key, entry]) => [encodeCbor(key), encodeCbor(entry)]);
  return concat(head(5, map.size), ...entries);
}
