import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync, type KeyObject } from "node:crypto";
import { decodeProtectedHeader, errors, jwtVerify } from "jose";
import { ConfigurationError } from "../../errors.ts";
import type { ClientAuthentication } from "./client.ts";
import { clientSecretJwt, privateKeyJwt, type PrivateKeyJwtOptions } from "./client_assertion.ts";

const AT = Date.UTC(2026, 0, 1);
const SERVER = { issuer: "https://id.example" };

async function fieldsOf(authenticate: ClientAuthentication): Promise<Record<string, string>> {
  const body = new URLSearchParams({ grant_type: "authorization_code" });
  const headers = new Headers();
  await authenticate(SERVER, { client_id: "app" }, body, headers);
  assert.deepEqual([...headers], []);
  return Object.fromEntries(body);
}

function pemOf(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

const PAIRS: [
  NonNullable<PrivateKeyJwtOptions["algorithm"]>,
  () => {
    privateKey: KeyObject;
    publicKey: KeyObject;
  },
][] = [
  ["ES256", () => generateKeyPairSync("ec", { namedCurve: "P-256" })],
  ["ES384", () => generateKeyPairSync("ec", { namedCurve: "P-384" })],
  ["RS256", () => generateKeyPairSync("rsa", { modulusLength: 2048 })],
  ["PS256", () => generateKeyPairSync("rsa", { modulusLength: 2048 })],
  ["EdDSA", () => generateKeyPairSync("ed25519")],
];

// Tracks: R097
Deno.test("privateKeyJwt() sends a token of a minute, for this server and this application, new each time", async () => {
  for (const [algorithm, generate] of PAIRS) {
    const { privateKey, publicKey } = generate();
    const pem = pemOf(privateKey);
    const forms = [pem, pem.replaceAll("\n", "\\n"), pem.replace(/-----[^-]+-----|\s/g, "")];
    const seen = new Set<string>();
    for (const text of forms) {
      const options = { privateKey: text, algorithm, keyId: "one", now: () => AT };
      const { client_assertion: token, ...rest } = await fieldsOf(privateKeyJwt(options));
      assert.deepEqual(rest, {
        grant_type: "authorization_code",
        client_id: "app",
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      });
      assert.deepEqual(decodeProtectedHeader(token!), { alg: algorithm, kid: "one", typ: "JWT" });
      const { payload } = await jwtVerify(token!, publicKey, { currentDate: new Date(AT) });
      const { jti, ...claims } = payload;
      const at = AT / 1000;
      assert.deepEqual(claims, {
        iss: "app",
        sub: "app",
        aud: "https://id.example",
        iat: at,
        nbf: at,
        exp: at + 60,
      });
      assert.match(jti!, /^[\w-]{43}$/);
      assert.equal(seen.has(jti!), false);
      seen.add(jti!);
      await assert.rejects(
        jwtVerify(token!, publicKey, { currentDate: new Date(AT + 60_000) }),
        errors.JWTExpired,
      );
    }
  }
});

Deno.test("privateKeyJwt() signs by ES256 and names no key, unless it is told", async () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const fields = await fieldsOf(privateKeyJwt({ privateKey: pemOf(privateKey) }));
  assert.deepEqual(decodeProtectedHeader(fields.client_assertion!), { alg: "ES256", typ: "JWT" });
});

// Tracks: R153
Deno.test("privateKeyJwt() refuses what is no key of the algorithm, and never says what it is", async () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-384" });
  for (
    const wrong of [
      { privateKey: "" },
      { privateKey: "canary!" },
      { privateKey: undefined },
      { privateKey: { d: "canary" } },
      { privateKey: "AAAA", algorithm: "HS256" },
      { privateKey: "AAAA", algorithm: "none" },
      { privateKey: "AAAA", algorithm: "toString" },
    ]
  ) {
    assert.throws(() => privateKeyJwt(wrong as never), (error) => {
      assert.ok(error instanceof ConfigurationError);
      assert.equal(error.message.includes("canary"), false);
      return true;
    });
  }
  for (const text of ["AAAA", pemOf(privateKey)]) {
    await assert.rejects(fieldsOf(privateKeyJwt({ privateKey: text })), (error) => {
      assert.ok(error instanceof ConfigurationError);
      assert.equal(error.message, "The privateKey of privateKeyJwt() is no key for ES256");
      assert.equal(error.cause, undefined);
      return true;
    });
  }
});

// Tracks: R097
Deno.test("clientSecretJwt() proves the secret without sending it", async () => {
  for (const algorithm of ["HS256", "HS384", "HS512"] as const) {
    const secret = "s-jwt s%c:r+t ü".padEnd(64, "=");
    const authenticate = clientSecretJwt(secret, { algorithm, now: () => AT });
    const fields = await fieldsOf(authenticate);
    const token = fields.client_assertion!;
    assert.equal(JSON.stringify(fields).includes("s-jwt"), false);
    const [header, claims, signature] = token.split(".") as [string, string, string];
    const hash = algorithm.replace("HS", "sha");
    const expected = createHmac(hash, secret).update(`${header}.${claims}`).digest("base64url");
    assert.equal(signature, expected);
    const { payload } = await jwtVerify(token, new TextEncoder().encode(secret), {
      currentDate: new Date(AT),
      issuer: "app",
      subject: "app",
      audience: "https://id.example",
    });
    assert.equal(payload.exp! - payload.iat!, 60);
    assert.notEqual((await fieldsOf(authenticate)).client_assertion, token);
  }
});

// Tracks: R059
Deno.test("clientSecretJwt() refuses a secret that is shorter than its hash", () => {
  const wrong: [unknown, string?][] = [
    [undefined],
    [""],
    ["canary".padEnd(31, "x")],
    ["canary".padEnd(47, "x"), "HS384"],
    ["canary".padEnd(63, "x"), "HS512"],
    ["canary".padEnd(64, "x"), "RS256"],
  ];
  for (const [secret, algorithm = "HS256"] of wrong) {
    assert.throws(() => clientSecretJwt(secret as string, { algorithm } as never), (error) => {
      assert.ok(error instanceof ConfigurationError);
      assert.equal(error.message.includes("canary"), false);
      return true;
    });
  }
  clientSecretJwt("x".repeat(32));
});
