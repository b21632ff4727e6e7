import type { ParsedAuthenticatorData } from "@simplewebauthn/server/helpers";
import { type CborMap, decodeCborMap, equalBytes } from "./cbor.ts";
import type { Decoders } from "./load_verifier.ts";

/** Authenticator data (WebAuthn Level 3, 6.1), decoded. */
export interface AuthenticatorData {
  /** The fields, as the library decodes them. */
  fields: ParsedAuthenticatorData;
  /** The new key's parameters, in a registration only. */
  key: CborMap | null;
}

/** Writes the fields one behind the other, as they stand in authenticator data. */
function encodeFields(
  { rpIdHash, flagsBuf, counterBuf, ...optional }: ParsedAuthenticatorData,
): number[] {
  const { aaguid = [], credentialID, credentialPublicKey = [], extensionsDataBuffer = [] } =
    optional;
  const id = credentialID === undefined
    ? []
    : [credentialID.length >> 8, credentialID.length & 255, ...credentialID];
  return [
    ...[...rpIdHash, ...flagsBuf, ...counterBuf, ...aaguid],
    ...[...id, ...credentialPublicKey, ...extensionsDataBuffer],
  ];
}

/**
 * Decodes authenticator data to the last byte: the decoder's fields, written again, must be the bytes that came, and
 * the key and the extensions must be CBOR in its one encoding. That leaves out what the decoder mends, such as the
 * keys that Firefox 117 wrote wrongly.
 *
 * Texts in extensions must be ASCII, as all that are registered are: the decoder finds the end of others wrongly.
 *
 * @throws {Error} When it is malformed.
 */
export function readAuthenticatorData(bytes: Uint8Array, decoders: Decoders): AuthenticatorData {
  const fields = decoders.parseAuthenticatorData(bytes.slice());
  if (!equalBytes(encodeFields(fields), bytes)) {
    throw new Error("The authenticator data is not what its fields are written as");
  }
  const { credentialPublicKey, extensionsDataBuffer } = fields;
  if (extensionsDataBuffer !== undefined) decodeCborMap(extensionsDataBuffer, decoders);
  const key = credentialPublicKey && decodeCborMap(credentialPublicKey, decoders);
  return { fields, key: key ?? null };
}
