import type { RegistrationResponseJSON } from "@simplewebauthn/server";
import { toBase64Url } from "../crypto/encoding.ts";
import type { PasskeyRecord } from "../storage/passkey_storage.ts";
import { readAuthenticatorData } from "./authenticator_data.ts";
import { decodeCborMap } from "./cbor.ts";
import { type CredentialJson, responseBytes } from "./credential_json.ts";
import { assertAttestation } from "./ecdsa_signature.ts";
import { type Decoders, loadDecoders, loadVerifier } from "./load_verifier.ts";
import { ALGORITHMS, assertPublicKey } from "./public_key.ts";
import type { RelyingParty } from "./relying_party.ts";

/** The part of a new passkey's record that its authenticator vouches for. */
export type VerifiedPasskey = Pick<
  PasskeyRecord,
  "id" | "publicKey" | "counter" | "transports" | "deviceType" | "backedUp"
>;

/** Checks what the verifier does not: that the bytes have one reading, and that the key is one. */
function assertNewKey(credential: CredentialJson, decoders: Decoders): void {
  const object = decodeCborMap(responseBytes(credential, "attestationObject"), decoders);
  const bytes = object.get("authData");
  if (object.size !== 3 || !(bytes instanceof Uint8Array)) {
    throw new Error("The attestation object is of another shape");
  }
  const statement = object.get("attStmt");
  if (statement instanceof Map) assertAttestation(object.get("fmt"), statement);
  const { fields: { credentialID }, key } = readAuthenticatorData(bytes, decoders);
  if (credentialID === undefined || key === null) throw new Error("The registration has no key");
  if (toBase64Url(credentialID) !== credential.id) {
    throw new Error("The key is of another id than the credential");
  }
  assertPublicKey(key);
}

/**
 * Verifies the answer of an authenticator that was asked for a new passkey (WebAuthn Level 3, 7.1).
 *
 * Where it came from makes no difference, so that no attestation is asked for; one that comes all the same
 * must be right.
 *
 * @param challenge The challenge, which has been taken.
 * @throws {Error} When something is wrong with it.
 */
export async function verifyRegistration(
  credential: CredentialJson,
  challenge: string,
  { origin, rpId, userVerification }: RelyingParty,
): Promise<VerifiedPasskey> {
  assertNewKey(credential, await loadDecoders());
  const { verifyRegistrationResponse } = await loadVerifier();
  const { id, response, transports } = credential;
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: {
      id,
      rawId: id,
      type: "public-key",
      response: Object.fromEntries(response) as unknown as RegistrationResponseJSON["response"],
      clientExtensionResults: {},
    },
    expectedChallenge: challenge,
    expectedOrigin: [...origin],
    expectedRPID: rpId,
    requireUserVerification: userVerification === "required",
    supportedAlgorithmIDs: [...ALGORITHMS],
  });
  if (!verified) throw new Error("The attestation is not right");
  const { credential: { publicKey, counter }, credentialDeviceType, credentialBackedUp } =
    registrationInfo;
  return {
    id,
    publicKey: toBase64Url(publicKey),
    counter,
    transports,
    deviceType: credentialDeviceType,
    backedUp: credentialBackedUp,
  };
}
