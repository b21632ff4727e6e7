/**
 * Sign-in with Notion.
 *
 * @module
 */

import type { Provider } from "../../../core/provider.ts";
import { isOptions } from "../../../lib/options.ts";
import type { Profile } from "../../../types/callbacks.ts";
import { callProvider, invalidResponse, parseObject } from "../request.ts";
import { textOf } from "../userinfo.ts";
import {
  defineDeclaredPreset,
  type PresetConfig,
  type PresetOptions,
  tokenCalls,
} from "./preset.ts";

const VERSION = "2022-06-28";

/** The token is that of a bot; its owner is who signs in. */
function ownerOf(said: Profile): Profile {
  const bot = isOptions(said.bot) ? said.bot : {};
  const owner = isOptions(bot.owner) ? bot.owner : {};
  return owner.type === "user" && isOptions(owner.user) ? owner.user : {};
}

/**
 * Sign-in with Notion, under the id 'notion'.
 * Accounts are known by the `id` of the person who owns the connection, never by that of its bot. Notion knows no
 * PKCE: `state` binds the answer to the browser.
 *
 * @param config Public connection at Notion, which holds its capabilities; or a function that makes it from the
 * environment. Keys that are left out are `NOTION_CLIENT_ID` and `NOTION_CLIENT_SECRET` of the environment.
 * @throws {ConfigurationError} When the configuration is wrong or there are no keys; of a function and in a worker, at
 * the first request.
 *
 * @example
 * ```ts
 * import { notion } from "@framework/auth/providers";
 * import { equal } from "node:assert/strict";
 *
 * const provider = notion({ clientId: "app", clientSecret: "secret" });
 * equal(provider.kind, "provider");
 * ```
 */
export function notion<Env = unknown>(config?: PresetOptions<PresetConfig, Env>): Provider {
  const preset = {
    id: "notion",
    name: "Notion",
    clientAuth: "basic",
    parameters: { owner: "user" },
  } as const;
  return defineDeclaredPreset(config, preset, () => ({
    server: {
      issuer: null,
      authorization: "https://api.notion.com/v1/oauth/authorize",
      token: "https://api.notion.com/v1/oauth/token",
      userinfo: "https://api.notion.com/v1/users/me",
    },
    callerOf: tokenCalls({ send: (fields) => fields.delete("code_verifier"), asJson: true }),
    async identify({ tokens, server }, caller) {
      const headers = new Headers({
        authorization: `Bearer ${tokens.accessToken}`,
        "notion-version": VERSION,
      });
      const reply = await callProvider(server.userinfo!, { headers }, caller);
      if (reply.status === 200) return parseObject(reply);
      throw invalidResponse(`The userinfo endpoint answered with status ${reply.status}`);
    },
    profile(said) {
      const { id, name, avatar_url: image, person } = ownerOf(said);
      const email = isOptions(person) ? textOf(person.email) : undefined;
      return { id: id as string, name: textOf(name), email, image: textOf(image) };
    },
  }));
}
