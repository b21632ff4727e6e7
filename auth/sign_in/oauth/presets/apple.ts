/**
 * Sign-in with Apple.
 *
 * @module
 */

import type { Provider } from "../../../core/provider.ts";
import { isOptions, wrongOption } from "../../../lib/options.ts";
import type { Profile } from "../../../types/callbacks.ts";
import { authByPost, readMadeSecret } from "../client_auth.ts";
import { readPrivateKey, signClientJwt } from "../client_assertion.ts";
import { type BuiltInProviderConfig, defineBuiltIn, readBuiltIn } from "../options.ts";
import { createOidcMethod, readClaims } from "../oidc.ts";
import type { OAuthMethod } from "../provider.ts";
import { textOf } from "../userinfo.ts";

/** Options for {@linkcode apple}. `DeviceMakerConfig` is the same type. */
export interface AppleConfig extends Omit<BuiltInProviderConfig, "clientSecret"> {
  /** Secret of the application: the function that `createAppleSecret()` returns, or one made elsewhere. */
  clientSecret: string | (() => Promise<string>);
}

const MAX_NAME = 200;

/**
 * The name, which only the first answer has and which comes through the browser: the visitor may have written it,
 * so nothing else of it is read.
 */
function readName(fields: ReadonlyMap<string, string>): Profile {
  try {
    const user: unknown = JSON.parse(fields.get("user") ?? "{}");
    if (!isOptions(user) || !isOptions(user.name)) return {};
    const parts = [textOf(user.name.firstName), textOf(user.name.lastName)];
    const name = parts.filter((part) => part !== undefined).join(" ").slice(0, MAX_NAME);
    return name === "" ? {} : { name };
  } catch {
    return {};
  }
}

function createMethod(config: AppleConfig): OAuthMethod {
  const client = readBuiltIn(config, { id: "apple", name: "Apple", formPost: true });
  const secret = readMadeSecret(config.clientSecret, client);
  return createOidcMethod({ ...client, authenticate: authByPost(secret) }, {
    issuer: "https://appleid.apple.com",
    complete: true,
    readAnswer: readName,
    // It writes its booleans as texts, too.
    profile: ({ email_verified: verified, ...said }, at) =>
      readClaims({ ...said, email_verified: verified === "true" || verified }, at),
  });
}

/**
 * Sign-in with Apple, under the id 'apple'. An address that Apple has verified counts as verified.
 * Apple answers with a form that the browser posts, so it works only where the application has https or is
 * on a loopback host. With the scope 'name email' Apple tells the name at the first sign-in and never again.
 * `deviceMakerProvider` is the same function.
 *
 * @param config Application at Apple, without a scope by default; or a function that makes it from the
 * environment.
 * Keys that are left out are `APPLE_CLIENT_ID` and `APPLE_CLIENT_SECRET` of the environment.
 * @throws {ConfigurationError} When the configuration is wrong or there are no keys; of a function and in a worker, at
 * the first request.
 *
 * @example
 * ```ts
 * import { apple, createAppleSecret, defineProvider } from "@framework/auth/convention";
 * import { equal } from "node:assert/strict";
 *
 * // The default export of app/auth/providers/apple.ts
 * const provider = defineProvider((env: { APPLE_KEY: string }) =>
 *   apple({
 *     clientId: "example.app.web",
 *     clientSecret: createAppleSecret({
 *       clientId: "example.app.web",
 *       teamId: "TEAM123456",
 *       keyId: "KEY1234567",
 *       privateKey: env.APPLE_KEY,
 *     }),
 *     scope: "name email",
 *   })
 * );
 * equal(provider.kind, "provider");
 * ```
 */
export function apple<Env = unknown>(
  config?: Partial<AppleConfig> | ((env: Env) => AppleConfig),
): Provider {
  return defineBuiltIn(config, "apple", createMethod);
}

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
