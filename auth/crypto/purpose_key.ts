import { encodeText } from "./encoding.ts";
import { createTextKey, type TextKey } from "./text_key.ts";

/** What a key is for. Two purposes never share a key, so what is made for one means nothing to the other. */
export type KeyPurpose =
  | "session-jwt"
  | "email-code"
  | "oauth-transaction"
  | "provider-token"
  | "account-tag";

const KEY_BITS = 256;
// The salt of every key (RFC 5869, 3.1): SHA-256 of "@framework/auth".
const SALT = "cf33dceadc1ccf04e7087386434886697c360006b1939792ed18b297be017f9d";

function saltBytes(): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(SALT.match(/../g)!, (digits) => parseInt(digits, 16));
}

/**
 * The key for one purpose, from a secret of the application: HKDF with SHA-256 (RFC 5869). Whoever brings a
 * text that was signed for another purpose brings one that was signed with another key (CVE-2023-48309). By
 * WebCrypto on every platform: that alone costs a worker nothing to load.
 *
 * @returns 32 bytes.
 */
export async function derivePurposeKey(
  secret: string,
  purpose: KeyPurpose,
): Promise<Uint8Array<ArrayBuffer>> {
  const from = await crypto.subtle.importKey("raw", encodeText(secret), "HKDF", false, [
    "deriveBits",
  ]);
  const hkdf = { name: "HKDF", hash: "SHA-256", salt: saltBytes(), info: encodeText(purpose) };
  return new Uint8Array(await crypto.subtle.deriveBits(hkdf, from, KEY_BITS));
}

/** Signs and verifies texts for one purpose. The key is derived when it is first needed. */
export function createPurposeKey(secret: string, purpose: KeyPurpose): TextKey {
  let known: TextKey | undefined;

  // No promise is kept: another request could not wait for it.
  async function derive(): Promise<TextKey> {
    return known = createTextKey(await derivePurposeKey(secret, purpose));
  }

  return {
    sign: (text) => known === undefined ? derive().then((key) => key.sign(text)) : known.sign(text),
    verify(text, signature) {
      return known === undefined
        ? derive().then((key) => key.verify(text, signature))
        : known.verify(text, signature);
    },
  };
}
