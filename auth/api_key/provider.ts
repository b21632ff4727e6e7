/**
 * The provider of API keys.
 *
 * @module
 */

import type { Provider } from "../core/provider.ts";
import { wrongOption } from "../lib/options.ts";
import { apiKeyGroup } from "../storage/api_keys.ts";
import { groupOf } from "../storage/storage.ts";
import type { DefaultEnv } from "../types/application.ts";
import { admitKey, bindSettings } from "./admission.ts";
import { API_KEY_ENDPOINTS, apiKeySection, teamKeySection } from "./endpoints.ts";
import { listOwnApiKeys } from "./operations.ts";
import { type ApiKeysConfig, type ApiKeysModule, readApiKeysConfig } from "./options.ts";

function createModule(config: unknown): ApiKeysModule {
  const checked = readApiKeysConfig(config);
  return {
    id: checked.id,
    apiKeys: checked,
    endpoints: () => API_KEY_ENDPOINTS,
    keys: { admit: (store, counts) => admitKey(store, counts, checked) },
    accountSection: apiKeySection,
    accountData: async (store) => ({ apiKeys: await listOwnApiKeys(store) }),
    teamSection: teamKeySection,
    async endTenant({ storage }, tenantId) {
      await groupOf(storage, apiKeyGroup).dropApiKeys({ tenantId });
    },
    check(settings) {
      if (!settings.hasDatabase) {
        throw wrongOption("database", undefined, "a database, which apiKeys() needs");
      }
      groupOf<unknown>(settings.storage, apiKeyGroup);
      if (checked.teamPermission !== null && settings.tenancy === null) {
        throw wrongOption("tenancy", undefined, "defineTenancy(…), which keys of teams need");
      }
      bindSettings(settings, checked);
    },
  };
}

/**
 * API keys, with which programs act for a user or a team: `Authorization: Bearer acme_live_…`. Users make, rotate and revoke
 * theirs on the account page.
 *
 * A key counts where a guard says so, `authMiddleware({ apiKey: true })`, and nowhere else; never at the endpoints of the
 * library, never as recent, never beside a session cookie. With a key of a user `getUser()` is its owner without any role,
 * and `hasPermission()` is true for what both may do at that moment. A key of a team is nobody: `getUser()` is null, and
 * `hasPermission()` says what the key may do in that team. `getActor()` names the key. It needs a database.
 *
 * @param config The beginning of the keys, and what they may do; or a function that makes that from the environment.
 * @throws {ConfigurationError} When the configuration is wrong; of a function, at the first request.
 *
 * @example
 * ```ts
 * import { apiKeys, createAuth, createMemoryStorage, getActor } from "@framework/auth";
 * import { authMiddleware } from "@framework/auth/middleware";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   providers: [apiKeys({ prefix: "acme" })],
 * });
 * const guard = authMiddleware({ apiKey: true });
 *
 * const request = new Request("http://localhost/api/posts", {
 *   headers: { authorization: "Bearer acme_live_no_such_key" },
 * });
 * const response = await auth.run(request, {}, undefined, (context) =>
 *   guard(request, () => Promise.resolve(Response.json(getActor())), context));
 * equal(response.status, 401);
 * ```
 */
export function apiKeys<Env = DefaultEnv>(
  config: ApiKeysConfig | ((env: Env) => ApiKeysConfig),
): Provider {
  if (typeof config !== "function") return { kind: "provider", definition: createModule(config) };
  return { kind: "provider", definition: (env: Env) => createModule(config(env)) };
}
