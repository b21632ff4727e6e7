import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { inspect } from "node:util";
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { OAuthError } from "../../errors.ts";
import { createOidcProvider } from "./oidc.ts";
import { type ExpectedIdToken, KeyMissingError, verifyIdToken } from "./id_token.ts";

type Claims = Record<string, unknown>;

const NOW = Date.UTC(2026, 0, 1);
const SECONDS = NOW / 1000;
const CLAIMS: Claims = {
  iss: "https://id.example",
  aud: "app",
  sub: "ada",
  iat: SECONDS,
  exp: SECONDS + 60,
  nonce: "nonce",
};

/** A token, and the keys and claims by which it is judged. */
interface Attempt {
  claims?: Claims;
  header?: Record<string, unknown>;
  /** Changes the key as the provider publishes it. */
  publish?(key: JWK): JWK[];
  expected?: Partial<ExpectedIdToken>;
  /** Signs as nobody's library does. */
  token?: string;
}

const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
const PUBLIC = await exportJWK(publicKey);
const PRIVATE = await exportJWK(privateKey);

async function attempt({ claims = {}, header, publish, expected, token }: Attempt) {
  const signed = token ??
    await new SignJWT({ ...CLAIMS, ...claims }).setProtectedHeader({ alg: "ES256", ...header })
      .sign(privateKey);
  return await verifyIdToken(signed, {
    issuer: "https://id.example",
    clientId: "app",
    nonce: "nonce",
    accessToken: "access",
    code: "code",
    now: NOW,
    jwks: { keys: publish?.(PUBLIC) ?? [PUBLIC] },
    algorithms: ["ES256"],
    ...expected,
  });
}

async function refusalOf(how: Attempt, what: string): Promise<OAuthError> {
  const error = await attempt(how).then(() => assert.fail(what), (reason: unknown) => reason);
  assert.ok(error instanceof OAuthError, what);
  assert.equal(error.code, "OAUTH_RESPONSE_INVALID", what);
  return error;
}

// Tracks: R091
Deno.test("verifyIdToken() refuses a critical header also when the library understands it", async () => {
  const header = { b64: true, crit: ["b64"] };
  assert.match((await refusalOf({ header }, "b64")).message, /critical header/);
});

// Tracks: RFC 8725, 3.11
Deno.test("verifyIdToken() refuses a token that says that it is of another type, and an end that is no time", async () => {
  for (const typ of ["logout+jwt", "at+jwt", "application/at+jwt", "AT+JWT", "", "jwt "]) {
    assert.match((await refusalOf({ header: { typ } }, typ)).message, /type/);
  }
  for (const typ of ["JWT", "jwt", "application/jwt", "id_token+jwt"]) {
    await attempt({ header: { typ } });
  }
  for (const exp of [1e300, 1e11]) await refusalOf({ claims: { exp } }, String(exp));
});

// Tracks: R105, PF-g08
Deno.test("verifyIdToken() tells nothing of a token that is signed well and refused", async () => {
  const crit = { crit: { "a-canary": true } };
  const critical = new SignJWT(CLAIMS).setProtectedHeader({
    alg: "ES256",
    "a-canary": "x",
    crit: ["a-canary"],
  });
  const attempts: Attempt[] = [
    { claims: { iss: "https://canary.example" } },
    { claims: { exp: SECONDS - 600, email: "canary@id.example" } },
    { claims: { sub: undefined, email: "canary@id.example" } },
    { claims: { nonce: "canary" } },
    { claims: { azp: "canary" } },
    { header: { kid: "canary" }, publish: (key) => [{ ...key, kid: "other" }] },
    { token: await critical.sign(privateKey, crit) },
  ];
  for (const how of attempts) {
    const error = await refusalOf(how, JSON.stringify(how));
    const told = inspect(error, { depth: 20, showHidden: true, maxStringLength: null });
    assert.equal(told.includes("canary"), false, told);
  }
});

// Tracks: R091
Deno.test("verifyIdToken() refuses a key that is not meant to verify signatures", async () => {
  assert.equal((await attempt({})).sub, "ada");
  const unfit: Record<string, (key: JWK) => JWK[]> = {
    "for encryption": (key) => [{ ...key, use: "enc" }],
    "for other operations": (key) => [{ ...key, key_ops: ["deriveBits"] }],
    "of another algorithm": (key) => [{ ...key, alg: "ES384" }],
    "of another type": (key) => [{ ...key, kty: "RSA" }],
    "of another curve": (key) => [{ ...key, crv: "P-384" }],
    "of another name": (key) => [{ ...key, kid: "other" }],
    "one of two": (key) => [key, { ...key }],
    "none": () => [],
  };
  for (const [what, publish] of Object.entries(unfit)) {
    const header = what === "of another name" ? { kid: "mine" } : {};
    assert.ok(await refusalOf({ publish, header }, what) instanceof KeyMissingError, what);
  }
  for (const publish of [() => [PRIVATE], (key: JWK) => [{ ...key, x: "AAAA" }]]) {
    const error = await refusalOf({ publish }, "no public key");
    assert.equal(error instanceof KeyMissingError, false);
    assert.equal(error.message.includes(String(PRIVATE.d)), false);
  }
});

// Tracks: R091
Deno.test("verifyIdToken() refuses RSA keys of less than 2048 bits", async () => {
  const algorithm = {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
    modulusLength: 1024,
    publicExponent: new Uint8Array([1, 0, 1]),
  };
  const pair = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const encode = (value: unknown) => btoa(JSON.stringify(value)).replace(/=+$/, "");
  const text = `${encode({ alg: "RS256" })}.${encode(CLAIMS)}`;
  const signature = await crypto.subtle.sign(
    algorithm.name,
    pair.privateKey,
    new TextEncoder().encode(text),
  );
  const token = `${text}.${new Uint8Array(signature).toBase64({ alphabet: "base64url" })}`;
  const { kty, n, e } = await crypto.subtle.exportKey("jwk", pair.publicKey);
  await refusalOf({
    token: token.replace(/=+$/, ""),
    publish: () => [{ kty: kty!, n: n!, e: e! }],
    expected: { algorithms: ["RS256"] },
  }, "1024 bits");
});

// Tracks: R091
Deno.test("verifyIdToken() names the claim that is wrong, whatever its type", async () => {
  const wrong: [Claims, RegExp][] = [
    [{ iss: "https://id.example/" }, /"iss"/],
    [{ iss: ["https://id.example"] }, /"iss"/],
    [{ aud: "other" }, /"aud"/],
    [{ aud: [] }, /"aud"/],
    [{ aud: { app: true } }, /"aud"/],
    [{ aud: ["app", "other"] }, /another application/],
    [{ aud: ["app", "app"] }, /another application/],
    [{ azp: "other" }, /another application/],
    [{ aud: ["app", "other"], azp: ["app"] }, /another application/],
    [{ sub: undefined }, /"sub"/],
    [{ sub: 5 }, /has no subject/],
    [{ exp: undefined }, /"exp"/],
    [{ exp: String(SECONDS + 60) }, /"exp"/],
    [{ exp: SECONDS - 60 }, /"exp"/],
    [{ nbf: SECONDS + 61 }, /"nbf"/],
    [{ nbf: "soon" }, /"nbf"/],
    [{ iat: undefined }, /"iat"/],
    [{ iat: null }, /"iat"/],
    [{ iat: SECONDS + 61 }, /"iat"/],
    [{ iat: SECONDS - 661 }, /"iat"/],
    [{ nonce: undefined }, /nonce/],
    [{ nonce: "Nonce" }, /nonce/],
    [{ nonce: ["nonce"] }, /nonce/],
    [{ auth_time: "0" }, /auth_time/],
    [{ auth_time: -1 }, /auth_time/],
    [{ at_hash: "x" }, /another access token/],
    [{ at_hash: null }, /another access token/],
    [{ c_hash: "x" }, /another access token or code/],
  ];
  for (const [claims, message] of wrong) {
    const { message: told } = await refusalOf({ claims }, JSON.stringify(claims));
    assert.match(told, message, JSON.stringify(claims));
  }
});

Deno.test("verifyIdToken() takes every form that the specification allows", async () => {
  const half = (text: string) =>
    createHash("sha256").update(text).digest().subarray(0, 16).toString("base64url");
  const right: Claims[] = [
    { aud: ["app"] },
    { aud: ["app", "other"], azp: "app" },
    { azp: "app" },
    { auth_time: 0 },
    { at_hash: half("access"), c_hash: half("code") },
    { exp: SECONDS - 59 },
    { iat: SECONDS - 660, nbf: SECONDS + 60 },
  ];
  for (const claims of right) {
    assert.equal((await attempt({ claims })).sub, "ada", JSON.stringify(claims));
  }
});

// Tracks: R091
Deno.test("verifyIdToken() believes only a user who authenticated within max_age, when that was asked for", async () => {
  const expected = { maxAge: 300 };
  for (const claims of [{ auth_time: SECONDS }, { auth_time: SECONDS - 360 }]) {
    assert.equal((await attempt({ claims, expected })).sub, "ada");
  }
  assert.equal((await attempt({ claims: { auth_time: SECONDS + 60 }, expected })).sub, "ada");
  const wrong = [{}, { auth_time: SECONDS - 361 }, { auth_time: 0 }, { auth_time: SECONDS + 61 }];
  for (const claims of wrong) {
    await refusalOf({ claims, expected }, JSON.stringify(claims));
  }
});

Deno.test("createOidcProvider() takes max_age as a number of seconds", () => {
  const config = { id: "x", name: "X", issuer: "https://id.example", clientId: "app" };
  const create = (age: string) =>
    createOidcProvider({ ...config, clientSecret: "s", parameters: { max_age: age } });
  create("0");
  for (const age of ["", "-1", "1e3", "an hour"]) assert.throws(() => create(age), /max_age/);
});
