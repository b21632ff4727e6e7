/**
 * The parts of provider presets: options, hosts, profile readers, token requests.
 *
 * @module
 */

import type { Provider } from "../../../core/provider.ts";
import { optionsOf, wrongOption } from "../../../lib/options.ts";
import type { Profile } from "../../../types/callbacks.ts";
import type { UserProfile } from "../../../types/user.ts";
import { readLimited } from "../../../lib/body.ts";
import { invalidResponse, isProviderUrl } from "../request.ts";
import type { CommonClient, OAuthServer } from "../client.ts";
import { type BuiltInProviderConfig, defineBuiltIn, readCommon } from "../options.ts";
import { createOidcMethod, type OidcDetails, STANDARD_SCOPE } from "../oidc.ts";
import { createOAuthMethod, type OAuthMethod } from "../provider.ts";
import { identifyByUserinfo } from "../userinfo.ts";

/** Options for the presets of `@framework/auth/providers`. */
export interface PresetConfig extends BuiltInProviderConfig {
  /**
   * Trusts addresses that the provider calls verified: an account is linked to the user who has
   * verified the same address. Default false, except where the preset says otherwise.
   */
  trustEmail?: boolean;
}

/** Fixed properties of a provider, the same for every application. */
export interface Preset {
  /** Its name in addresses, and in the variables of the environment. */
  id: string;
  /** Its name on the sign-in page. */
  name: string;
  /** Its mark: shapes of 24 by 24, only where its rules allow it on a button. Default: its first letter. */
  logo?: string;
  /** Default scope. */
  scope?: string;
  /** Client authentication. Default: 'basic', or 'post' where its description has only that. */
  clientAuth?: "basic" | "post";
  /** Further parameters of the request. */
  parameters?: Record<string, string>;
  /** Default false. */
  trustEmail?: boolean;
  /** Options of its own. */
  keys?: readonly string[];
}

const KEYS = ["id", "clientId", "clientSecret", "scope", "trustEmail"];

/** Argument of a preset's function: its options, or a function that makes them from the environment. */
export type PresetOptions<Config extends PresetConfig, Env> =
  | Omit<Config, "clientId" | "clientSecret"> & Partial<BuiltInProviderConfig>
  | ((env: Env) => Config);

function readPreset(config: PresetConfig, preset: Preset): CommonClient {
  const given = optionsOf(config, "provider", [...KEYS, ...preset.keys ?? []]);
  const all: Record<string, unknown> = { ...preset };
  for (const key of KEYS) if (given[key] !== undefined) all[key] = given[key];
  return readCommon(all);
}

/** Makes a preset's provider. */
export function definePreset<Config extends PresetConfig, Env>(
  config: PresetOptions<Config, Env> | undefined,
  preset: Preset,
  read: (client: CommonClient, config: Config) => OAuthMethod,
): Provider {
  return defineBuiltIn<Config, Env>(config as Partial<Config>, preset.id, (given) => {
    const method = read(readPreset(given, preset), given);
    return preset.logo === undefined ? method : { ...method, logo: preset.logo };
  });
}

/** Makes a preset's provider that describes itself. */
export function defineOpenIdPreset<Config extends PresetConfig, Env>(
  config: PresetOptions<Config, Env> | undefined,
  preset: Preset,
  detailsOf: (config: Config) => OidcDetails & Pick<CommonClient, "callerOf">,
): Provider {
  const whole = { scope: STANDARD_SCOPE, ...preset };
  return definePreset<Config, Env>(config, whole, (client, given) => {
    const { scope = "" } = client.parameters;
    if (!scope.split(" ").includes("openid")) {
      throw wrongOption("scope", scope, 'scopes with "openid" among them');
    }
    const { callerOf, ...details } = detailsOf(given);
    return createOidcMethod({ ...client, ...callerOf && { callerOf } }, details);
  });
}

/** Endpoints of a declared preset, and its way to identify a user. */
export interface Declared extends Partial<Pick<CommonClient, "callerOf">> {
  /** Its server. */
  server: OAuthServer;
  /** Finds out who somebody is. Default: by the userinfo endpoint. */
  identify?: typeof identifyByUserinfo;
  /** Makes a user of that. */
  profile(said: Profile, at: Date): UserProfile;
}

/** Makes a preset's provider whose endpoints are documented. */
export function defineDeclaredPreset<Config extends PresetConfig, Env>(
  config: PresetOptions<Config, Env> | undefined,
  preset: Preset,
  declaredBy: (config: Config) => Declared,
): Provider {
  return definePreset<Config, Env>(config, preset, (client, given) => {
    const { server, identify = identifyByUserinfo, ...rest } = declaredBy(given);
    return createOAuthMethod({ ...client, type: "oauth", server: () => server, identify, ...rest });
  });
}

// Labels of a public name: no port, path, user, number in the place of a name, and nothing that ends them.
const HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;

/**
 * Checks the host of somebody's own part of a provider. It is written into addresses to which codes and secrets are
 * sent: what could end the host there leads to another one.
 *
 * @throws {ConfigurationError} When it is anything but a host.
 */
export function readHost(value: unknown, field: string, example: string): string {
  if (typeof value === "string" && value.length <= 253 && HOST.test(value)) return value;
  throw wrongOption(field, value, `a host alone, in lower case, such as "${example}"`);
}

/**
 * Checks one part of a path that is written into an address.
 *
 * @throws {ConfigurationError} When it is anything but one part.
 */
export function readPathPart(value: unknown, field: string, example: string): string {
  if (typeof value === "string" && /^[A-Za-z0-9_][\w.-]{0,254}$/.test(value)) return value;
  throw wrongOption(field, value, `letters, digits, "_", "." and "-", such as "${example}"`);
}

/**
 * Checks the address of a server that somebody runs themselves; without a slash at its end.
 *
 * @throws {ConfigurationError} When it is no address with https, or has more than a path.
 */
export function readServerUrl(value: unknown, field: string, example: string): string {
  if (isProviderUrl(value) && /^[^?#\\\s]+$/.test(value)) return value.replace(/\/$/, "");
  throw wrongOption(field, value, `an address with https, such as "${example}"`);
}

/** Deviations of a provider's token endpoint from RFC 6749. */
export interface TokenCalls {
  /** Changes the fields that are sent. */
  send?(fields: URLSearchParams): void;
  /** Sends the fields as JSON. Default false: as a form. */
  asJson?: boolean;
  /** Address at which tokens are renewed. Default: the token endpoint. */
  refreshAt?: string;
  /** Changes what the answer says. */
  read?(body: Record<string, unknown>): void;
}

// As much as any provider writes there.
const MAX_REPLY = 1_048_576;

async function changeReply(response: Response, read: TokenCalls["read"]): Promise<Response> {
  const { status, headers } = response;
  if (read === undefined || status !== 200) return response;
  const bytes = await readLimited(response, MAX_REPLY);
  if (bytes === null) {
    throw invalidResponse(`The provider's answer is longer than ${MAX_REPLY} bytes`);
  }
  const text = new TextDecoder().decode(bytes);
  const type = headers.get("content-type") ?? "";
  const same = () => new Response(text, { status, headers: { "content-type": type } });
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== "object" || body === null) return same();
    read(body as Record<string, unknown>);
    return new Response(JSON.stringify(body), { status, headers: { "content-type": type } });
  } catch {
    return same();
  }
}

/** Calls a token endpoint that departs from RFC 6749; all other calls stay as they are. */
export function tokenCalls(
  { send, asJson = false, refreshAt, read }: TokenCalls,
): NonNullable<CommonClient["callerOf"]> {
  return (caller) => ({
    ...caller,
    async fetch(input, init) {
      const { body } = init ?? {};
      if (!(body instanceof URLSearchParams)) return await caller.fetch(input, init);
      const fields = new URLSearchParams(body);
      send?.(fields);
      const renews = fields.get("grant_type") === "refresh_token";
      const url = renews && refreshAt || input;
      const headers = new Headers(init?.headers);
      if (asJson) headers.set("content-type", "application/json");
      const written = asJson ? JSON.stringify(Object.fromEntries(fields)) : fields;
      return await changeReply(
        await caller.fetch(url, { ...init, headers, body: written }),
        read,
      );
    },
  });
}
