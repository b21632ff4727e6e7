/**
 * Options of OAuth providers, checked.
 *
 * @module
 */

import type { SignInMethod } from "../../core/contracts.ts";
import { defineMethod, type Provider } from "../../core/provider.ts";
import {
  isOptions,
  optionsOf,
  readChoice,
  readFlag,
  readText,
  wrongOption,
} from "../../lib/options.ts";
import { processEnvironment } from "../../lib/runtime.ts";
import type { UserProfile } from "../../types/user.ts";
import { readProviderId } from "../sign_in.ts";
import { isProviderUrl } from "./request.ts";
import type { ClientAuth, CommonClient } from "./client.ts";
import { readClientAuth } from "./client_auth.ts";
import type { RemoteKeys } from "./jwks.ts";

/** Options common to all OAuth providers. */
export interface CommonProviderOptions {
  /** Its name in addresses and in the list of providers: lower-case letters, digits and -. */
  id: string;
  /** Its name on the sign-in page. */
  name: string;
  /** The id of the application at the provider. */
  clientId: string;
  /** The secret of the application there, or a function that makes it. Left out with `clientAuth: "none"`. */
  clientSecret?: string | (() => Promise<string>);
  /** Requested scopes, separated by blanks. */
  scope?: string;
  /**
   * Client authentication at the token endpoint. Default 'basic', or 'post' where the provider
   * supports only that.
   */
  clientAuth?: ClientAuth;
  /** Response mode: 'query', or 'form_post' for a form that the browser posts. Default 'query'. */
  responseMode?: "query" | "form_post";
  /**
   * Trusts addresses that the provider calls verified: an account is linked to the user who has
   * verified the same address, so the provider could sign in as any of them. Default false: the
   * address is stored with `emailVerified: null`, and `verifiedEmail()` returns null.
   */
  trustEmail?: boolean;
  /** Further parameters of the request, such as `{ access_type: "offline" }`. */
  parameters?: Record<string, string>;
}

/** Options for `createOAuth2Provider()`. */
export interface OAuth2ProviderConfig extends CommonProviderOptions {
  /** Address at which visitors sign in. This and all others: https, or http on a loopback host. */
  authorization: string;
  /** Address at which codes become tokens. */
  token: string;
  /** Address at which the provider says who somebody is. */
  userinfo: string;
  /** Issuer identifier, where the provider sends one (RFC 9207). */
  issuer?: string;
  /** The keys of a provider that signs ID tokens: what `remoteKeys()` returns. It needs `issuer`. */
  jwks?: RemoteKeys;
  /**
   * Allows endpoints without https at a host of a private network, such as "http://keycloak:8080"
   * in a compose file. **Whoever can listen there reads codes and the client secret, and can sign
   * in as anybody**: for development, or where the network itself encrypts. Only names of one word,
   * names below `.internal`, `.local`, `.test` and `.home.arpa` and private addresses are taken,
   * and `provider-without-https` is logged. Default false.
   */
  insecureHttp?: boolean;
  /** Makes a user of what the provider says. */
  profile(profile: unknown): UserProfile;
}

/** Meaning of a provider's claim `amr` (RFC 8176). */
export interface ProviderSecondFactor {
  /** Values that the provider says after two factors alone, such as `["mfa"]`; one of them is enough. */
  amr: readonly string[];
  /**
   * Seconds since then at most, by the claim `auth_time`, without which nothing counts. Default 600. A provider that sends
   * it only when asked is asked by `parameters: { max_age: "600" }`.
   */
  maxAge?: number;
}

/** Options for `createOidcProvider()`. */
export interface OidcProviderConfig extends CommonProviderOptions {
  /** The provider, exactly as it writes itself. `/.well-known/openid-configuration` below it describes it. */
  issuer: string;
  /**
   * Allows an issuer and endpoints at its host without https in a private network, such as
   * "http://keycloak:8080" in a compose file. **Whoever can listen there reads codes and the client
   * secret, and can sign in as anybody**: for development, or where the network itself encrypts.
   * Only names of one word, names below `.internal`, `.local`, `.test` and `.home.arpa` and private
   * addresses are taken, and `provider-without-https` is logged. Default false.
   */
  insecureHttp?: boolean;
  /** Requested scopes. Default 'openid email profile'. */
  scope?: string;
  /** Prompt parameter, such as 'login' or 'consent'. */
  prompt?: string;
  /**
   * Counts a sign-in as two factors where the ID token says so, so that `secondFactor()`, which must be among the providers,
   * asks for none of its own. **Only for a provider whose claim you know:** whoever runs it, and whoever can take away a
   * person's factor there, decides about the second factor here. Default: one factor, whatever it says.
   */
  secondFactor?: ProviderSecondFactor;
  /** Makes a user of the claims. Default: `sub`, `email`, `name`, `picture`, `email_verified`. */
  profile?(profile: unknown): UserProfile;
}

/** Names that `parameters` may not have: the safety of the sign-in rests on them. */
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
    if (RESERVED_PARAMETERS.has(name)) {
      // Its name and not its value, which may be a secret.
      throw wrongOption("parameters", name, "its option, such as responseMode, or leave it out");
    }
    if (typeof text !== "string") throw wrongOption(`parameters.${name}`, text, "a text");
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

/** The id of the application at a provider. */
function readClientId(value: unknown): string {
  return readText(value, "clientId", "the id of the application at the provider");
}

/** Scope parameter; absent without the option, so that the provider decides. */
function readScope(value: unknown): { scope?: string } {
  return value === undefined ? {} : { scope: readText(value, "scope", "a text") };
}

/** Options for the built-in providers. */
export interface BuiltInProviderConfig {
  /** The id of the application at the provider. */
  clientId: string;
  /** The secret of the application there: from the environment, never from the source. */
  clientSecret: string;
  /** Requested scopes, separated by blanks. Default: see the provider. */
  scope?: string;
  /** Its name in addresses and in the list of providers. Default: see the provider. */
  id?: string;
}

const KEYS = ["id", "clientId", "clientSecret", "scope"];

/** Definition of a built-in provider. */
export interface BuiltInProvider {
  /** Its name in addresses, unless the options give it another one. */
  id: string;
  /** Its name on the sign-in page. */
  name: string;
  /** Default scope. */
  scope?: string;
  /** True when the provider posts the response as a form (`form_post`). Default false. */
  formPost?: boolean;
}

/** Checks the options of a built-in provider. Its secret is read with the way in which it is used. */
export function readBuiltIn(
  config: Omit<BuiltInProviderConfig, "clientSecret">,
  { name, formPost = false, ...itself }: BuiltInProvider,
): Omit<CommonClient, "authenticate"> {
  const { id = itself.id, clientId, scope = itself.scope } = optionsOf(config, "provider", KEYS);
  return {
    id: readProviderId(id),
    name,
    clientId: readClientId(clientId),
    formPost,
    parameters: { ...readScope(scope), ...formPost && { response_mode: "form_post" } },
    trustEmail: true,
  };
}

/**
 * Makes a built-in provider, whose keys come from the environment where its options have none: of GitHub
 * `GITHUB_CLIENT_ID` and `GITHUB_CLIENT_SECRET`, of the process where they are set there, else of the environment that
 * each request brings.
 *
 * @param name Name of its function.
 * @throws {ConfigurationError} Naming the variables, when neither has them; in a worker at the first request.
 */
export function defineBuiltIn<Config extends { clientId: string; clientSecret: unknown }, Env>(
  config: Partial<Config> | ((env: Env) => Config) = {},
  name: string,
  read: (config: Config) => SignInMethod,
): Provider {
  if (!isOptions(config)) return defineMethod(config, read);
  const [id, secret] = ["ID", "SECRET"].map((key) => `${name.toUpperCase()}_CLIENT_${key}`);
  function complete(env: unknown): Config {
    const found = Object(env);
    const keys = { clientId: found[id!], clientSecret: found[secret!], ...config };
    if (keys.clientId && keys.clientSecret) return keys as Config;
    throw wrongOption(
      `${name}()`,
      undefined,
      `clientId and clientSecret, or set ${id} and ${secret}`,
    );
  }
  // The first look at it loads modules of Node on workers, which takes longer than all the rest of a configuration.
  const env = config.clientId && config.clientSecret ? {} : processEnvironment();
  // What is known now is made once, and what is half there is wrong now.
  const isNow = config.clientId || config.clientSecret || env[id!];
  return defineMethod(isNow ? complete(env) : complete, read);
}
