/**
 * Sign-in with GitHub.
 *
 * @module
 */

import type { Provider } from "../../../core/provider.ts";
import { isOptions } from "../../../lib/options.ts";
import type { Profile } from "../../../types/callbacks.ts";
import type { UserProfile } from "../../../types/user.ts";
import { type Caller, getJson } from "../request.ts";
import type { OAuthGrant, OAuthServer } from "../client.ts";
import { authByPost, readSecretText } from "../client_auth.ts";
import { type BuiltInProviderConfig, defineBuiltIn, readBuiltIn } from "../options.ts";
import { createOAuthMethod, type OAuthMethod } from "../provider.ts";
import { identifyByUserinfo, textOf } from "../userinfo.ts";

const SERVER: OAuthServer = {
  // It says in its answers who it is (RFC 9207).
  issuer: "https://github.com/login/oauth",
  authorization: "https://github.com/login/oauth/authorize",
  token: "https://github.com/login/oauth/access_token",
  userinfo: "https://api.github.com/user",
};
const EMAILS = "https://api.github.com/user/emails";

/** The address on the profile is the one to be shown; which are verified stands elsewhere. */
async function identify(grant: OAuthGrant, caller: Caller): Promise<Profile> {
  const said = await identifyByUserinfo(grant, caller);
  const { accessToken, scope } = grant.tokens;
  const mayRead = /(?:^|[\s,])user(?::email)?(?:$|[\s,])/.test(scope ?? "");
  if (!mayRead) return { ...said, email: null };
  const emails = await getJson(EMAILS, caller, { token: accessToken });
  const list = Array.isArray(emails) ? emails.filter(isOptions) : [];
  const primary = list.find((item) => item.primary === true) ?? list[0];
  return { ...said, email: primary?.email, email_verified: primary?.verified === true };
}

function readProfile(said: Profile, at: Date): UserProfile {
  const { id, login, name, email, avatar_url: avatar, email_verified: verified } = said;
  return {
    // A number there. Anything else is nobody.
    id: Number.isSafeInteger(id) ? String(id) : "",
    name: textOf(name) ?? textOf(login),
    email: textOf(email),
    image: textOf(avatar),
    emailVerified: verified === true ? at : null,
  };
}

function createMethod(config: BuiltInProviderConfig): OAuthMethod {
  const itself = { id: "github", name: "GitHub", scope: "read:user user:email" };
  const client = readBuiltIn(config, itself);
  const secret = readSecretText(config.clientSecret);
  return createOAuthMethod({
    ...client,
    authenticate: authByPost(() => secret),
    type: "oauth",
    server: () => SERVER,
    identify,
    profile: readProfile,
  });
}

/**
 * Sign-in with GitHub, under the id 'github'. The primary address counts as verified when GitHub has verified
 * it. `codeHostProvider` is the same function.
 *
 * @param config Application at GitHub, with the scope 'read:user user:email' by default; or a function that
 * makes it from the environment.
 * Keys that are left out are `GITHUB_CLIENT_ID` and `GITHUB_CLIENT_SECRET` of the environment.
 * @throws {ConfigurationError} When the configuration is wrong or there are no keys; of a function and in a worker, at
 * the first request.
 *
 * @example
 * ```ts
 * import { defineProvider, github } from "@framework/auth/convention";
 * import { equal } from "node:assert/strict";
 *
 * // The default export of app/auth/providers/github.ts
 * const provider = defineProvider((env: { GITHUB_ID: string; GITHUB_SECRET: string }) =>
 *   github({ clientId: env.GITHUB_ID, clientSecret: env.GITHUB_SECRET })
 * );
 * equal(provider.kind, "provider");
 * ```
 */
export function github<Env = unknown>(
  config?: Partial<BuiltInProviderConfig> | ((env: Env) => BuiltInProviderConfig),
): Provider {
  return defineBuiltIn(config, "github", createMethod);
}
