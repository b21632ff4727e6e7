/**
 * Options of `apiKeys()`.
 *
 * @module
 */

import type { EndpointModule, RequestStore, Settings } from "../core/contracts.ts";
import { ConfigurationError } from "../errors.ts";
import { optionsOf, readChoice, readText, tableAt, wrongOption } from "../lib/options.ts";
import { isPermission, PERMISSION_PATTERNS } from "../rbac/permissions.ts";
import { apiKeyGroup, type ApiKeyStorage } from "../storage/api_keys.ts";
import { groupOf } from "../storage/storage.ts";
import { type ApiKeyMode, keyPrefix } from "./key.ts";

/** Options for `apiKeys()`. */
export interface ApiKeysConfig {
  /** Beginning of the keys, by which scanners know whose they are: 2 to 8 lower-case letters. */
  prefix: string;
  /**
   * Data that the keys of this application are for: its keys begin with `<prefix>_live_` or `<prefix>_test_`, and one of the
   * other kind is refused unread. Default "live".
   */
  mode?: ApiKeyMode;
  /**
   * Permissions that a key can have, each with what it says on the pages, such as `{ "posts:read": "Read posts" }`. No key
   * has another one. Default: a key of a user may do all that its owner may, unless whoever makes it names some; one of a
   * team what its maker names.
   */
  permissions?: Readonly<Record<string, string>>;
  /**
   * Permission that a member must have by the roles in the team to make, list, rotate and revoke the keys of the team, such
   * as "api-keys:manage". Default: teams have no keys.
   */
  teamPermission?: string;
}

/** The options, checked. */
export interface CheckedApiKeys {
  /** Id of the module. */
  id: "api-keys";
  /** Beginning of the keys that count. */
  beginning: string;
  /** Finds the beginnings of keys, of both kinds, in a header. */
  inHeader: RegExp;
  /** Matches an Authorization header with a key of either kind. */
  bearer: RegExp;
  /** True for a key of either kind, by its beginning alone. */
  isKey(token: string): boolean;
  /** Permissions that keys can have, with their labels; null for any. */
  permissions: ReadonlyMap<string, string> | null;
  /** Permission to manage the keys of a team; null for no such keys. */
  teamPermission: string | null;
}

const KEYS = ["prefix", "mode", "permissions", "teamPermission"];

function readPermission(value: unknown, field: string): string {
  if (isPermission(value)) return value;
  throw wrongOption(field, value, PERMISSION_PATTERNS);
}

/**
 * Checks the options.
 *
 * @throws {ConfigurationError} Naming the option, what was found and what to write.
 */
export function readApiKeysConfig(config: unknown): CheckedApiKeys {
  const { prefix, mode = "live", permissions, teamPermission } = optionsOf(
    config,
    "apiKeys()",
    KEYS,
  );
  if (typeof prefix !== "string" || !/^[a-z]{2,8}$/.test(prefix)) {
    throw wrongOption("prefix", prefix, 'two to eight lower-case letters, such as "acme"');
  }
  const labels = Object.entries(tableAt(permissions, "permissions"));
  const chosen = readChoice(mode, "mode", ["live", "test"]);
  const begins = ["live", "test"].map((one) => keyPrefix(prefix, one as ApiKeyMode));
  return {
    id: "api-keys",
    beginning: keyPrefix(prefix, chosen),
    inHeader: new RegExp(`(?<![0-9A-Za-z_])${prefix}_(?:live|test)_`, "g"),
    bearer: new RegExp(`^[Bb][Ee][Aa][Rr][Ee][Rr] +${prefix}_(?:live|test)_`),
    isKey: (token) => begins.some((beginning) => token.startsWith(beginning)),
    permissions: permissions === undefined ? null : new Map(
      labels.map(([name, label]) => [
        readPermission(name, `permissions.${name}`),
        readText(label, `permissions.${name}`, "what it says on the pages"),
      ]),
    ),
    teamPermission: teamPermission === undefined
      ? null
      : readPermission(teamPermission, "teamPermission"),
  };
}

/** The module, with the options that the operations need. */
export interface ApiKeysModule extends EndpointModule {
  apiKeys: CheckedApiKeys;
}

/**
 * The options of an application's API keys.
 *
 * @throws {ConfigurationError} When it has none.
 */
export function apiKeysOf({ modules }: Settings, operation: string): CheckedApiKeys {
  const found = modules.find((module): module is ApiKeysModule => "apiKeys" in module);
  if (found !== undefined) return found.apiKeys;
  throw new ConfigurationError(
    `Cannot call ${operation}(): this application has no API keys. Write apiKeys({ prefix: "acme" }) among its \`providers\``,
    { field: "providers" },
  );
}

/** Operations on the keys of an application. */
export function keyStorageOf({ auth }: Pick<RequestStore, "auth">): ApiKeyStorage {
  return groupOf(auth.settings.storage, apiKeyGroup);
}
