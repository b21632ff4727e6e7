import assert from "node:assert/strict";
import { inspect } from "node:util";
import { toBase64Url } from "../../lib/encoding.ts";
import { OAuthError } from "../../errors.ts";
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

// Tracks: R105, K1, PF-g08
Deno.test("verifyIdToken() says of a refused token why, and nothing of the token", async () => {
  const { token, jwks } = await createSigner();
  const expected = {
    issuer: "https://id.example",
    clientId: "app",
    nonce: "nonce-canary",
    accessToken: "access-canary",
    code: "code-canary",
    now: NOW,
    jwks,
    algorithms: ["PS256"],
  };
  const [head, body, signature] = token.split(".") as [string, string, string];
  const tokens = [
    token,
    `${head}.${body}.${signature.slice(0, -4)}AAAA`,
    `${head}.${body}.`,
    `${head}.${encode({ sub: "ada", secret: "claim-canary" })}.${signature}`,
    `${encode({ alg: "none" })}.${body}.`,
    `${encode({ alg: "PS256", kid: "kid-canary" })}.${body}.${signature}`,
    `${head}.${body}`,
    `${head}.{"a":"claim-canary"}.${signature}`,
    "no-token-canary",
  ];
  const otherwise: Partial<typeof expected>[] = [
    {},
    { issuer: "https://other.example" },
    { clientId: "other" },
    { nonce: "nonce", now: NOW + 86_400_000 },
    { nonce: "nonce", algorithms: ["ES256"] },
    { nonce: "nonce", jwks: { keys: [] } },
  ];
  for (const change of otherwise) {
    for (const idToken of tokens) {
      const error = await verifyIdToken(idToken, { ...expected, ...change })
        .then(() => assert.fail("believed"), (reason: unknown) => reason);
      assert.ok(error instanceof OAuthError, String(error));
      const told = inspect(error, { depth: 20, showHidden: true, maxStringLength: null });
      for (const part of [...idToken.split("."), "canary"]) {
        // An algorithm and its like may be said.
        if (part.length < 12 && part !== "canary") continue;
        assert.equal(told.includes(part), false, `${part} in ${told}`);
      }
    }
  }
});

// Tracks: R091, GHSA-9h47-pqcx-hjr4
Deno.test("acceptedAlgorithms() leaves nothing that others than the provider can sign with", () => {
  assert.deepEqual(acceptedAlgorithms(undefined), ["RS256"]);
  assert.deepEqual(acceptedAlgorithms("HS256"), ["RS256"]);
  assert.deepEqual(acceptedAlgorithms(["none", "HS256", "ES256", "dir", 5]), ["ES256"]);
  assert.deepEqual(acceptedAlgorithms(["HS256", "none"]), []);
});
