import { encodeText, toBase64Url } from "./encoding.ts";
import { sha256 } from "@noble/hashes/sha2.js";

/** SHA-256 of a text, base64url. */
export function hashText(text: string): string {
  return toBase64Url(sha256(encodeText(text)));
}
