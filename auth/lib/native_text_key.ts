import { encodeText, toBase64Url } from "./encoding.ts";
import { assertKeyLength, encodeInRoom } from "./key_input.ts";
import type { TextKey } from "./portable_text_key.ts";

// Of 43 characters the last one holds four bits: its other two are none of the signature's, and zero.
const SIGNATURE = /^[\w-]{42}[AEIMQUYcgkosw048]$/;

// To decode into: WebCrypto copies what it is given before it answers (W3C Web Cryptography, 14.3.4).
const room = /* @__PURE__ */ new Uint8Array(32);

function valueOf(code: number): number {
  if (code >= 97) return code - 71;
  if (code === 95) return 63;
  if (code >= 65) return code - 65;
  return code === 45 ? 62 : code + 4;
}

function decodeInRoom(signature: string): Uint8Array<ArrayBuffer> {
  let buffer = 0;
  let byte = 0;
  for (let index = 0; byte < room.length; index++) {
    buffer = (buffer << 6) | valueOf(signature.charCodeAt(index));
    // Each character but the first of four completes a byte, and leaves two bits less for the next one.
    if (index % 4 !== 0) room[byte++] = buffer >> (6 - index % 4 * 2);
  }
  return room;
}

/**
 * Makes a key by WebCrypto: in workers, where a call of it costs half of one of `node:crypto`, and leaves
 * the collector no object of the platform.
 *
 * @param key 32 bytes.
 * @throws {TypeError} For a key of another length.
 */
export function createTextKey(key: Uint8Array): TextKey {
  assertKeyLength(key);
  const { subtle } = crypto;
  let imported: CryptoKey | undefined;

  // No promise is kept: another request could not wait for it.
  async function importKey(): Promise<CryptoKey> {
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const uses: KeyUsage[] = ["sign", "verify"];
    return imported = await subtle.importKey("raw", key.slice(), algorithm, false, uses);
  }

  function verifyBy(known: CryptoKey, text: string, signature: string): Promise<boolean> {
    return subtle.verify("HMAC", known, decodeInRoom(signature), encodeInRoom(text));
  }

  return {
    async sign(text) {
      const known = imported ?? await importKey();
      return toBase64Url(new Uint8Array(await subtle.sign("HMAC", known, encodeText(text))));
    },
    verify(text, signature) {
      if (!SIGNATURE.test(signature)) return false;
      return imported === undefined
        ? importKey().then((known) => verifyBy(known, text, signature))
        : verifyBy(imported, text, signature);
    },
  };
}
