/**
 * JWTs by which a client proves itself to a provider.
 *
 * @module
 */

import type { JWTPayload } from "jose";
import { ConfigurationError } from "../../errors.ts";
import { fromBase64 } from "../../lib/encoding.ts";
import { isFilledText, readChoice, wrongOption } from "../../lib/options.ts";
import { createSecret } from "../../lib/secret.ts";
import type { ClientAuthentication } from "./client.ts";

/** Algorithms of private keys, as WebCrypto imports them. */
const PRIVATE_KEYS = {
  ES256: { name: "ECDSA", namedCurve: "P-256" },
  ES384: { name: "ECDSA", namedCurve: "P-384" },
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  PS256: { name: "RSA-PSS", hash: "SHA-256" },
  EdDSA: { name: "Ed25519" },
} as const;
const SECRET_ALGORITHMS = ["HS256", "HS384", "HS512"] as const;

/** Options for {@linkcode privateKeyJwt}. */
export interface PrivateKeyJwtOptions {
  /** Private key: the text of a PKCS #8 file, with or without its first and last line. */
  privateKey: string;
  /** Algorithm of the signature. Default 'ES256'. */
  algorithm?: "ES256" | "ES384" | "RS256" | "PS256" | "EdDSA";
  /** Id of the key (`kid`), for a provider that knows several. Default: none is sent. */
  keyId?: string;
  /** Clock, in milliseconds since 1970. Default `Date.now`. */
  now?: () => number;
}

/** Options for {@linkcode clientSecretJwt}. */
export interface ClientSecretJwtOptions {
  /** Algorithm of the signature. Default 'HS256'. */
  algorithm?: "HS256" | "HS384" | "HS512";
  /** Clock, in milliseconds since 1970. Default `Date.now`. */
  now?: () => number;
}

/** A key with the header of the tokens that it signs. */
export interface SigningKey {
  /** Algorithm of the signature. */
  algorithm: string;
  /** Id of the key; undefined where none is sent. */
  keyId?: string | undefined;
  /** Finds the key. */
  key: CryptoKey | Uint8Array | (() => Promise<CryptoKey>);
}

// Seconds. The token is used at once; a short life makes one that leaks useless (RFC 7523, 3).
const LIFETIME = 60;
const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** Signs a token with which an application proves itself. */
export async function signClientJwt(
  { algorithm, keyId, key }: SigningKey,
  claims: JWTPayload,
): Promise<string> {
  // Not SignJWT, whose parser of durations would be in every worker; not at the start, which needs none.
  const { CompactSign } = await import("jose/jws/compact/sign");
  return await new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
    .setProtectedHeader({ alg: algorithm, ...keyId !== undefined && { kid: keyId }, typ: "JWT" })
    .sign(typeof key === "function" ? await key() : key);
}

/**
 * Reads a private key, which is imported when it is first needed.
 *
 * @param maker Function whose option it is, for the error.
 * @throws {ConfigurationError} When the text holds no key; when it is used, also for one of another algorithm.
 */
export function readPrivateKey(
  privateKey: unknown,
  algorithm: keyof typeof PRIVATE_KEYS,
  maker: string,
): () => Promise<CryptoKey> {
  // Environments write line ends as \n, and files have them or not.
  const body = String(privateKey).replace(/-----[A-Z ]+-----/g, "").replace(/[\s=]|\\n/g, "");
  const bytes = isFilledText(privateKey) ? fromBase64(body) : null;
  if (!bytes?.length) {
    // The key is not described.
    throw wrongOption("privateKey", undefined, "the text of a PKCS #8 file, such as .p8 or .pem");
  }
  let imported: CryptoKey | undefined;
  return async function importKey() {
    try {
      return imported ??= await crypto.subtle.importKey(
        "pkcs8",
        bytes as BufferSource,
        PRIVATE_KEYS[algorithm],
        false,
        ["sign"],
      );
    } catch {
      throw new ConfigurationError(`The privateKey of ${maker}() is no key for ${algorithm}`, {
        field: "privateKey",
      });
    }
  };
}

/** Authenticates by a token that names the application and is meant for this server alone. */
function authByJwt(key: SigningKey, now: () => number): ClientAuthentication {
  return async function authenticate({ issuer }, { client_id: clientId }, body) {
    const at = Math.floor(now() / 1000);
    body.set("client_id", clientId);
    body.set("client_assertion_type", ASSERTION_TYPE);
    body.set(
      "client_assertion",
      await signClientJwt(key, {
        iss: clientId,
        sub: clientId,
        aud: issuer,
        jti: createSecret(),
        iat: at,
        nbf: at,
        exp: at + LIFETIME,
      }),
    );
  };
}

/**
 * Authenticates the application by a token that its private key signs: the method `private_key_jwt` of OpenID
 * Connect Core, 9. The provider knows only the public key, so nothing that it leaks can pose as the application.
 * Each request has a token of its own, which lives for 60 seconds.
 *
 * @param options Private key, its algorithm and its id.
 * @returns A function for `clientAuth`.
 * @throws {ConfigurationError} When the key is none or the algorithm is unknown; at the first request also when
 * they do not fit.
 *
 * @example
 * ```ts
 * import { createOidcProvider, privateKeyJwt } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * // In the place of the key of the application, from its environment.
 * const algorithm = { name: "ECDSA", namedCurve: "P-256" };
 * const { privateKey } = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
 * const bytes = new Uint8Array(await crypto.subtle.exportKey("pkcs8", privateKey));
 * const env = { ID_KEY: btoa(String.fromCharCode(...bytes)) };
 *
 * const provider = createOidcProvider({
 *   id: "example",
 *   name: "Example",
 *   issuer: "https://id.example",
 *   clientId: "app",
 *   clientAuth: privateKeyJwt({ privateKey: env.ID_KEY, keyId: "2026-01" }),
 * });
 * equal(provider.kind, "provider");
 * ```
 */
export function privateKeyJwt(options: PrivateKeyJwtOptions): ClientAuthentication {
  const { privateKey, keyId, algorithm: given = "ES256", now = Date.now } = options;
  const algorithm = readChoice(
    given,
    "algorithm",
    Object.keys(PRIVATE_KEYS) as (keyof typeof PRIVATE_KEYS)[],
  );
  const key = readPrivateKey(privateKey, algorithm, "privateKeyJwt");
  return authByJwt({ algorithm, keyId, key }, now);
}

/**
 * Authenticates the application by a token that its secret signs, so that the secret itself is never sent: the
 * method `client_secret_jwt` of OpenID Connect Core, 9. Each request has a token of its own, which lives for 60
 * seconds.
 *
 * @param secret Secret of the application at the provider: at least 32 bytes for HS256, 48 for HS384 and 64 for
 * HS512 (RFC 7518, 3.2).
 * @param options Algorithm of the signature.
 * @returns A function for `clientAuth`.
 * @throws {ConfigurationError} When the secret is shorter or the algorithm is unknown.
 *
 * @example
 * ```ts
 * import { clientSecretJwt, createOidcProvider } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const env = { ID_SECRET: "a secret that only both sides know" };
 * const provider = createOidcProvider({
 *   id: "example",
 *   name: "Example",
 *   issuer: "https://id.example",
 *   clientId: "app",
 *   clientAuth: clientSecretJwt(env.ID_SECRET),
 * });
 * equal(provider.kind, "provider");
 * ```
 */
export function clientSecretJwt(
  secret: string,
  options: ClientSecretJwtOptions = {},
): ClientAuthentication {
  const { now = Date.now } = options;
  const algorithm = readChoice(options.algorithm ?? "HS256", "algorithm", SECRET_ALGORITHMS);
  const least = Number(algorithm.slice(2)) / 8;
  const key = new TextEncoder().encode(isFilledText(secret) ? secret : "");
  if (key.length < least) {
    // A secret is not described, whatever it is.
    throw wrongOption("clientSecret", undefined, `a secret of at least ${least} bytes`);
  }
  return authByJwt({ algorithm, key }, now);
}
