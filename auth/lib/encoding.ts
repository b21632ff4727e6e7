/**
 * Base64url, hexadecimals and UTF-8, and text that every storage takes.
 *
 * @module
 */

const encoder = /* @__PURE__ */ new TextEncoder();
const HEX = "0123456789abcdef";
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/**
 * Checks that a text can be stored and shown as it is: not longer than this, with no control characters and no
 * unpaired surrogates. Databases refuse or change those (PostgreSQL takes no NUL, UTF-8 has no lone surrogates),
 * and a name of a megabyte is read with every page that lists people.
 *
 * @param max Most UTF-16 code units that it may have.
 */
export function isStorable(text: string, max: number): boolean {
  // No \p{Cc}: its set would be made when the program is read, which a worker starts with.
  // deno-lint-ignore no-control-regex -- controls are what is looked for
  const control = /[\0-\x1f\x7f-\x9f]/;
  return text.length <= max && text.isWellFormed() && !control.test(text);
}

/** Longest beginning of a text that can be stored, without what {@linkcode isStorable} refuses. */
export function storablePart(text: string, max: number): string {
  // deno-lint-ignore no-control-regex -- controls are what is looked for
  const control = /[\0-\x1f\x7f-\x9f]/g;
  // Half of a pair at the end would be an unpaired one.
  return text.slice(0, max).replace(/[\ud800-\udbff]$/, "").toWellFormed().replace(control, "");
}

/** The UTF-8 of a text. */
export function encodeText(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Base64 without padding, as PHC strings write it. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  // One by one: no platform takes any number of arguments at once.
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("=", "");
}

/** Base64url without padding (RFC 4648, section 5); by the platform where it can (ECMA-262 of 2026). */
export function toBase64Url(bytes: Uint8Array): string {
  return "toBase64" in bytes
    ? bytes.toBase64({ alphabet: "base64url", omitPadding: true })
    : toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_");
}

/**
 * Reads base64 without padding. Null for anything but the one canonical form: a foreign character,
 * an impossible length or unused bits that are set.
 */
export function fromBase64(text: string): Uint8Array | null {
  if (text.length % 4 === 1) return null;
  const bytes = new Uint8Array(Math.floor(text.length * 3 / 4));
  let buffer = 0;
  let bits = 0;
  let length = 0;
  for (const character of text) {
    const value = BASE64.indexOf(character);
    if (value < 0) return null;
    buffer = (buffer << 6) | value;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[length++] = buffer >> bits;
    }
    buffer &= (1 << bits) - 1;
  }
  return buffer === 0 ? bytes : null;
}

const utf8 = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Decodes base64url without padding to UTF-8 text. Null for anything else: a foreign character, an
 * impossible length, or bytes that are no UTF-8.
 */
export function fromBase64UrlText(text: string): string | null {
  if (text.length % 4 === 1 || text.includes("+") || text.includes("/")) return null;
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    // What atob() passes over, blanks and padding, is missing in the length.
    if (binary.length !== Math.floor(text.length * 3 / 4)) return null;
    // ASCII is its own UTF-8.
    if (!/[\x80-\xff]/.test(binary)) return binary;
    return utf8.decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
  } catch {
    return null;
  }
}

/** Lower-case hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += HEX[byte >> 4]! + HEX[byte & 15]!;
  return text;
}

/**
 * Reads base64url without padding, in its one canonical form.
 *
 * @throws {Error} For anything else.
 */
export function fromBase64UrlBytes(text: string): Uint8Array {
  const bytes = /^[A-Za-z0-9_-]*$/.test(text)
    ? fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"))
    : null;
  if (bytes === null) throw new Error("The text is not base64url");
  return bytes;
}
