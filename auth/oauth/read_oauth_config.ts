import { isOptions, optionsOf, wrongOption } from "../config/check.ts";
import { readChoice, readFlag, readText } from "../config/read_values.ts";
import { readProviderId } from "../providers/provider_id.ts";
import { isProviderUrl } from "./call_provider.ts";
import type { CommonProviderOptions } from "./oauth_config.ts";
import { readClientId, readScope } from "./client_options.ts";
import type { CommonClient } from "./oauth_client.ts";
import { readClientAuth } from "./read_client_auth.ts";

/** Parameters that no option may set: the safety of the sign-in rests on them. */
const RESERVED_PARAMETERS: ReadonlySet<string> = new Set([
  "client_id",
  "client_secret",
  "response_type",
  "response_mode",
  "redirect_uri",
  "scope",
  "state",
  "nonce",
  "code_challenge",
  "code_challenge_method",
  "request",
  "request_uri",
]);

/** Options that every provider has. */
const COMMON_KEYS = [
  "id",
  "name",
  "clientId",
  "clientSecret",
  "scope",
  "clientAuth",
  "responseMode",
  "trustEmail",
  "parameters",
];

/** Checks that the options are options and have no other keys than these. */
export function readKeys<T>(config: unknown, keys: readonly string[]): Partial<T> {
  return optionsOf(config, "provider", [...COMMON_KEYS, ...keys]) as Partial<T>;
}

/**
 * Checks an address of a provider.
 *
 * @param allowsHttp True for an address without https that is meant all the same.
 */
export function readEndpoint(
  value: unknown,
  field: string,
  allowsHttp?: (value: unknown) => value is string,
): string {
  if (isProviderUrl(value) || allowsHttp?.(value)) return value;
  throw wrongOption(
    field,
    value,
    "an address with https, or with http on a loopback host; in a private network also http with insecureHttp: true",
  );
}

function readParameters(value: unknown): Record<string, string> {
  if (value === undefined) return {};
  if (!isOptions(value)) throw wrongOption("parameters", value, "an object of texts");
  for (const [name, text] of Object.entries(value)) {
    const field = `parameters.${name}`;
    if (RESERVED_PARAMETERS.has(name)) throw wrongOption(field, text, "it not, it is set already");
    if (typeof text !== "string") throw wrongOption(field, text, "a text");
  }
  return { ...value } as Record<string, string>;
}

/** Checks the options that every provider has, and fills in their defaults. */
export function readCommon(config: Partial<CommonProviderOptions>): CommonClient {
  const { scope, responseMode = "query", trustEmail, parameters } = config;
  const id = readProviderId(config.id);
  const mode = readChoice(responseMode, "responseMode", ["query", "form_post"]);
  const formPost = mode === "form_post";
  return {
    id,
    name: readText(config.name, "name", "a display name"),
    clientId: readClientId(config.clientId),
    authenticate: readClientAuth(config, id),
    formPost,
    parameters: {
      ...readParameters(parameters),
      ...readScope(scope),
      ...formPost && { response_mode: "form_post" },
    },
    trustEmail: readFlag(trustEmail, "trustEmail") ?? false,
  };
}
