import type { AuthenticationResponseJSON } from "@simplewebauthn/server";
import type { PasskeyRecord } from "../storage/passkey_storage.ts";
import { readAuthenticatorData } from "./authenticator_data.ts";
import { fromBase64UrlBytes } from "./base64url.ts";
import { decodeCborMap } from "./cbor.ts";
import { type CredentialJson, responseBytes } from "./credential_json.ts";
import { assertSignature } from "./ecdsa_signature.ts";
import { loadDecoders, loadVerifier } from "./load_verifier.ts";
import type { RelyingParty } from "./relying_party.ts";

/** The part of a passkey's record that changes with a use of it. */
export type VerifiedUse = Pick<PasskeyRecord, "counter" | "backedUp">;

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
): Promise<VerifiedUse> {
  const decoders = await loadDecoders();
  const { key } = readAuthenticatorData(responseBytes(credential, "authenticatorData"), decoders);
  if (key !== null) throw new Error("The assertion has a key");
  const publicKey = fromBase64UrlBytes(passkey.publicKey).slice();
  assertSignature(decodeCborMap(publicKey, decoders), responseBytes(credential, "signature"));
  const { verifyAuthenticationResponse } = await loadVerifier();
  const { id, response } = credential;
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
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
  if (!verified) throw new Error("The signature is not right");
  const { newCounter, credentialDeviceType, credentialBackedUp } = authenticationInfo;
  // It says whether the key can be copied, and a key that could not be copied cannot become one that can.
  if (credentialDeviceType !== passkey.deviceType) {
    throw new Error("The key's backup eligibility changed");
  }
  return { counter: newCounter, backedUp: credentialBackedUp };
}
