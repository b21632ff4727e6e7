import assert from "node:assert/strict";
import { inspect } from "node:util";
import { createHash, createHmac, createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import { createOidcProvider } from "@framework/auth";
import { type MutableResponse, OAuth2Server } from "oauth2-mock-server";
import { createOAuthApplication } from "./application.ts";
import { errorOf } from "./visitor.ts";

type Json = Record<string, unknown>;

/** The parts of an ID token, to be changed before it is signed. */
interface Token {
  header: Json;
  claims: Json;
  /** The access token that goes with it. */
  accessToken: string;
  code: string;
}

/** Behaviour of hostile or unusual providers. */
interface Misbehaviour {
  /** Changes the ID token. */
  token?(token: Token): void;
  /** Signs it in another way. */
  sign?(text: string): string;
  /** Changes the answer of the token endpoint. */
  tokens?(body: Json, response: MutableResponse): void;
  /** Changes what userinfo says. */
  userinfo?(body: Json): void;
  /** Changes the address to which the visitor is sent back. */
  redirect?(parameters: URLSearchParams): void;
  /** Changes the provider's description of itself. */
  description?(body: Json): void;
  /** Answers in its place. */
  fetch?(url: string): Response | undefined;
}

const { privateKey: strangeKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const server = new OAuth2Server();
const CLIENT = { clientId: "app", clientSecret: "a secret that both sides know, of 40 bytes" };

function encode(value: Json): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function decode(text: string): Json {
  return JSON.parse(Buffer.from(text, "base64url").toString());
}

function signWithServerKey(text: string, { alg, kid }: Json): string {
  const { keys } = server.issuer;
  const jwk = keys.get(kid as string | undefined) ?? keys.get();
  const key = createPrivateKey({ key: jwk as never, format: "jwk" });
  if (alg === "ES256") {
    return sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }).toString(
      "base64url",
    );
  }
  return sign("sha256", Buffer.from(text), key).toString("base64url");
}

function half(text: unknown, algorithm = "sha256"): string {
  const hash = createHash(algorithm).update(String(text)).digest();
  return hash.subarray(0, hash.length / 2).toString("base64url");
}

const seconds = (): number => Math.floor(Date.now() / 1000);
const strange = (text: string) =>
  sign("sha256", Buffer.from(text), strangeKey).toString("base64url");
const hmac = (text: string) =>
  createHmac("sha256", CLIENT.clientSecret).update(text).digest("base64url");

const ACCEPTED: Record<string, Misbehaviour> = {
  "happy-path": {},
  "userinfo-bearer-header, scope-userinfo-claims": { userinfo: (body) => body.name = "Jo" },
  "valid-aud-as-array": { token: ({ claims }) => claims.aud = ["app"] },
  "two audiences and an authorized party": {
    token: ({ claims }) => Object.assign(claims, { aud: ["app", "other"], azp: "app" }),
  },
  "kid-absent-single-jwks": { token: ({ header }) => delete header.kid },
  "token-type-case-insensitivity": { tokens: (body) => body.token_type = "bEaReR" },
  "without-expires_in": { tokens: (body) => delete body.expires_in },
  "expires_in as a text": { tokens: (body) => body.expires_in = "3600" },
  "no-scope-in-token-endpoint-response": { tokens: (body) => delete body.scope },
  "no refresh token": { tokens: (body) => delete body.refresh_token },
  "at-hash": { token: ({ claims, accessToken }) => claims.at_hash = half(accessToken) },
  "c-hash in the code flow": { token: ({ claims, code }) => claims.c_hash = half(code) },
  "auth_time of 0": { token: ({ claims }) => claims.auth_time = 0 },
  "a clock 40 s ahead": {
    token: ({ claims }) => Object.assign(claims, { iat: seconds() + 40, nbf: seconds() + 40 }),
  },
  "a clock 40 s behind": { token: ({ claims }) => claims.exp = seconds() - 40 },
  "the issuer in the answer": { redirect: (p) => p.set("iss", server.issuer.url!) },
  "a session_state beside the code": { redirect: (p) => p.set("session_state", "x") },
};

const REJECTED: Record<string, Misbehaviour> = {
  "discovery-issuer-mismatch": { description: (body) => body.issuer = "https://evil.example" },
  "issuer of which ours is the beginning": { description: (body) => body.issuer += "/evil" },
  "token endpoint without https elsewhere": {
    description: (body) => body.token_endpoint = "http://evil.example/token",
  },
  "token endpoint that is none": { description: (body) => body.token_endpoint = "file:///etc" },
  "no keys": { description: (body) => delete body.jwks_uri },
  "idtoken-sig-none": {
    description: (body) => body.id_token_signing_alg_values_supported = ["none", "RS256"],
    token: ({ header }) => header.alg = "none",
    sign: () => "",
  },
  "invalid-null-alg": { token: ({ header }) => header.alg = null },
  "invalid-signature": { sign: strange },
  "no signature": { sign: () => "" },
  "invalid-sig-hs256, with the client secret": {
    description: (body) => body.id_token_signing_alg_values_supported = ["HS256", "RS256"],
    token: ({ header }) => header.alg = "HS256",
    sign: hmac,
  },
  "invalid-alternate-alg": { token: ({ header }) => header.alg = "PS256" },
  "unknown critical header": { token: ({ header }) => header.crit = ["b64"] },
  "a key in the header": {
    token({ header }) {
      header.jwk = createPrivateKey(strangeKey.export({ type: "pkcs8", format: "pem" })).export({
        format: "jwk",
      });
      delete header.kid;
    },
    sign: strange,
  },
  "unknown kid": { token: ({ header }) => header.kid = "unknown" },
  "invalid-iss": { token: ({ claims }) => claims.iss = "https://evil.example" },
  "iss with a slash": { token: ({ claims }) => claims.iss += "/" },
  "missing-iss": { token: ({ claims }) => delete claims.iss },
  "invalid-aud": { token: ({ claims }) => claims.aud = "other" },
  "missing-aud": { token: ({ claims }) => delete claims.aud },
  "invalid-secondary-aud": { token: ({ claims }) => claims.aud = ["app", "other"] },
  "another authorized party": { token: ({ claims }) => claims.azp = "other" },
  "missing-sub": { token: ({ claims }) => delete claims.sub },
  "sub that is a number": { token: ({ claims }) => claims.sub = 5 },
  "missing-iat": { token: ({ claims }) => delete claims.iat },
  "iat-is-week-in-past": { token: ({ claims }) => claims.iat = seconds() - 7 * 86_400 },
  "iat a day ahead": { token: ({ claims }) => claims.iat = seconds() + 86_400 },
  "nbf a day ahead": { token: ({ claims }) => claims.nbf = seconds() + 86_400 },
  "invalid-expired-exp": { token: ({ claims }) => claims.exp = seconds() - 120 },
  "invalid-missing-exp": { token: ({ claims }) => delete claims.exp },
  "exp that is a text": { token: ({ claims }) => claims.exp = String(seconds() + 60) },
  "invalid-nonce": { token: ({ claims }) => claims.nonce = "another" },
  "missing-nonce": { token: ({ claims }) => delete claims.nonce },
  "invalid-at-hash": { token: ({ claims }) => claims.at_hash = half("another") },
  "at-hash of another length": {
    token: ({ claims, accessToken }) => claims.at_hash = half(accessToken, "sha512"),
  },
  "invalid-c-hash": { token: ({ claims }) => claims.c_hash = half("another") },
  "userinfo-invalid-sub": { userinfo: (body) => body.sub = "other" },
  "userinfo without sub": { userinfo: (body) => delete body.sub },
  "userinfo-signed, by nobody": {
    fetch: (url) =>
      url.endsWith("/userinfo")
        ? new Response(`${encode({ alg: "none" })}.${encode({ sub: "johndoe" })}.`, {
          headers: { "content-type": "application/jwt" },
        })
        : undefined,
  },
  "encrypted-idtoken": { tokens: (body) => body.id_token = "a.b.c.d.e" },
  "no ID token": { tokens: (body) => delete body.id_token },
  "ID token that is none": { tokens: (body) => body.id_token = "x" },
  "no access token": { tokens: (body) => delete body.access_token },
  "access token that is a list": { tokens: (body) => body.access_token = ["x"] },
  "tokens with the status of an error": { tokens: (_, response) => response.statusCode = 400 },
  "tokens with another status": { tokens: (_, response) => response.statusCode = 202 },
  "a token of another type": { tokens: (body) => body.token_type = "mac" },
  "expires_in that is negative": { tokens: (body) => body.expires_in = -1 },
  "invalid-authorization-response-iss": { redirect: (p) => p.set("iss", "https://evil.example") },
  "an empty iss": { redirect: (p) => p.set("iss", "") },
  "remove-authorization-response-iss": {
    description: (body) => body.authorization_response_iss_parameter_supported = true,
  },
  "no code": { redirect: (p) => p.delete("code") },
  "an error body without an OAuth error": {
    tokens(body, response) {
      for (const name of Object.keys(body)) delete body[name];
      Object.assign(body, { message: "no" });
      response.statusCode = 400;
    },
  },
  "an answer that is a text": {
    tokens: (_, response) => response.body = "text" as never,
  },
};

const OTHER_VERDICTS: [string, Misbehaviour, string][] = [
  [
    "ensure-authorization-response-with-invalid-state-fails",
    { redirect: (p) => p.set("state", "x".repeat(43)) },
    "OAUTH_STATE_UNKNOWN",
  ],
  ["state that is no state", { redirect: (p) => p.set("state", "x") }, "OAUTH_STATE_UNKNOWN"],
  [
    "ensure-authorization-response-with-missing-state-fails",
    { redirect: (p) => p.delete("state") },
    "OAUTH_STATE_MISSING",
  ],
  [
    "the provider refuses",
    {
      redirect(p) {
        p.delete("code");
        p.set("error", "access_denied");
        p.set("error_description", "<script>alert(1)</script>");
      },
    },
    "OAUTH_DENIED",
  ],
  [
    "the provider refuses, in the name of another",
    {
      redirect(p) {
        p.set("error", "access_denied");
        p.set("iss", "https://evil.example");
      },
    },
    "OAUTH_RESPONSE_INVALID",
  ],
  [
    "the code is not valid",
    {
      tokens(body, response) {
        for (const name of Object.keys(body)) delete body[name];
        Object.assign(body, { error: "invalid_grant" });
        response.statusCode = 400;
      },
    },
    "OAUTH_PROVIDER_ERROR",
  ],
  [
    "an error with status 200",
    { tokens: (body) => body.error = "bad_verification_code" },
    "OAUTH_PROVIDER_ERROR",
  ],
  ["an overloaded server", { tokens: (_, r) => r.statusCode = 429 }, "OAUTH_UNAVAILABLE"],
  ["a broken server", { tokens: (_, r) => r.statusCode = 500 }, "OAUTH_UNAVAILABLE"],
];

function misbehave({ token, sign: signToken, tokens, ...how }: Misbehaviour): void {
  const { service } = server;
  service.removeAllListeners();
  service.on("beforeWellKnownOpenIdConfiguration", (response: MutableResponse) => {
    how.description?.(response.body as Json);
  });
  service.on("beforeAuthorizeRedirect", ({ url }: { url: URL }) => {
    how.redirect?.(url.searchParams);
  });
  service.on("beforeUserinfo", (response: MutableResponse) => {
    how.userinfo?.(response.body as Json);
  });
  service.on("beforeResponse", (response: MutableResponse, request: { body: Json }) => {
    const body = response.body as Json;
    const [header = "", claims = ""] = String(body.id_token).split(".");
    const parts = { header: decode(header), claims: decode(claims) };
    token?.({ ...parts, accessToken: String(body.access_token), code: String(request.body.code) });
    const text = `${encode(parts.header)}.${encode(parts.claims)}`;
    body.id_token = `${text}.${signToken?.(text) ?? signWithServerKey(text, parts.header)}`;
    tokens?.(body, response);
    given = [body.id_token, body.access_token, body.refresh_token].map(String);
  });
}

/** Last secrets of the provider, which must not appear in the log or in a response. */
let given: string[] = [];

/** Parts of tokens in what an application says. A part of an ID token is a secret too: claims tell of people. */
function leaksIn(said: string): string[] {
  return given.flatMap((token) => [token, ...token.split(".")])
    .filter((part) => part.length > 20 && said.includes(part));
}

async function verdictOn(how: Misbehaviour): Promise<{ code: string | null; rows: number[] }> {
  misbehave(how);
  const issuer = server.issuer.url!;
  const application = createOAuthApplication({
    providers: [
      createOidcProvider({ id: "mock", name: "Mock", issuer, ...CLIENT, clientAuth: "basic" }),
    ],
    fetch: (input, init) =>
      Promise.resolve(how.fetch?.(String(input)) ?? globalThis.fetch(input, init)),
  });
  try {
    const visitor = application.visitor();
    const begun = await visitor.send("/auth/signin/mock", { method: "POST" });
    const start = begun.headers.get("location")!;
    const isRefusedAtOnce = start.includes("error=");
    const answer = isRefusedAtOnce ? begun : await visitor.deliver(await visitor.walk(start));
    assert.equal(answer.status, 303);
    const { count, log } = application;
    const location = answer.headers.get("location")!;
    const page = location.includes("error=") ? await (await visitor.send(location)).text() : "";
    const said = inspect([log, location, page], {
      depth: 20,
      showHidden: true,
      maxStringLength: null,
    });
    assert.deepEqual(leaksIn(said), []);
    return {
      code: await errorOf(answer),
      rows: [count("users"), count("accounts"), count("sessions")],
    };
  } finally {
    application.close();
  }
}

async function withServer(test: () => Promise<void>): Promise<void> {
  await server.issuer.keys.generate("RS256");
  await server.start(0, "localhost");
  try {
    await test();
  } finally {
    await server.stop();
  }
}

// Tracks: PF-g08, R105, R091, R088, R092, R094, R108, F25, F26, CVE-2024-53861, CVE-2024-10318, GHSA-9h47-pqcx-hjr4, CVE-2026-67336, CVE-2023-27490
Deno.test("the answers of a provider are believed when, and only when, all of them fit together", async () => {
  await withServer(async () => {
    for (const [what, how] of Object.entries(ACCEPTED)) {
      assert.deepEqual(await verdictOn(how), { code: null, rows: [1, 1, 1] }, what);
    }
    for (const [what, how] of Object.entries(REJECTED)) {
      const expected = { code: "OAUTH_RESPONSE_INVALID", rows: [0, 0, 0] };
      assert.deepEqual(await verdictOn(how), expected, what);
    }
    for (const [what, how, code] of OTHER_VERDICTS) {
      assert.deepEqual(await verdictOn(how), { code, rows: [0, 0, 0] }, what);
    }
    // Two keys that could be meant, and a token that does not say which: kid-absent-multiple-jwks.
    await server.issuer.keys.generate("RS256");
    const absent = await verdictOn({ token: ({ header }) => delete header.kid });
    assert.equal(absent.code, "OAUTH_RESPONSE_INVALID", "kid-absent-multiple-jwks");
    await server.issuer.keys.generate("ES256");
    const { kid } = server.issuer.keys.toJSON().find(({ alg }) => alg === "ES256")!;
    const elliptic = await verdictOn({
      description: (body) => body.id_token_signing_alg_values_supported = ["RS256", "ES256"],
      token: ({ header }) => Object.assign(header, { alg: "ES256", kid }),
    });
    assert.equal(elliptic.code, null, "ES256");
  });
});

// Tracks: R101, R094
Deno.test("of an address that the ID token names userinfo cannot say that another one is verified", async () => {
  await withServer(async () => {
    for (const address of ["victim@example.com", "own@example.com"]) {
      misbehave({
        token: ({ claims }) => Object.assign(claims, { email: address, name: "Signed" }),
        userinfo: (body) =>
          Object.assign(body, { email: "own@example.com", email_verified: true, name: "Said" }),
      });
      const application = createOAuthApplication({
        providers: [
          createOidcProvider({
            id: "mock",
            name: "Mock",
            issuer: server.issuer.url!,
            ...CLIENT,
            trustEmail: true,
          }),
        ],
      });
      await application.visitor().signIn("mock");
      const user = application.sqlite.prepare(
        "SELECT name, email, email_identity, email_verified IS NOT NULL AS proved FROM users",
      ).get()!;
      const isOwn = address === "own@example.com";
      assert.deepEqual({ ...user }, {
        name: "Signed",
        email: address,
        ["email_identity"]: isOwn ? address : null,
        proved: isOwn ? 1 : 0,
      });
      application.close();
    }
  });
});

// Tracks: A-07, R101
Deno.test("what an ID token calls verified is no address of userinfo, and no address that reads as another", async () => {
  const victim = "victim@example.com";
  const cases: [what: string, claims: Json, userinfo: Json, proved: boolean][] = [
    ["userinfo says both", {}, { email: victim, ["email_verified"]: true }, true],
    ["the token says both", { email: victim, ["email_verified"]: true }, {}, true],
    ["the token's verdict, userinfo's address", { ["email_verified"]: true }, {
      email: victim,
      ["email_verified"]: false,
    }, false],
    ["the token's verdict, an address without one", { ["email_verified"]: true }, {
      email: victim,
    }, false],
    ...[
      "victim＠example.com",
      "victim@ｅxample.com",
      "victim@exam\u00adple.com",
      "vi\u200dctim@x.example",
    ]
      .map((email): [string, Json, Json, boolean] => [
        JSON.stringify(email),
        { email, ["email_verified"]: true },
        {},
        false,
      ]),
  ];
  await withServer(async () => {
    for (const [what, claims, said, isProved] of cases) {
      misbehave({
        token: (token) => Object.assign(token.claims, claims),
        userinfo: (body) => {
          for (const name of ["email", "email_verified"]) delete body[name];
          Object.assign(body, said);
        },
      });
      const issuer = server.issuer.url!;
      const application = createOAuthApplication({
        providers: [
          createOidcProvider({ id: "mock", name: "Mock", issuer, ...CLIENT, trustEmail: true }),
        ],
      });
      application.sqlite.exec(`INSERT INTO users (id, email, email_identity, email_verified)
        VALUES ('victim', '${victim}', '${victim}', 1)`);
      await application.visitor().signIn("mock");
      const [account] = application.sqlite.prepare("SELECT user_id FROM accounts").all();
      assert.equal(account?.user_id === "victim", isProved, what);
      const others = application.sqlite.prepare(
        "SELECT email_identity, email_verified FROM users WHERE id <> 'victim'",
      ).all();
      for (const other of others) assert.deepEqual(Object.values(other), [null, null], what);
      application.close();
    }
  });
});
