import assert from "node:assert/strict";
import { toBase64Url } from "../crypto/encoding.ts";
import { OAuthError } from "../errors/oauth_errors.ts";
import { acceptedAlgorithms, KeyMissingError, verifyIdToken } from "./id_token.ts";

const NOW = Date.UTC(2026, 0, 1);

function encode(value: object): string {
  return toBase64Url(new TextEncoder().encode(JSON.stringify(value)));
}

async function createSigner() {
  const algorithm = {
    name: "RSA-PSS",
    hash: "SHA-256",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  };
  const pair = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const { kty, n, e } = await crypto.subtle.exportKey("jwk", pair.publicKey);
  const seconds = NOW / 1000;
  const claims = {
    iss: "https://id.example",
    aud: "app",
    sub: "ada",
    iat: seconds,
    exp: seconds + 60,
    nonce: "nonce",
  };
  const text = `${encode({ alg: "PS256" })}.${encode(claims)}`;
  const bytes = new TextEncoder().encode(text);
  const how = { name: "RSA-PSS", saltLength: 32 };
  const signature = await crypto.subtle.sign(how, pair.privateKey, bytes);
  const key = { kty: kty!, n: n!, e: e! };
  return { token: `${text}.${toBase64Url(new Uint8Array(signature))}`, jwks: { keys: [key] } };
}

// Tracks: R091, CVE-2015-9235, CVE-2022-23540
Deno.test("verifyIdToken() takes the algorithms that the provider names and no other, also by a key that says none", async () => {
  const { token, jwks } = await createSigner();
  const expected = {
    issuer: "https://id.example",
    clientId: "app",
    nonce: "nonce",
    accessToken: "access",
    code: "code",
    now: NOW,
    jwks,
  };
  const { sub } = await verifyIdToken(token, { ...expected, algorithms: ["RS256", "PS256"] });
  assert.equal(sub, "ada");
  for (const algorithms of [["RS256"], ["PS384", "ES256"], []]) {
    await assert.rejects(
      verifyIdToken(token, { ...expected, algorithms }),
      (error) => error instanceof OAuthError && !(error instanceof KeyMissingError),
    );
  }
});

// Tracks: R091, GHSA-9h47-pqcx-hjr4
Deno.test("acceptedAlgorithms() leaves nothing that others than the provider can sign with", () => {
  assert.deepEqual(acceptedAlgorithms(undefined), ["RS256"]);
  assert.deepEqual(acceptedAlgorithms("HS256"), ["RS256"]);
  assert.deepEqual(acceptedAlgorithms(["none", "HS256", "ES256", "dir", 5]), ["ES256"]);
  assert.deepEqual(acceptedAlgorithms(["HS256", "none"]), []);
});
