import { checkKeys, isOptions, wrongOption } from "../config/check.ts";
import { RESERVED_PARAMETERS } from "./authorization_request.ts";
import { isProviderUrl } from "./call_provider.ts";
import type { CommonProviderOptions } from "./oauth_config.ts";
import type { OAuthClient } from "./oauth_client.ts";

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

/** The part of a client that does not depend on where the provider is. */
export type CommonClient = Omit<OAuthClient, "type" | "server" | "identify" | "profile">;

/** Checks that the options are options and have no other keys than these. */
export function readKeys<T>(config: unknown, keys: readonly string[]): Partial<T> {
  if (!isOptions(config)) throw wrongOption("provider", config, "an object");
  checkKeys(config, [...COMMON_KEYS, ...keys], "");
  return config as Partial<T>;
}

/** Checks an address of a provider. */
export function readEndpoint(value: unknown, field: string): string {
  if (isProviderUrl(value)) return value;
  throw wrongOption(field, value, "an address with https, or with http on a loopback host");
}

function readText(value: unknown, field: string, write: string): string {
  if (typeof value === "string" && value !== "") return value;
  // A secret is not described, whatever it is.
  throw wrongOption(field, field === "clientSecret" ? undefined : value, write);
}

function readSecret({ clientSecret, clientAuth }: Partial<CommonProviderOptions>) {
  if (typeof clientSecret === "function") return clientSecret;
  const isNeeded = typeof clientAuth !== "function" && clientAuth !== "none";
  if (clientSecret === undefined && !isNeeded) return undefined;
  const secret = readText(clientSecret, "clientSecret", 'the secret, or clientAuth: "none"');
  return () => secret;
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
  const { id, scope, clientAuth, responseMode, trustEmail, parameters } = config;
  if (typeof id !== "string" || !/^[a-z0-9][a-z0-9-]{0,63}$/.test(id)) {
    throw wrongOption("id", id, "lower-case letters, digits and -");
  }
  const known = clientAuth === undefined || typeof clientAuth === "function" ||
    ["basic", "post", "none"].includes(clientAuth);
  if (!known) throw wrongOption("clientAuth", clientAuth, '"basic", "post", "none" or a function');
  if (scope !== undefined) readText(scope, "scope", "a text");
  if (responseMode !== undefined && responseMode !== "query" && responseMode !== "form_post") {
    throw wrongOption("responseMode", responseMode, '"query" or "form_post"');
  }
  if (trustEmail !== undefined && typeof trustEmail !== "boolean") {
    throw wrongOption("trustEmail", trustEmail, "true or false");
  }
  return {
    id,
    name: readText(config.name, "name", "a display name"),
    clientId: readText(config.clientId, "clientId", "the id of the application at the provider"),
    clientSecret: readSecret(config),
    clientAuth: clientAuth ?? null,
    scope: scope ?? null,
    formPost: responseMode === "form_post",
    parameters: readParameters(parameters),
    trustEmail: trustEmail ?? false,
  };
}
