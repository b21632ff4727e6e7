import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync } from "node:crypto";
import { compactVerify, SignJWT } from "jose";
import { createTextKey } from "../lib/hash.ts";
import { MAX_TOKEN_LENGTH } from "./cookie.ts";
import { createTokenSigner, type TokenClaims } from "./jwt.ts";

const KEY = new Uint8Array(32).map((_, index) => index * 7);
const createWorkerKey = (key: Uint8Array) => createTextKey(key, null);
const OTHER_KEY = new Uint8Array(32).fill(1);
const HEADER = { alg: "HS256", typ: "session+jwt" };
const CLAIMS = { sub: "ada", name: "Ada ✓", iat: 1, exp: 2, nested: { list: [1, "two", null] } };

/** Signs with the first key, as workers do and as everybody else does, which must be the same. */
async function sign(claims: object, keys = [KEY]): Promise<string> {
  const token = await createTokenSigner(keys.map((key) => createTextKey(key))).sign(claims);
  assert.equal(await createTokenSigner(keys.map(createWorkerKey)).sign(claims), token);
  return token;
}

/** Opens with each key, as workers do and as everybody else does, which must be the same. */
function opener(keys: Uint8Array[]): (token: string) => Promise<TokenClaims | null> {
  const signer = createTokenSigner(keys.map((key) => createTextKey(key)));
  const inWorkers = createTokenSigner(keys.map(createWorkerKey));
  return async (token) => {
    const claims = await signer.open(token, (claims) => claims);
    assert.deepEqual(await inWorkers.open(token, (claims) => claims), claims);
    return claims;
  };
}

const open = opener([KEY]);

function encode(part: unknown): string {
  const text = typeof part === "string" ? part : JSON.stringify(part);
  return Buffer.from(text).toString("base64url");
}

function hmac(text: string, { hash = "sha256", key = KEY as Uint8Array | string } = {}): string {
  return createHmac(hash, key).update(text).digest("base64url");
}

/** A token whose parts are as given, signed rightly. */
function signed(header: unknown, payload: unknown, how?: Parameters<typeof hmac>[1]): string {
  const text = `${encode(header)}.${encode(payload)}`;
  return `${text}.${hmac(text, how)}`;
}

/** Verdict of jose under the same rules: HS256, our `typ`, and an object of claims. */
async function opensWithJose(token: string): Promise<boolean> {
  try {
    const { payload, protectedHeader } = await compactVerify(token, KEY, {
      algorithms: ["HS256"],
    });
    const claims: unknown = JSON.parse(new TextDecoder().decode(payload));
    const isObject = typeof claims === "object" && claims !== null && !Array.isArray(claims);
    return protectedHeader.typ === "session+jwt" && isObject;
  } catch {
    return false;
  }
}

Deno.test("createTokenSigner() signs what jose verifies, and opens what jose signs", async () => {
  const ours = await sign(CLAIMS);
  const { payload } = await compactVerify(ours, KEY, { algorithms: ["HS256"] });
  assert.deepEqual(JSON.parse(new TextDecoder().decode(payload)), CLAIMS);
  const theirs = await new SignJWT(CLAIMS).setProtectedHeader(HEADER).sign(KEY);
  assert.equal(theirs, ours);
  assert.deepEqual(await open(theirs), CLAIMS);
});

// Tracks: R055, F47
Deno.test("createTokenSigner() signs with the first key and opens with each", async () => {
  const rotated = [OTHER_KEY, KEY];
  assert.deepEqual(await opener(rotated)(await sign(CLAIMS)), CLAIMS);
  assert.deepEqual(await opener([OTHER_KEY])(await sign(CLAIMS, rotated)), CLAIMS);
  assert.equal(await opener([OTHER_KEY])(await sign(CLAIMS)), null);
});

// Tracks: R047, R048, R049, R051, CVE-2015-9235, CVE-2022-23540, CVE-2026-22817, GHSA-f67f-6cw9-8mq4, CVE-2022-36083, CVE-2024-28176, CVE-2021-29443
Deno.test("open() knows one header and no other, whatever it says and however it is signed", async () => {
  const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pem = publicKey.export({ type: "spki", format: "pem" });
  const jwk = { kty: "oct", k: encode("x".repeat(32)) };
  const headers: unknown[] = [
    { alg: "none", typ: HEADER.typ },
    { alg: "NONE", typ: HEADER.typ },
    { alg: "nOnE", typ: HEADER.typ },
    { alg: " HS256", typ: HEADER.typ },
    { alg: "hs256", typ: HEADER.typ },
    { alg: "HS384", typ: HEADER.typ },
    { alg: "RS256", typ: HEADER.typ },
    { alg: ["HS256"], typ: HEADER.typ },
    { typ: HEADER.typ },
    { alg: "HS256" },
    { alg: "HS256", typ: "JWT" },
    { alg: "HS256", typ: "at+jwt" },
    { ...HEADER, kid: "1" },
    { ...HEADER, jku: "https://evil.example/jwks" },
    { ...HEADER, x5u: "https://evil.example/cert" },
    { ...HEADER, x5c: ["MII"] },
    { ...HEADER, jwk },
    { ...HEADER, crit: ["exp"], exp: 1 },
    { ...HEADER, crit: [] },
    { ...HEADER, b64: false, crit: ["b64"] },
    { ...HEADER, zip: "DEF" },
    { typ: HEADER.typ, alg: HEADER.alg },
    '{"alg":"HS256","typ":"session+jwt","alg":"none"}',
    '{"alg":"HS256","typ":"session+jwt"} ',
    "{}",
    "",
    "null",
    "not json",
  ];
  for (const header of headers) {
    const text = `${encode(header)}.${encode(CLAIMS)}`;
    for (const signature of [hmac(text), hmac(text, { key: pem }), hmac(text, { key: "" }), ""]) {
      assert.equal(await open(`${text}.${signature}`), null, JSON.stringify(header));
    }
  }
  assert.equal(await open(signed(HEADER, CLAIMS, { hash: "sha384" })), null);
  assert.equal(await open(signed(HEADER, CLAIMS, { hash: "sha512" })), null);
  assert.deepEqual(await open(signed(HEADER, CLAIMS)), CLAIMS);
});

// Tracks: F33, R054
Deno.test("open() accepts no token with one bit changed, one character more or less", async () => {
  const token = await sign(CLAIMS);
  let tried = 0;
  for (let index = 0; index < token.length; index++) {
    for (let bit = 0; bit < 7; bit++) {
      const changed = String.fromCharCode(token.charCodeAt(index) ^ (1 << bit));
      tried++;
      assert.equal(await open(token.slice(0, index) + changed + token.slice(index + 1)), null);
    }
    assert.equal(await open(token.slice(0, index)), null);
    assert.equal(await open(token.slice(index + 1)), null);
    assert.equal(await open(token.slice(0, index) + token.slice(index + 1)), null);
    assert.equal(await open(`${token.slice(0, index)}A${token.slice(index)}`), null);
  }
  assert.equal(tried, token.length * 7);
  assert.deepEqual(await open(token), CLAIMS);
});

/** Tokens that jose takes although they are spelled otherwise than they were made; here each has one spelling. */
const STRICTER = [
  "padding after the signature",
  "unused bits in the signature",
  "a line break in the signature",
  "a blank in the signature",
  "padding after the payload",
  "a line break in the payload",
  "a blank in the payload",
  "another order in the header",
  "a further member in the header",
  "a kid",
  "a jku",
  "blanks in the header",
  "a mark of the byte order",
  "no UTF-8",
  "longer than any token",
];

async function vectors(): Promise<Map<string, string>> {
  const token = await sign(CLAIMS);
  const [header, payload, signature] = token.split(".") as [string, string, string];
  const head = `${header}.`;
  const rightly = (text: string) => `${text}.${hmac(text)}`;
  // A text of 2 mod 3 bytes leaves two unused bits in its last character.
  const loose = encode('{"sub":"ada" }');
  const found = new Map<string, string>([
    ["a token", token],
    ["nothing", ""],
    ["two dots", ".."],
    ["three dots", "..."],
    ["no signature", `${head}${payload}.`],
    ["no payload", `${head}.${signature}`],
    ["no header", `.${payload}.${signature}`],
    ["two parts", `${header}.${payload}`],
    ["four parts", `${token}.${signature}`],
    ["five parts, as of a JWE", `${header}.a.b.c.d`],
    ["padding after the signature", `${token}=`],
    ["unused bits in the signature", token.slice(0, -1) + nextCharacter(token.at(-1)!)],
    ["a line break in the signature", `${token.slice(0, -3)}\n${token.slice(-3)}`],
    ["a blank in the signature", `${token.slice(0, -3)} ${token.slice(-3)}`],
    ["the other alphabet in the signature", token.replaceAll("-", "+").replaceAll("_", "/")],
    ["padding after the payload", rightly(`${head}${encode('{"sub":"ada"}')}==`)],
    ["a line break in the payload", rightly(`${head}${payload.slice(0, 4)}\n${payload.slice(4)}`)],
    ["a blank in the payload", rightly(`${head}${payload.slice(0, 4)} ${payload.slice(4)}`)],
    [
      "unused bits in the payload",
      rightly(head + loose.slice(0, -1) + nextCharacter(loose.at(-1)!)),
    ],
    ["another order in the header", signed({ typ: HEADER.typ, alg: "HS256" }, CLAIMS)],
    ["a further member in the header", signed({ ...HEADER, cty: "x" }, CLAIMS)],
    ["a kid", signed({ ...HEADER, kid: "1" }, CLAIMS)],
    ["a jku", signed({ ...HEADER, jku: "https://evil.example" }, CLAIMS)],
    ["blanks in the header", signed('{ "alg": "HS256", "typ": "session+jwt" }', CLAIMS)],
    ["another typ", signed({ alg: "HS256", typ: "JWT" }, CLAIMS)],
    ["no typ", signed({ alg: "HS256" }, CLAIMS)],
    ["HS384", signed({ ...HEADER, alg: "HS384" }, CLAIMS, { hash: "sha384" })],
    ["HS512", signed({ ...HEADER, alg: "HS512" }, CLAIMS, { hash: "sha512" })],
    ["none", `${encode({ ...HEADER, alg: "none" })}.${payload}.`],
    ["an unknown crit", signed({ ...HEADER, crit: ["x"], x: 1 }, CLAIMS)],
    ["b64 false", signed({ ...HEADER, crit: ["b64"], b64: false }, CLAIMS)],
    ["another key", signed(HEADER, CLAIMS, { key: OTHER_KEY })],
    ["an empty key", signed(HEADER, CLAIMS, { key: "" })],
    ["an empty payload", signed(HEADER, "")],
    ["no JSON", signed(HEADER, "sub=ada")],
    ["a list", signed(HEADER, [CLAIMS])],
    ["a text", signed(HEADER, '"ada"')],
    ["null", signed(HEADER, "null")],
    ["a number", signed(HEADER, "1e400")],
    ["an empty object", signed(HEADER, {})],
    ["members of Object.prototype", signed(HEADER, '{"__proto__":{"sub":"eve"},"toString":1}')],
    ["a member twice", signed(HEADER, '{"sub":"ada","sub":"eve"}')],
    ["a lone surrogate", signed(HEADER, '{"sub":"\\ud800"}')],
    ["a mark of the byte order", signed(HEADER, '\ufeff{"sub":"ada"}')],
    ["no UTF-8", rightly(head + Buffer.from('{"sub":"\xff"}', "latin1").toString("base64url"))],
    ["a long token", signed(HEADER, { long: "x".repeat(8000) })],
    ["longer than any token", signed(HEADER, { long: "x".repeat(MAX_TOKEN_LENGTH) })],
  ]);
  for (let length = 1; length < 60; length++) {
    found.set(`a payload of ${length} more`, signed(HEADER, { x: "é".repeat(length % 7), length }));
  }
  return found;
}

/** The neighbour in the alphabet, which differs in the lowest bit. */
function nextCharacter(character: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return alphabet[alphabet.indexOf(character) ^ 1]!;
}

// Tracks: R047, R048, R049, R054, CVE-2025-59420, CVE-2026-32597
Deno.test("open() says what jose says, and refuses every second spelling of a token besides", async () => {
  const stricter: string[] = [];
  for (const [name, token] of await vectors()) {
    const ours = await open(token) !== null;
    const theirs = await opensWithJose(token);
    if (theirs && !ours) stricter.push(name);
    else assert.equal(ours, theirs, name);
  }
  assert.deepEqual(stricter, STRICTER);
});

// Tracks: R053
Deno.test("open() keeps claims with the names of Object's own members to themselves", async () => {
  const claims = (await open(signed(HEADER, '{"__proto__":{"sub":"eve"},"constructor":1}')))!;
  assert.equal(claims.sub, undefined);
  assert.deepEqual(Object.keys(claims), ["__proto__", "constructor"]);
  assert.equal(({} as Record<string, unknown>).sub, undefined);
});

Deno.test("open() does not look at what is longer than any token", async () => {
  assert.equal(await open(await sign({ long: "x".repeat(MAX_TOKEN_LENGTH) })), null);
  assert.equal(await open("x".repeat(1 << 20)), null);
});
