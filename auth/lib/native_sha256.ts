import { encodeText, toBase64Url } from "./encoding.ts";

/**
 * SHA-256 of a text, base64url, by WebCrypto: in workers, where one costs as much as one by `node:crypto`, which
 * with `process` takes longer to load than all the rest of a worker.
 */
export async function hashText(text: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", encodeText(text))));
}
