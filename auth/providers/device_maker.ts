import type { Profile } from "../callbacks/callbacks.ts";
import { isOptions } from "../config/check.ts";
import { authByPost } from "../oauth/auth_by_post.ts";
import { readMadeSecret } from "../oauth/made_secret.ts";
import type { OAuthMethod } from "../oauth/oauth_method.ts";
import { createOidcMethod, readClaims } from "../oauth/oidc_method.ts";
import { textOf } from "../oauth/plain_client.ts";
import { type BuiltInProviderConfig, readBuiltIn } from "./built_in.ts";
import { defineMethod, type Provider } from "./provider.ts";

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
 * @throws {ConfigurationError} When the configuration is wrong; of a function, at the first request.
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
  config: AppleConfig | ((env: Env) => AppleConfig),
): Provider {
  return defineMethod(config, createMethod);
}
