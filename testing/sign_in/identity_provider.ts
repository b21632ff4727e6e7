import type { TestContext } from "../context/types.ts";
import { TestingError } from "../errors.ts";
import { base64url } from "./bytes.ts";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const KEY_ID = "test";

// One key for all test providers of a process, so that the application's cached keys stay valid.
let keys: CryptoKeyPair | undefined;

async function signingKeys(): Promise<CryptoKeyPair> {
  const made = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  return keys ??= made as CryptoKeyPair;
}

/** Returns the key set that verifies ID tokens (RFC 7517). */
async function publicKeys(): Promise<{ keys: JsonWebKey[] }> {
  const { publicKey } = keys ?? await signingKeys();
  const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", publicKey);
  const key = { kty, crv, x, y, kid: KEY_ID, alg: "ES256", use: "sig" };
  return { keys: [key as JsonWebKey] };
}

/** Signs an ID token (RFC 7515). */
async function signIdToken(claims: Record<string, unknown>): Promise<string> {
  const { privateKey } = keys ?? await signingKeys();
  const text = [{ alg: "ES256", typ: "JWT", kid: KEY_ID }, claims]
    .map((part) => base64url(new TextEncoder().encode(JSON.stringify(part)))).join(".");
  const signature = await crypto.subtle.sign(ALGORITHM, privateKey, new TextEncoder().encode(text));
  return `${text}.${base64url(new Uint8Array(signature))}`;
}

/** Options for a test identity provider. */
export interface TestIdentityProviderOptions {
  /** Issuer, as configured in the application's provider. Default "https://id.example". */
  issuer?: string;
  /** Endpoints, for a provider that declares them one by one. Default: below `issuer`. */
  endpoints?: { authorization?: string; token?: string; userinfo?: string; jwks?: string };
  /** Supports OpenID Connect, with ID tokens and a discovery document. Default true. */
  openid?: boolean;
}

/**
 * Claims or profile of a person: `sub` for OpenID Connect, and the other fields that the
 * application reads.
 */
export type TestIdentity = Record<string, unknown>;

/** An identity provider in the test's own process. */
export interface TestIdentityProvider {
  /**
   * Signs a person in with a browser's redirects: from the application's endpoint to the provider,
   * which consents, and back.
   *
   * @param id Id of the application's provider, which is the name of its file.
   * @param identity The person: the response of `userinfo` and the claims of the ID token.
   * @param options `callbackUrl`: where to go after sign-in. `intent: "link"` links the account to
   * the signed-in user.
   * @returns The application's last response.
   */
  signIn(
    id: string,
    identity: TestIdentity,
    options?: { callbackUrl?: string; intent?: "link"; context?: Browser },
  ): Promise<Response>;
  /** Runs the same redirects for a person who denies consent. */
  deny(id: string, error?: string): Promise<Response>;
  /**
   * Grants an authorization request.
   *
   * @param location URL to which the application redirected the browser.
   * @returns The browser's next request.
   * @throws {TestingError} `AUTHORIZATION` when the request lacks a required parameter.
   */
  authorize(location: string, identity: TestIdentity): { url: string; init: RequestInit };
}

/** Part of a test context that the provider uses. */
export type Browser = Pick<TestContext, "fetch" | "onFetch" | "clock">;

interface Grant {
  identity: TestIdentity;
  clientId: string;
  redirectUri: string;
  challenge: string | null;
  nonce: string | null;
}

/**
 * Creates an identity provider for OAuth 2.0 and OpenID Connect that answers the calls of a
 * context's application. Like a real one, it refuses a reused code, a different redirect URI and a
 * wrong code verifier (RFC 6749, RFC 7636).
 *
 * @param context The context.
 * @param options Issuer and endpoints.
 *
 * @example
 * ```ts
 * import { type Browser, createTestIdentityProvider } from "@framework/testing";
 * import assert from "node:assert/strict";
 *
 * // In a test this is its context.
 * const ctx: Browser = {
 *   fetch: () => Promise.resolve(new Response()),
 *   onFetch: () => ({ requests: [], remove() {} }),
 *   clock: { now: Date.now, advance: () => Promise.resolve() },
 * };
 * const provider = createTestIdentityProvider(ctx, { issuer: "https://id.example" });
 * const asked = "https://id.example/authorize?response_type=code&client_id=app&state=s" +
 *   "&redirect_uri=http://localhost/auth/callback/example";
 * const { url } = provider.authorize(asked, { sub: "1", email: "ada@example.com" });
 * assert.equal(new URL(url).searchParams.get("state"), "s");
 * ```
 */
export function createTestIdentityProvider(
  context: Browser,
  options: TestIdentityProviderOptions = {},
): TestIdentityProvider {
  const { issuer = "https://id.example", openid = true } = options;
  const base = issuer.replace(/\/$/, "");
  const {
    authorization = `${base}/authorize`,
    token = `${base}/token`,
    userinfo = `${base}/userinfo`,
    jwks = `${base}/jwks`,
  } = options.endpoints ?? {};
  const grants = new Map<string, Grant>();
  const tokens = new Map<string, TestIdentity>();

  if (openid) {
    context.onFetch(`GET ${base}/.well-known/openid-configuration`, () => ({
      issuer,
      authorization_endpoint: authorization,
      token_endpoint: token,
      userinfo_endpoint: userinfo,
      jwks_uri: jwks,
      id_token_signing_alg_values_supported: ["ES256"],
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
    }));
    context.onFetch(`GET ${jwks}`, publicKeys);
  }
  context.onFetch(`POST ${token}`, async (request) => {
    const fields = new URLSearchParams(await request.text());
    const code = fields.get("code") ?? "";
    const grant = grants.get(code);
    grants.delete(code);
    const problem = grant === undefined ? "unknown code" : await refusal(grant, fields);
    if (grant === undefined || problem !== null) {
      return Response.json({ error: "invalid_grant", error_description: problem }, { status: 400 });
    }
    const accessToken = base64url(crypto.getRandomValues(new Uint8Array(24)));
    tokens.set(accessToken, grant.identity);
    const { clientId, nonce, identity } = grant;
    const seconds = Math.floor(context.clock.now() / 1000);
    return {
      access_token: accessToken,
      token_type: "Bearer",
      expires_in: 3600,
      ...(openid && {
        id_token: await signIdToken({
          ...identity,
          iss: issuer,
          aud: clientId,
          iat: seconds,
          exp: seconds + 3600,
          ...(nonce !== null && { nonce }),
        }),
      }),
    };
  });
  context.onFetch(userinfo, ({ headers }) => {
    const presented = /^\w+ (.+)$/.exec(headers.get("authorization") ?? "")?.[1] ?? "";
    return tokens.get(presented) ??
      Response.json({ error: "invalid_token" }, { status: 401 });
  });

  function answer(location: string, fields: Record<string, string>) {
    const asked = new URL(location).searchParams;
    const redirectUri = asked.get("redirect_uri") ?? "";
    const said = new URLSearchParams({
      ...fields,
      state: asked.get("state") ?? "",
      ...(openid && { iss: issuer }),
    });
    if (asked.get("response_mode") === "form_post") {
      const headers = { origin: new URL(authorization).origin };
      return { url: redirectUri, init: { method: "POST", headers, body: said } };
    }
    const url = new URL(redirectUri);
    for (const [name, value] of said) url.searchParams.set(name, value);
    return { url: url.href, init: {} };
  }

  function authorize(location: string, identity: TestIdentity) {
    checkRequest(location, authorization);
    const asked = new URL(location).searchParams;
    const code = base64url(crypto.getRandomValues(new Uint8Array(24)));
    grants.set(code, {
      identity,
      clientId: asked.get("client_id") ?? "",
      redirectUri: asked.get("redirect_uri") ?? "",
      challenge: asked.get("code_challenge"),
      nonce: asked.get("nonce"),
    });
    return answer(location, { code });
  }

  async function start(id: string, fields: Record<string, string>, browser: Browser) {
    const body = new URLSearchParams(fields);
    const response = await browser.fetch(`/auth/signin/${id}`, { method: "POST", body });
    const location = response.headers.get("location") ?? "";
    if (location.startsWith(authorization)) return location;
    throw new TestingError(
      "AUTHORIZATION",
      `POST /auth/signin/${id} did not lead to ${authorization} but answered ${response.status}` +
        `${location === "" ? "" : ` with ${location}`}. Check the provider's id and its addresses.`,
    );
  }

  return {
    authorize,
    async signIn(id, identity, { context: browser = context, ...fields } = {}) {
      const { url, init } = authorize(await start(id, fields, browser), identity);
      return await browser.fetch(url, init);
    },
    async deny(id, error = "access_denied") {
      const { url, init } = answer(await start(id, {}, context), { error });
      return await context.fetch(url, init);
    },
  };
}

const NEEDED = ["client_id", "redirect_uri", "state", "response_type"];

function checkRequest(location: string, authorization: string): void {
  const { searchParams } = new URL(location);
  const missing = NEEDED.filter((name) => !searchParams.get(name));
  if (location.startsWith(authorization) && missing.length === 0) return;
  throw new TestingError(
    "AUTHORIZATION",
    `${location} is not an authorization request to ${authorization}` +
      `${missing.length > 0 ? `: it lacks ${missing.join(", ")}` : ""}.`,
  );
}

async function refusal(grant: Grant, fields: URLSearchParams): Promise<string | null> {
  if (fields.get("grant_type") !== "authorization_code") return "a wrong grant_type";
  if (fields.get("redirect_uri") !== grant.redirectUri) return "a different redirect_uri";
  if (grant.challenge === null) return null;
  const verifier = new TextEncoder().encode(fields.get("code_verifier") ?? "");
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", verifier));
  return base64url(digest) === grant.challenge ? null : "a wrong code_verifier";
}
