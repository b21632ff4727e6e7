import type { RegistrationResponseJSON } from "@simplewebauthn/server";
import { toBase64Url } from "../crypto/encoding.ts";
import type { PasskeyRecord } from "../storage/passkey_storage.ts";
import { type AuthenticatorData, readAuthenticatorData } from "./authenticator_data.ts";
import { decodeCborMap } from "./cbor.ts";
import { type CredentialJson, responseBytes } from "./credential_json.ts";
import { assertAttestation } from "./ecdsa_signature.ts";
import { loadVerifier } from "./load_verifier.ts";
import { ALGORITHMS, assertPublicKey } from "./public_key.ts";
import type { RelyingParty } from "./relying_party.ts";

/** What an authenticator says about the passkey that it made. */
export type VerifiedPasskey = Pick<
  PasskeyRecord,
  "id" | "publicKey" | "counter" | "transports" | "deviceType" | "backedUp"
>;

/** Reads the attestation object to the last byte. */
function readNewKey(credential: CredentialJson): {
  data: AuthenticatorData;
  key: NonNullable<AuthenticatorData["credential"]>;
} {
  const object = decodeCborMap(responseBytes(credential, "attestationObject"));
  const bytes = object.get("authData");
  if (object.size !== 3 || !(bytes instanceof Uint8Array)) {
    throw new Error("Attestation object of another shape");
  }
  const statement = object.get("attStmt");
  if (statement instanceof Map) assertAttestation(object.get("fmt"), statement);
  const data = readAuthenticatorData(bytes);
  if (data.credential === null) throw new Error("Registration without a key");
  return { data, key: data.credential };
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
  const { data, key } = readNewKey(credential);
  if (toBase64Url(key.id) !== credential.id) throw new Error("Key of another id than it says");
  assertPublicKey(key.key);
  const { verifyRegistrationResponse } = await loadVerifier();
  const { id, response, transports } = credential;
  const { verified } = await verifyRegistrationResponse({
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
  if (!verified) throw new Error("Attestation that is not right");
  return {
    id,
    publicKey: toBase64Url(key.publicKey),
    counter: data.counter,
    transports,
    deviceType: data.backupEligible ? "multiDevice" : "singleDevice",
    backedUp: data.backedUp,
  };
}
