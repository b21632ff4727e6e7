/**
 * Sign-in with Discord.
 *
 * @module
 */

import type { Provider } from "../../../core/provider.ts";
import type { Profile } from "../../../types/callbacks.ts";
import type { UserProfile } from "../../../types/user.ts";
import type { OAuthServer } from "../client.ts";
import { authByBasic, readSecretText } from "../client_auth.ts";
import { type BuiltInProviderConfig, defineBuiltIn, readBuiltIn } from "../options.ts";
import { createOAuthMethod, type OAuthMethod } from "../provider.ts";
import { identifyByUserinfo, textOf } from "../userinfo.ts";

const SERVER: OAuthServer = {
  issuer: "https://discord.com",
  authorization: "https://discord.com/oauth2/authorize",
  token: "https://discord.com/api/oauth2/token",
  userinfo: "https://discord.com/api/users/@me",
};

function readProfile(said: Profile, at: Date): UserProfile {
  const { id, username, global_name: shown, email, avatar, verified } = said;
  const picture = textOf(avatar);
  return {
    id: id as string,
    name: textOf(shown) ?? textOf(username),
    email: textOf(email),
    image: picture && `https://cdn.discordapp.com/avatars/${id}/${picture}.png`,
    emailVerified: verified === true ? at : null,
  };
}

function createMethod(config: BuiltInProviderConfig): OAuthMethod {
  const itself = { id: "discord", name: "Discord", scope: "identify email" };
  const client = readBuiltIn(config, itself);
  const secret = readSecretText(config.clientSecret);
  return createOAuthMethod({
    ...client,
    authenticate: authByBasic(() => secret),
    type: "oauth",
    server: () => SERVER,
    identify: identifyByUserinfo,
    profile: readProfile,
  });
}

/**
 * Sign-in with Discord, under the id 'discord'. An address that Discord has verified counts as verified.
 * `chatPlatformProvider` is the same function.
 *
 * @param config Application at Discord, with the scope 'identify email' by default; or a function that makes it
 * from the environment.
 * Keys that are left out are `DISCORD_CLIENT_ID` and `DISCORD_CLIENT_SECRET` of the environment.
 * @throws {ConfigurationError} When the configuration is wrong or there are no keys; of a function and in a worker, at
 * the first request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, discord } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   providers: [discord({ clientId: "1234", clientSecret: "secret" })],
 * });
 * const response = await auth.handle(new Request("http://localhost/auth/providers"), {});
 * const [provider] = await response!.json();
 * equal(provider.id, "discord");
 * ```
 */
export function discord<Env = unknown>(
  config?: Partial<BuiltInProviderConfig> | ((env: Env) => BuiltInProviderConfig),
): Provider {
  return defineBuiltIn(config, "discord", createMethod);
}
