import * as decoders from "@simplewebauthn/server/helpers";
import assert from "node:assert/strict";
import type { PasskeyRecord } from "../../storage/passkeys.ts";
import document from "../../tests/webauthn_vectors.json" with { type: "json" };
import {
  type Answer,
  decodeCborMap,
  readAnswer,
  readAuthenticatorData,
  responseBytes,
} from "./credential.ts";
import { fromBase64UrlBytes, toBase64Url } from "../../lib/encoding.ts";
import { verifyAssertion } from "./sign_in.ts";
import { verifyRegistration } from "./registration.ts";

const { rpId, vectors } = document;
const CONFIG = { origin: [document.origin], rpId, userVerification: "preferred" } as const;

const FRAME = /frame of another site/;
const NOT_OFFERED = /algorithm was not offered/;

/** Refused vectors with the reasons; all others are accepted, whoever attests them. */
const REFUSED: Record<string, { registration?: RegExp; authentication?: RegExp }> = {
  "none-es256-crossOrigin": { registration: FRAME, authentication: FRAME },
  "none-es256-topOrigin": { registration: FRAME, authentication: FRAME },
  "packed-es384": { registration: NOT_OFFERED },
  "packed-es512": { registration: NOT_OFFERED },
  "packed-ed448": { registration: NOT_OFFERED, authentication: /invalid alg/ },
};

function answerOf(id: string, response: Record<string, string>): Promise<Answer> {
  return readAnswer(JSON.stringify({ id, rawId: id, type: "public-key", response }));
}

/** The passkey that a registration makes, whether or not it is accepted. */
function passkeyOf({ credentialId, attestationObject }: typeof vectors[0]["registration"]) {
  const credential = {
    id: credentialId,
    response: new Map([["o", attestationObject]]),
    transports: [],
  };
  const object = decodeCborMap(responseBytes(credential, "o"), decoders);
  const { fields } = readAuthenticatorData(object.get("authData") as Uint8Array, decoders);
  return {
    id: credentialId,
    publicKey: toBase64Url(fields.credentialPublicKey!),
    deviceType: fields.flags.be ? "multiDevice" : "singleDevice",
  } as PasskeyRecord;
}

async function expectVerdict(refusal: RegExp | undefined, work: () => Promise<unknown>) {
  if (refusal === undefined) await work();
  else await assert.rejects(work, refusal);
}

// Tracks: R112, R116, R117, R118, R121
Deno.test("the test vectors of WebAuthn Level 3 get their verdicts", async (test) => {
  assert.equal(vectors.length, 15);
  for (const { name, registration, authentication } of vectors) {
    await test.step(name, async () => {
      const refused = REFUSED[name] ?? {};
      const passkey = passkeyOf(registration);
      await expectVerdict(refused.registration, async () => {
        const { challenge, credentialId, ...response } = registration;
        const { credential, client } = await answerOf(credentialId, response);
        assert.equal(client.challenge, challenge);
        const verified = await verifyRegistration(credential, challenge, CONFIG);
        assert.equal(verified.publicKey, passkey.publicKey);
      });
      await expectVerdict(refused.authentication, async () => {
        const { challenge, ...response } = authentication;
        const { credential, client } = await answerOf(passkey.id, response);
        assert.equal(client.challenge, challenge);
        await verifyAssertion(credential, challenge, { passkey, config: CONFIG });
      });
      if (refused.authentication !== undefined) return;
      const { challenge, ...response } = authentication;
      const bytes = fromBase64UrlBytes(response.signature);
      bytes[bytes.length - 1]! ^= 1;
      const { credential } = await answerOf(passkey.id, {
        ...response,
        signature: toBase64Url(bytes),
      });
      await assert.rejects(verifyAssertion(credential, challenge, { passkey, config: CONFIG }));
    });
  }
});
