// deno-lint-ignore-file camelcase -- the names of OAuth 2.0 and OpenID Connect

import {
  clockSkew,
  clockTolerance,
  getValidatedIdTokenClaims,
  type JWKS,
  jwksCache,
  KEY_SELECTION,
  OperationProcessingError,
  processAuthorizationCodeResponse,
  validateApplicationLevelSignature,
} from "oauth4webapi";
import { toBase64Url } from "../crypto/encoding.ts";
import { OAuthError } from "../errors/oauth_errors.ts";
import { invalidResponse } from "./call_provider.ts";

/** The public keys of a provider. */
export interface ProviderKeys {
  /** The keys, see RFC 7517. */
  jwks: JWKS;
  /** How the provider may sign. */
  algorithms: readonly string[];
}

/** What an ID token must say. */
export interface ExpectedIdToken extends ProviderKeys {
  /** Who made it. */
  issuer: string;
  /** For whom. */
  clientId: string;
  /** What it must repeat. */
  nonce: string;
  /** The access token that came with it. */
  accessToken: string;
  /** The code that was exchanged for it. */
  code: string;
  /** The time, in milliseconds since 1970. */
  now: number;
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

/** The left half of a hash, as `at_hash` and `c_hash` hold it (OpenID Connect Core, 3.1.3.6). */
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

function algorithmOf(idToken: string): string {
  const [header = ""] = idToken.split(".");
  const { alg } = JSON.parse(atob(header.replaceAll("-", "+").replaceAll("_", "/")));
  return String(alg);
}

function checkTimes(issuedAt: number, seconds: number): void {
  if (issuedAt > seconds + TOLERANCE || issuedAt < seconds - MAX_AGE - TOLERANCE) {
    throw invalidResponse("The ID token was made at another time");
  }
}

async function check(idToken: string, expected: ExpectedIdToken): Promise<Record<string, unknown>> {
  const { issuer, clientId, nonce, accessToken, code, now, jwks, algorithms } = expected;
  // A new object each time: the library keeps keys by it, and ours are kept elsewhere.
  const server = {
    issuer,
    jwks_uri: issuer,
    id_token_signing_alg_values_supported: [...algorithms],
  };
  const client = {
    client_id: clientId,
    [clockSkew]: Math.round((now - Date.now()) / 1000),
    [clockTolerance]: TOLERANCE,
  };
  const body = { access_token: accessToken, token_type: "bearer", id_token: idToken };
  const response = Response.json(body);
  const result = await processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  });
  const keys = { jwks, uat: Math.floor(Date.now() / 1000) };
  await validateApplicationLevelSignature(server, response, { [jwksCache]: keys });
  const claims = getValidatedIdTokenClaims(result)!;
  checkTimes(claims.iat, Math.floor(now / 1000));
  if (claims.azp !== undefined && claims.azp !== clientId) {
    throw invalidResponse("The ID token is for another application");
  }
  const algorithm = algorithmOf(idToken);
  await checkHash(claims.at_hash, accessToken, algorithm);
  await checkHash(claims.c_hash, code, algorithm);
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
    if (error instanceof OperationProcessingError && error.code === KEY_SELECTION) {
      throw new KeyMissingError();
    }
    // Only the words: what else hangs on the error holds the tokens.
    const told = error instanceof Error ? error.message : "";
    throw invalidResponse(`The ID token was refused: ${told}`);
  }
}
