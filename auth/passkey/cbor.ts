/** What CBOR of authenticators can hold. */
export type CborValue =
  | number
  | string
  | boolean
  | null
  | Uint8Array
  | CborValue[]
  | CborMap;

/** A map; its keys are numbers and texts. */
export type CborMap = Map<number | string, CborValue>;

const MAX_DEPTH = 8;
const utf8 = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads one item of CBOR as CTAP2 writes it (CTAP 2.1, section 8): definite lengths, the shortest form of each
 * number, no tags, no key twice. What two readers could take for two different things is refused.
 *
 * @returns The value, and where the next item begins.
 * @throws {Error} For anything else.
 */
export function decodeCbor(
  bytes: Uint8Array,
  start: number = 0,
): { value: CborValue; end: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let position = start;

  function take(length: number): number {
    const from = position;
    // Compared with what is left, since a length of 2^53 added to a position would pass.
    if (length > bytes.length - from) throw new Error("CBOR ends too early");
    position += length;
    return from;
  }

  function argument(detail: number): number {
    if (detail < 24) return detail;
    if (detail > 27) throw new Error("CBOR of indefinite length");
    const size = detail - 24;
    const from = take(1 << size);
    const value = size === 0
      ? view.getUint8(from)
      : size === 1
      ? view.getUint16(from)
      : size === 2
      ? view.getUint32(from)
      : view.getUint32(from) * 2 ** 32 + view.getUint32(from + 4);
    const least = size === 0 ? 24 : 2 ** (8 << (size - 1));
    if (value < least || !Number.isSafeInteger(value)) throw new Error("CBOR number too long");
    return value;
  }

  function map(length: number, depth: number): CborMap {
    const found: CborMap = new Map();
    for (let index = 0; index < length; index++) {
      const key = item(depth);
      if (typeof key !== "number" && typeof key !== "string") throw new Error("CBOR key");
      if (found.has(key)) throw new Error("CBOR key twice");
      found.set(key, item(depth));
    }
    return found;
  }

  function list(length: number, depth: number): CborValue[] {
    const found: CborValue[] = [];
    // Each turn takes a byte or fails, so that a length that lies costs nothing.
    for (let index = 0; index < length; index++) found.push(item(depth));
    return found;
  }

  function simple(detail: number): CborValue {
    if (detail === 20 || detail === 21) return detail === 21;
    if (detail === 22) return null;
    throw new Error("CBOR of another kind");
  }

  function item(depth: number): CborValue {
    if (depth > MAX_DEPTH) throw new Error("CBOR too deep");
    const head = view.getUint8(take(1));
    const kind = head >> 5;
    const detail = head & 31;
    if (kind === 7) return simple(detail);
    const size = argument(detail);
    if (kind === 0) return size;
    if (kind === 1) return -1 - size;
    if (kind === 4) return list(size, depth + 1);
    if (kind === 5) return map(size, depth + 1);
    if (kind === 6) throw new Error("CBOR tag");
    const from = take(size);
    const content = bytes.subarray(from, from + size);
    return kind === 2 ? content : utf8.decode(content);
  }

  return { value: item(0), end: position };
}

/**
 * Reads bytes that are exactly one map.
 *
 * @throws {Error} For anything else, and when something follows it.
 */
export function decodeCborMap(bytes: Uint8Array): CborMap {
  const { value, end } = decodeCbor(bytes);
  if (!(value instanceof Map)) throw new Error("CBOR that is no map");
  if (end !== bytes.length) throw new Error("CBOR with bytes behind it");
  return value;
}
