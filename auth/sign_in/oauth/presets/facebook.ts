/**
 * Sign-in with Facebook.
 *
 * @module
 */

import type { Provider } from "../../../core/provider.ts";
import { encodeText, toHex } from "../../../lib/encoding.ts";
import { isOptions } from "../../../lib/options.ts";
import type { Profile } from "../../../types/callbacks.ts";
import { getJson, invalidResponse } from "../request.ts";
import { readSecretText } from "../client_auth.ts";
import { textOf } from "../userinfo.ts";
import { defineDeclaredPreset, type PresetConfig, type PresetOptions } from "./preset.ts";

const ME = "https://graph.facebook.com/me";

/** Proves that a call comes from whoever has the secret: a token that another application got is worth nothing here. */
async function proofOf(token: string, secret: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encodeText(secret), algorithm, false, ["sign"]);
  return toHex(new Uint8Array(await crypto.subtle.sign("HMAC", key, encodeText(token))));
}

function pictureOf(said: Profile): string | undefined {
  const data = isOptions(said.picture) ? said.picture.data : null;
  return isOptions(data) ? textOf(data.url) : undefined;
}

/**
 * Sign-in with Facebook, under the id 'facebook'. Its address is never proved: Facebook does not say that it is.
 * Accounts are known by `id`, which is another one for each application. Calls have `appsecret_proof`, so the setting
 * "Require app secret" can be on.
 *
 * @param config Application at Facebook, with the scope 'public_profile email' by default; or a function that makes it
 * from the environment. Keys that are left out are `FACEBOOK_CLIENT_ID` and `FACEBOOK_CLIENT_SECRET` of the
 * environment.
 * @throws {ConfigurationError} When the configuration is wrong or there are no keys; of a function and in a worker, at
 * the first request.
 *
 * @example
 * ```ts
 * import { facebook } from "@framework/auth/providers";
 * import { equal } from "node:assert/strict";
 *
 * const provider = facebook({ clientId: "app", clientSecret: "secret" });
 * equal(provider.kind, "provider");
 * ```
 */
export function facebook<Env = unknown>(config?: PresetOptions<PresetConfig, Env>): Provider {
  const preset = {
    id: "facebook",
    name: "Facebook",
    scope: "public_profile email",
    clientAuth: "post",
  } as const;
  return defineDeclaredPreset<PresetConfig, Env>(config, preset, (given) => {
    const secret = readSecretText(given.clientSecret);
    return {
      server: {
        issuer: null,
        authorization: "https://www.facebook.com/dialog/oauth",
        token: "https://graph.facebook.com/oauth/access_token",
        userinfo: ME,
      },
      async identify({ tokens: { accessToken: token } }, caller) {
        const url = new URL(ME);
        url.searchParams.set("fields", "id,name,email,picture");
        url.searchParams.set("appsecret_proof", await proofOf(token, secret));
        const said = await getJson(url.href, caller, { token });
        if (isOptions(said)) return said;
        throw invalidResponse("The provider's userinfo is not an object");
      },
      profile: (said) => ({
        id: said.id as string,
        name: textOf(said.name),
        email: textOf(said.email),
        image: pictureOf(said),
      }),
    };
  });
}
