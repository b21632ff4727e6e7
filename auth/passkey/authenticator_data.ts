import { type CborMap, decodeCbor } from "./cbor.ts";

/** What an authenticator says about a ceremony (WebAuthn Level 3, 6.1). */
export interface AuthenticatorData {
  /** Somebody was there. */
  userPresent: boolean;
  /** The authenticator knows that it was its owner. */
  userVerified: boolean;
  /** The key may be copied to other devices; that never changes. */
  backupEligible: boolean;
  /** The key is copied at present. */
  backedUp: boolean;
  /** How often the key has been used; 0 from authenticators that do not count. */
  counter: number;
  /** The new key, in a registration only. */
  credential: { id: Uint8Array; publicKey: Uint8Array; key: CborMap } | null;
}

const MIN_LENGTH = 37;
const MAX_CREDENTIAL_ID = 1023;

/**
 * Reads authenticator data to the last byte: what the flags promise is there, and nothing else.
 *
 * @throws {Error} When it is malformed.
 */
export function readAuthenticatorData(bytes: Uint8Array): AuthenticatorData {
  if (bytes.length < MIN_LENGTH) throw new Error("Authenticator data ends too early");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const flags = view.getUint8(32);
  let end = MIN_LENGTH;
  let credential: AuthenticatorData["credential"] = null;
  if ((flags & 0x40) !== 0) {
    if (bytes.length < end + 18) throw new Error("Authenticator data ends too early");
    const length = view.getUint16(end + 16);
    if (length < 1 || length > MAX_CREDENTIAL_ID) {
      throw new Error("Credential id of a wrong length");
    }
    const keyAt = end + 18 + length;
    if (bytes.length < keyAt) throw new Error("Authenticator data ends too early");
    const key = decodeCbor(bytes, keyAt);
    if (!(key.value instanceof Map)) throw new Error("Public key that is no map");
    credential = {
      id: bytes.slice(end + 18, keyAt),
      publicKey: bytes.slice(keyAt, key.end),
      key: key.value,
    };
    end = key.end;
  }
  if ((flags & 0x80) !== 0) {
    const extensions = decodeCbor(bytes, end);
    if (!(extensions.value instanceof Map)) throw new Error("Extensions that are no map");
    end = extensions.end;
  }
  if (end !== bytes.length) throw new Error("Authenticator data with bytes behind it");
  const backupEligible = (flags & 0x08) !== 0;
  const backedUp = (flags & 0x10) !== 0;
  if (backedUp && !backupEligible) throw new Error("Backed up without being eligible");
  return {
    userPresent: (flags & 0x01) !== 0,
    userVerified: (flags & 0x04) !== 0,
    backupEligible,
    backedUp,
    counter: view.getUint32(33),
    credential,
  };
}
