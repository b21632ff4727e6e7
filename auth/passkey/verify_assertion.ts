import type { AuthenticationResponseJSON } from "@simplewebauthn/server";
import type { PasskeyRecord } from "../storage/passkey_storage.ts";
import { type AuthenticatorData, readAuthenticatorData } from "./authenticator_data.ts";
import { fromBase64UrlBytes } from "./base64url.ts";
import { decodeCborMap } from "./cbor.ts";
import { type CredentialJson, responseBytes } from "./credential_json.ts";
import { assertSignature } from "./ecdsa_signature.ts";
import { loadVerifier } from "./load_verifier.ts";
import type { RelyingParty } from "./relying_party.ts";

/**
 * Verifies the answer of an authenticator that was asked to prove that it has a passkey (WebAuthn Level 3,
 * 7.2). Its counter is for the caller to judge, who knows what it was at the moment of the change.
 *
 * @param challenge The challenge, which has been taken.
 * @param passkey The passkey that the answer names.
 * @throws {Error} When something is wrong with it.
 */
export async function verifyAssertion(
  credential: CredentialJson,
  challenge: string,
  { passkey, config }: {
    passkey: PasskeyRecord;
    config: RelyingParty;
  },
): Promise<AuthenticatorData> {
  const data = readAuthenticatorData(responseBytes(credential, "authenticatorData"));
  if (data.credential !== null) throw new Error("Assertion with a key");
  // It says whether the key can be copied, and a key that could not be copied cannot become one that can.
  if (data.backupEligible !== (passkey.deviceType === "multiDevice")) {
    throw new Error("Backup eligibility that changed");
  }
  const publicKey = fromBase64UrlBytes(passkey.publicKey).slice();
  assertSignature(decodeCborMap(publicKey), responseBytes(credential, "signature"));
  const { verifyAuthenticationResponse } = await loadVerifier();
  const { id, response } = credential;
  const { verified } = await verifyAuthenticationResponse({
    response: {
      id,
      rawId: id,
      type: "public-key",
      response: Object.fromEntries(response) as unknown as AuthenticationResponseJSON["response"],
      clientExtensionResults: {},
    },
    expectedChallenge: challenge,
    expectedOrigin: [...config.origin],
    expectedRPID: config.rpId,
    // A counter of 0 is behind every other one, and one that is 0 itself is not compared.
    credential: { id, publicKey, counter: 0 },
    requireUserVerification: config.userVerification === "required",
  });
  if (!verified) throw new Error("Signature that is not right");
  return data;
}
