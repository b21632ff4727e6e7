import type { Profile } from "../callbacks/callbacks.ts";
import { createOAuthMethod, type OAuthMethod } from "../oauth/oauth_method.ts";
import {
  declareServer,
  identifyByUserinfo,
  textOf,
  verifiedAt,
  withoutHoles,
} from "../oauth/plain_client.ts";
import { readCommon } from "../oauth/read_oauth_config.ts";
import type { UserProfile } from "../users/user_profile.ts";
import { type BuiltInProviderConfig, readBuiltIn } from "./built_in.ts";
import { defineMethod, type Provider } from "./provider.ts";

const SERVER = /* @__PURE__ */ declareServer({
  issuer: "https://discord.com",
  authorization: "https://discord.com/oauth2/authorize",
  token: "https://discord.com/api/oauth2/token",
  userinfo: "https://discord.com/api/users/@me",
});

function readProfile(said: Profile, at: Date): UserProfile {
  const { id, username, global_name: shown, email, avatar, verified } = said;
  const picture = textOf(avatar);
  const texts = {
    name: textOf(shown) ?? textOf(username),
    email: textOf(email),
    image: picture && `https://cdn.discordapp.com/avatars/${id}/${picture}.png`,
  };
  return {
    id: id as string,
    ...withoutHoles(texts),
    emailVerified: verifiedAt(verified, at),
  };
}

function createMethod(given: BuiltInProviderConfig): OAuthMethod {
  const config = readBuiltIn(given, { id: "discord", name: "Discord" });
  return createOAuthMethod({
    ...readCommon({ scope: "identify email", ...config }),
    type: "oauth",
    server: () => SERVER,
    identify: identifyByUserinfo,
    profile: readProfile,
  });
}

/**
 * Sign-in with Discord, under the id 'discord'. An address that it has verified counts as verified here.
 *
 * @param config The application there, with the scope 'identify email' by default; or a function that
 * makes it from the environment.
 * @throws {ConfigurationError} When the configuration is wrong; of a function, at the first request.
 */
export function chatPlatformProvider<Env = unknown>(
  config: BuiltInProviderConfig | ((env: Env) => BuiltInProviderConfig),
): Provider {
  return defineMethod(config, createMethod);
}
