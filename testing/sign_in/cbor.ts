import { concat } from "./bytes.ts";

/** A value of the kinds that authenticators write. */
export type CborValue =
  | number
  | string
  | boolean
  | null
  | Uint8Array
  | CborValue[]
  | CborMap;

/** A map of CBOR, in the order in which it is written. */
export type CborMap = Map<number | string, CborValue>;

function head(kind: number, size: number): Uint8Array {
  if (size < 24) return Uint8Array.of((kind << 5) | size);
  if (size < 256) return Uint8Array.of((kind << 5) | 24, size);
  if (size < 65536) return Uint8Array.of((kind << 5) | 25, size >> 8, size & 255);
  // Arithmetic of bits would leave out all above the 32nd.
  const isShort = size < 2 ** 32;
  const bytes = new Uint8Array(isShort ? 5 : 9);
  bytes[0] = (kind << 5) | (isShort ? 26 : 27);
  const view = new DataView(bytes.buffer);
  if (isShort) view.setUint32(1, size);
  else view.setBigUint64(1, BigInt(size));
  return bytes;
}

/** Writes CBOR (RFC 8949), the entries of a map in their order. */
export function encodeCbor(value: CborValue): Uint8Array {
  if (value === null) return Uint8Array.of(0xf6);
  if (typeof value === "boolean") return Uint8Array.of(value ? 0xf5 : 0xf4);
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (value instanceof Uint8Array) return concat(head(2, value.length), value);
  if (typeof value === "string") {
    const bytes = new TextEncoder().encode(value);
    return concat(head(3, bytes.length), bytes);
  }
  if (Array.isArray(value)) return concat(head(4, value.length), ...value.map(encodeCbor));
  const entries = [...value].flatMap(([key, entry]) => [encodeCbor(key), encodeCbor(entry)]);
  return concat(head(5, value.size), ...entries);
}
