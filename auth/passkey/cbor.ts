import type { Decoders } from "./load_verifier.ts";

/** Kinds of CBOR that authenticators write. */
export type CborValue =
  | number
  | string
  | boolean
  | null
  | Uint8Array
  | CborValue[]
  | CborMap;

/** A map of CBOR; its keys are numbers and texts. */
export type CborMap = Map<number | string, CborValue>;

const MAX_DEPTH = 8;
const encoder = /* @__PURE__ */ new TextEncoder();

/** The head of an item (RFC 8949, section 3), in the shortest form for its number. */
function encodeHead(kind: number, size: number): number[] {
  const first = kind << 5;
  if (size < 24) return [first | size];
  const form = size < 2 ** 8 ? 0 : size < 2 ** 16 ? 1 : size < 2 ** 32 ? 2 : 3;
  const head = [first | (24 + form)];
  // By division, since the operators for bits know no more than 32 of them.
  for (let place = 2 ** form - 1; place >= 0; place--) {
    head.push(Math.floor(size / 256 ** place) % 256);
  }
  return head;
}

/**
 * Writes a value as CTAP2 does (CTAP 2.1, section 8): definite lengths, the shortest form of each number, neither
 * floats nor tags; a map in the order that it has.
 *
 * @throws {Error} For values of other kinds and for lists and maps more than eight deep in each other.
 */
function encodeCbor(value: unknown, depth: number = 0): number[] {
  if (depth > MAX_DEPTH) throw new Error("The CBOR is too deep");
  if (value === null) return [0xf6];
  if (typeof value === "boolean") return [value ? 0xf5 : 0xf4];
  if (typeof value === "number" && Number.isSafeInteger(value)) {
    return value < 0 ? encodeHead(1, -1 - value) : encodeHead(0, value);
  }
  if (value instanceof Uint8Array) return [...encodeHead(2, value.length), ...value];
  if (typeof value === "string") {
    const bytes = encoder.encode(value);
    return [...encodeHead(3, bytes.length), ...bytes];
  }
  const encodeInner = (inner: unknown): number[] => encodeCbor(inner, depth + 1);
  if (Array.isArray(value)) return [...encodeHead(4, value.length), ...value.flatMap(encodeInner)];
  if (value instanceof Map) {
    return [...encodeHead(5, value.size), ...[...value].flat().flatMap(encodeInner)];
  }
  throw new Error("The CBOR holds a value of a kind that no authenticator writes");
}

/** Compares bytes that are no secret. */
export function equalBytes(a: ArrayLike<number>, b: Uint8Array): boolean {
  return a.length === b.length && b.every((byte, index) => byte === a[index]);
}

/**
 * Decodes bytes that are exactly one item of CBOR. The decoder is lenient: it takes numbers longer than they need be,
 * text that is no UTF-8 and bytes behind the item. So the value is encoded again, and bytes that are not its one
 * encoding are refused: whoever reads them, with whatever decoder, reads the same.
 *
 * @throws {Error} For anything else.
 */
export function decodeCbor(bytes: Uint8Array, { isoCBOR }: Pick<Decoders, "isoCBOR">): CborValue {
  const value: unknown = isoCBOR.decodeFirst(bytes.slice());
  if (!equalBytes(encodeCbor(value), bytes)) {
    throw new Error("The CBOR is not the one encoding of what it holds");
  }
  return value as CborValue;
}

/**
 * Decodes bytes that are exactly one map of CBOR, as {@linkcode decodeCbor} does.
 *
 * @throws {Error} For anything else.
 */
export function decodeCborMap(bytes: Uint8Array, decoders: Pick<Decoders, "isoCBOR">): CborMap {
  const value = decodeCbor(bytes, decoders);
  if (!(value instanceof Map)) throw new Error("The CBOR is no map");
  return value;
}
