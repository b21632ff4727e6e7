import type { CheckedPasskey } from "../providers/passkey_config.ts";
import type { PasskeyRecord } from "../storage/passkey_storage.ts";
import { CHALLENGE_LIFETIME } from "./challenge.ts";
import { ALGORITHMS } from "./public_key.ts";

type Known = Pick<PasskeyRecord, "id" | "transports">;

function descriptors(passkeys: readonly Known[]): object[] {
  return passkeys.map(({ id, transports }) => ({ type: "public-key", id, transports }));
}

/** What `parseCreationOptionsFromJSON()` of a browser takes (WebAuthn Level 3, 5.1.9). */
export function creationOptions(
  config: CheckedPasskey,
  challenge: string,
  { user, exclude }: {
    user: { id: string; name: string; displayName: string };
    exclude: readonly Known[];
  },
): object {
  const { rpId, rpName, authenticatorAttachment, residentKey, userVerification } = config;
  return {
    rp: { id: rpId, name: rpName },
    user,
    challenge,
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
    timeout: CHALLENGE_LIFETIME,
    excludeCredentials: descriptors(exclude),
    authenticatorSelection: {
      ...(authenticatorAttachment !== null && { authenticatorAttachment }),
      residentKey,
      requireResidentKey: residentKey === "required",
      userVerification,
    },
    attestation: "none",
    extensions: { credProps: true },
  };
}

/** What `parseRequestOptionsFromJSON()` of a browser takes (WebAuthn Level 3, 5.1.10). */
export function requestOptions(
  { rpId, userVerification }: CheckedPasskey,
  challenge: string,
  allow: readonly Known[],
): object {
  return {
    rpId,
    challenge,
    timeout: CHALLENGE_LIFETIME,
    allowCredentials: descriptors(allow),
    userVerification,
  };
}
