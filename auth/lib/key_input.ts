const KEY_BYTES = 32;

const encoder = /* @__PURE__ */ new TextEncoder();
// To encode into: a fresh array for each text costs as much as to hash it. What is longer gets one.
const room = /* @__PURE__ */ new Uint8Array(12_288);

/** The UTF-8 of a text, until the next one is asked for. */
export function encodeInRoom(text: string): Uint8Array<ArrayBuffer> {
  const { read, written } = encoder.encodeInto(text, room);
  return read === text.length ? room.subarray(0, written) : encoder.encode(text);
}

/**
 * Makes sure that a key is as long as the hash (RFC 7518, 3.2).
 *
 * @throws {TypeError} For a key of another length.
 */
export function assertKeyLength({ length }: Uint8Array): void {
  if (length === KEY_BYTES) return;
  throw new TypeError(`Cannot use a key of ${length} bytes: it must have ${KEY_BYTES}`);
}
