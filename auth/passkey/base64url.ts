import { fromBase64 } from "../crypto/encoding.ts";

/**
 * Reads base64url without padding, in its one canonical form.
 *
 * @throws {Error} For anything else.
 */
export function fromBase64UrlBytes(text: string): Uint8Array {
  const bytes = /^[A-Za-z0-9_-]*$/.test(text)
    ? fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"))
    : null;
  if (bytes === null) throw new Error("Text that is no base64url");
  return bytes;
}
