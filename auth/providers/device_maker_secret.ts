import { wrongOption } from "../config/check.ts";
import { readPrivateKey, signClientJwt } from "../oauth/client_jwt.ts";

/** Options for {@linkcode createAppleSecret}. `DeviceMakerSecretOptions` is the same type. */
export interface AppleSecretOptions {
  /** Id of the application: its services id. */
  clientId: string;
  /** Id of the team, ten characters. */
  teamId: string;
  /** Id of the key, ten characters. */
  keyId: string;
  /** Private key: the text of the `.p8` file (PKCS #8, P-256). */
  privateKey: string;
  /** Clock, in milliseconds since 1970. Default `Date.now`. */
  now?: () => number;
}

// Seconds: a day. Half a year would be allowed; a shorter life makes a secret that leaks less useful.
const LIFETIME = 86_400;
// After half of it.
const RENEWED = 43_200;

/**
 * Makes the client secret for Apple: a token that lives for a day, signed by ES256 with the application's key,
 * and renewed before it ends. `createDeviceMakerSecret` is the same function.
 *
 * @param options Ids of the application, the team and the key, and the key itself.
 * @returns A function for the `clientSecret` of `apple()`.
 * @throws {ConfigurationError} When an option is missing or the key is none.
 *
 * @example
 * ```ts
 * import { createAppleSecret } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * // In the place of the .p8 file that Apple gave.
 * const algorithm = { name: "ECDSA", namedCurve: "P-256" };
 * const { privateKey } = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
 * const bytes = new Uint8Array(await crypto.subtle.exportKey("pkcs8", privateKey));
 *
 * const secret = createAppleSecret({
 *   clientId: "example.app.web",
 *   teamId: "TEAM123456",
 *   keyId: "KEY1234567",
 *   privateKey: btoa(String.fromCharCode(...bytes)),
 * });
 * const [header] = (await secret()).split(".");
 * equal(JSON.parse(atob(header!)).alg, "ES256");
 * ```
 */
export function createAppleSecret(options: AppleSecretOptions): () => Promise<string> {
  const { clientId, teamId, keyId, privateKey, now = Date.now } = options;
  for (const [field, value] of Object.entries({ clientId, teamId, keyId, privateKey })) {
    if (typeof value !== "string" || value === "") throw wrongOption(field, undefined, "a text");
  }
  const key = readPrivateKey(privateKey, "ES256", "createAppleSecret");
  let made: { secret: string; at: number } | null = null;

  return async function secret() {
    const at = Math.floor(now() / 1000);
    if (made === null || at < made.at || at - made.at >= RENEWED) {
      const claims = {
        iss: teamId,
        sub: clientId,
        aud: "https://appleid.apple.com",
        iat: at,
        exp: at + LIFETIME,
      };
      made = { secret: await signClientJwt({ algorithm: "ES256", keyId, key }, claims), at };
    }
    return made.secret;
  };
}
