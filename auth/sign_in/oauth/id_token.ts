/**
 * Verification of ID tokens.
 *
 * @module
 */

import type { JSONWebKeySet } from "jose";
import { OAuthError } from "../../errors.ts";
import { toBase64Url } from "../../lib/encoding.ts";
import { wrongOption } from "../../lib/options.ts";
import type { Profile } from "../../types/callbacks.ts";
import { type Caller, invalidResponse } from "./request.ts";
import type { CommonClient, OAuthGrant } from "./client.ts";
import { fetchUserinfo } from "./userinfo.ts";

/** Public keys of a provider. */
export interface ProviderKeys {
  /** Key set (RFC 7517). */
  jwks: JSONWebKeySet;
  /** Algorithms with which the provider may sign. */
  algorithms: readonly string[];
}

/** Values that an ID token must match. */
export interface ExpectedIdToken extends ProviderKeys {
  /** Issuer of the token. */
  issuer: string;
  /** Id of the application at the provider. */
  clientId: string;
  /** Nonce of this sign-in. */
  nonce: string;
  /** Access token that came with it. */
  accessToken: string;
  /** Code that was exchanged for it. */
  code: string;
  /** Current time, in milliseconds since 1970. */
  now: number;
  /** Seconds since the user authenticated at the provider, at most. Default: any. */
  maxAge?: number;
}

/** Signatures that only the provider can make: no `none`, and nothing with a shared secret. */
const ALGORITHMS: readonly string[] = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

// Seconds by which the clocks may differ, and for which a token has been made at most.
const TOLERANCE = 60;
const MAX_AGE = 10 * 60;

// Two keys that fit without a `kid` are as little an answer as none: the provider may have rotated.
const KEY_MISSING = new Set<unknown>([
  "ERR_JWKS_NO_MATCHING_KEY",
  "ERR_JWKS_MULTIPLE_MATCHING_KEYS",
]);

/** No key fits the token: the provider may have new ones. */
export class KeyMissingError extends OAuthError {
  override readonly name = "KeyMissingError";

  constructor() {
    super(
      "OAUTH_RESPONSE_INVALID",
      "The ID token is signed with a key that the provider does not have",
    );
  }
}

/** Those of the algorithms that a provider names which count. */
export function acceptedAlgorithms(named: unknown): readonly string[] {
  if (!Array.isArray(named)) return ["RS256"];
  return ALGORITHMS.filter((algorithm) => named.includes(algorithm));
}

/** Left half of a hash, as `at_hash` and `c_hash` hold it (OpenID Connect Core, 3.1.3.6). */
async function halfHash(text: string, algorithm: string): Promise<string> {
  const bits = algorithm.startsWith("Ed") ? "512" : algorithm.slice(-3);
  const bytes = new TextEncoder().encode(text);
  const hash = new Uint8Array(await crypto.subtle.digest(`SHA-${bits}`, bytes));
  return toBase64Url(hash.subarray(0, hash.length / 2));
}

async function checkHash(said: unknown, text: string, algorithm: string): Promise<void> {
  if (said === undefined || said === await halfHash(text, algorithm)) return;
  throw invalidResponse("The ID token belongs to another access token or code");
}

/**
 * `auth_time` is a number when it is there, and must be there when an age was asked for (3.1.2.1), and then no time to
 * come, from which any age would follow.
 */
function checkAuthTime(said: unknown, { now, maxAge }: ExpectedIdToken): void {
  if (said === undefined && maxAge === undefined) return;
  if (typeof said !== "number" || !(said >= 0)) {
    throw invalidResponse('The ID token has no valid "auth_time"');
  }
  if (maxAge === undefined) return;
  const seconds = Math.floor(now / 1000);
  if (said + maxAge < seconds - TOLERANCE) {
    throw invalidResponse("The user authenticated at the provider too long ago");
  }
  if (said > seconds + TOLERANCE) {
    throw invalidResponse('The ID token has an "auth_time" in the future');
  }
}

/** The application must be the one that the token was made for, also among several (3.1.3.7, 4 and 5). */
function checkParty({ aud, azp }: Record<string, unknown>, clientId: string): void {
  const mustSay = Array.isArray(aud) && aud.length !== 1;
  if (azp === undefined ? !mustSay : azp === clientId) return;
  throw invalidResponse("The ID token is for another application");
}

async function check(idToken: string, expected: ExpectedIdToken): Promise<Record<string, unknown>> {
  const { issuer, clientId, nonce, accessToken, code, now, jwks, algorithms } = expected;
  // Not at the start, for which it would be a third of all modules: most requests verify no ID token.
  const [{ createLocalJWKSet }, { jwtVerify }] = await Promise.all([
    import("jose/jwks/local"),
    import("jose/jwt/verify"),
  ]);
  // A new one for each token: it holds promises of imported keys, and on workers a promise belongs to
  // its request.
  const findKey = createLocalJWKSet(jwks);
  const { payload: claims, protectedHeader: { alg, crit, typ = "JWT" } } = await jwtVerify(
    idToken,
    findKey,
    {
      algorithms: [...algorithms],
      issuer,
      audience: clientId,
      requiredClaims: ["exp", "sub"],
      maxTokenAge: MAX_AGE,
      clockTolerance: TOLERANCE,
      currentDate: new Date(now),
    },
  );
  // Also one that is understood: ID tokens have none, and two readers may understand it differently.
  if (crit !== undefined) {
    throw invalidResponse("The ID token has an unknown critical header");
  }
  // An access token or a logout token of the same provider is signed by the same key (RFC 8725, 3.11).
  if (!/^(?:application\/)?(?:id_token\+)?jwt$/i.test(typ) || !(claims.exp! < 1e11)) {
    throw invalidResponse("The ID token is of another type, or never ends");
  }
  const { sub, nonce: said, at_hash: tokenHash, c_hash: codeHash, auth_time: at } = claims;
  if (typeof sub !== "string") throw invalidResponse("The ID token has no subject");
  if (said !== nonce) throw invalidResponse("The ID token belongs to another sign-in (nonce)");
  checkParty(claims, clientId);
  checkAuthTime(at, expected);
  await checkHash(tokenHash, accessToken, alg);
  await checkHash(codeHash, code, alg);
  return { ...claims };
}

/**
 * Verifies an ID token: who made it, for whom and when, by its signature, and that it belongs to this sign-in
 * and to these tokens (OpenID Connect Core, 3.1.3.7).
 *
 * @returns Its claims.
 * @throws {KeyMissingError} When none of the keys fits.
 * @throws {OAuthError} `OAUTH_RESPONSE_INVALID` when anything is wrong.
 */
export async function verifyIdToken(
  idToken: string,
  expected: ExpectedIdToken,
): Promise<Record<string, unknown>> {
  try {
    return await check(idToken, expected);
  } catch (error) {
    if (error instanceof OAuthError) throw error;
    const { code, claim } = error as { code?: unknown; claim?: unknown };
    if (KEY_MISSING.has(code)) throw new KeyMissingError();
    // No message and no cause of jose: they may quote the token, which is a secret.
    const reason = typeof code === "string" ? code : "its key cannot be used";
    const at = claim === undefined ? "" : ` of "${claim}"`;
    throw invalidResponse(`The ID token was refused: ${reason}${at}`);
  }
}

/** Finds the keys of a provider. */
export type FindKeys = (caller: Caller, options?: { fresh?: boolean }) => Promise<ProviderKeys>;

/** Settings of the client that ID tokens are checked against. */
export type IdTokenClient = Pick<CommonClient, "clientId" | "parameters">;

/**
 * Seconds that may have passed since the user authenticated, from the parameter `max_age` of the request. The
 * request goes through the browser, which can take the parameter away: only the claim tells (OpenID Connect Core,
 * 3.1.2.1).
 */
function readMaxAge({ parameters: { max_age: said } }: IdTokenClient): { maxAge?: number } {
  if (said === undefined) return {};
  if (/^\d{1,9}$/.test(said)) return { maxAge: Number(said) };
  throw wrongOption("parameters.max_age", said, "a number of seconds, as a text");
}

async function verifiedClaims(
  grant: OAuthGrant,
  { client: { clientId }, findKeys, maxAge }: {
    client: IdTokenClient;
    findKeys: FindKeys;
    maxAge?: number;
  },
  caller: Caller,
): Promise<Profile> {
  const { tokens: { idToken, accessToken }, server: { issuer }, code, nonce } = grant;
  if (idToken === null || issuer === null) {
    throw invalidResponse("The provider issued no ID token");
  }
  const expected = {
    issuer,
    clientId,
    nonce,
    accessToken,
    code,
    now: caller.now(),
    ...maxAge !== undefined && { maxAge },
  };
  try {
    return await verifyIdToken(idToken, { ...expected, ...await findKeys(caller) });
  } catch (error) {
    if (!(error instanceof KeyMissingError)) throw error;
    const keys = await findKeys(caller, { fresh: true });
    return await verifyIdToken(idToken, { ...expected, ...keys });
  }
}

/**
 * Identifies users by the ID token, joined with what else the provider says about them. What it has signed wins.
 *
 * @throws {ConfigurationError} When the parameter `max_age` is no number of seconds.
 */
export function identifyByIdToken(
  { client, findKeys }: { client: IdTokenClient; findKeys: FindKeys },
): (grant: OAuthGrant, caller: Caller) => Promise<Profile> {
  const options = { client, findKeys, ...readMaxAge(client) };
  return async function identify(grant, caller) {
    const claims = await verifiedClaims(grant, options, caller);
    const said = await fetchUserinfo(grant, claims.sub, caller);
    // "Verified" is said of the address beside it: neither speaks of the other's.
    if (claims.email === undefined) delete claims.email_verified;
    else if (claims.email !== said.email) delete said.email_verified;
    return { ...said, ...claims };
  };
}
