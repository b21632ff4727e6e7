/**
 * The client of a provider: its contract, its authentication, and its tokens.
 *
 * @module
 */

import type { EndpointContext } from "../../core/contracts.ts";
import type { AccountKey, KeepTokens, OAuthTokens } from "../../core/oauth_contracts.ts";
import { ConfigurationError, OAuthError } from "../../errors.ts";
import { isFilledText, isOptions, readMade, wrongOption } from "../../lib/options.ts";
import type { AccountTokens } from "../../storage/records.ts";
import type { Account, Awaitable, Profile } from "../../types/callbacks.ts";
import type { UserProfile } from "../../types/user.ts";
import {
  type Caller,
  callProvider,
  getJson,
  invalidResponse,
  parseObject,
  type Reply,
} from "./call_provider.ts";

/** Metadata of a provider's authorization server. */
export interface OAuthServer {
  /** Issuer identifier; null when unknown. */
  issuer: string | null;
  /** Authorization endpoint. */
  authorization: string;
  /** Token endpoint. */
  token: string;
  /** Userinfo endpoint; null when there is none. */
  userinfo: string | null;
  /** True when every authorization response contains `iss` (RFC 9207). Default false. */
  saysIssuer?: boolean;
  /** Supported client authentication methods, by their names in RFC 8414. Default: unknown. */
  authMethods?: readonly string[];
  /** Sends requests ahead. Default: they need not be. */
  push?: PushRequest;
}

/** Pushes the authorization request and returns the parameters that replace it (PAR, RFC 9126). */
export type PushRequest = (
  parameters: Record<string, string>,
  at: { client: OAuthClient; server: OAuthServer; caller: Caller },
) => Promise<Record<string, string>>;

/** A sign-in of which the tokens are there. */
export interface OAuthGrant {
  /** Tokens that the provider issued. */
  tokens: OAuthTokens;
  /** Its server. */
  server: OAuthServer;
  /** The code that was exchanged. */
  code: string;
  /** Nonce that the ID token must contain. */
  nonce: string;
  /** The fields of the answer that brought the code. */
  fields: ReadonlyMap<string, string>;
}

/** A provider as it was configured, checked. */
export interface OAuthClient {
  /** Its name in addresses. */
  id: string;
  /** Its name on the sign-in page. */
  name: string;
  /** Type of the accounts at this provider. */
  type: "oauth" | "oidc";
  /** The id of the application there. */
  clientId: string;
  /** Proves the application to the provider. */
  authenticate: Authenticate;
  /** True when the response is posted as a form by the browser (`form_post`). */
  formPost: boolean;
  /** The parameters of the request that are not the same for all: what is asked for, and how. */
  parameters: Readonly<Record<string, string>>;
  /**
   * True when a verified address of the provider may link its account to the user with the same
   * one.
   */
  trustEmail: boolean;
  /** Caller with extended permissions for requests to the provider. Default: the caller itself. */
  callerOf?(caller: Caller): Caller;
  /** Finds the server. */
  server(caller: Caller): Awaitable<OAuthServer>;
  /** Finds out who somebody is. */
  identify(grant: OAuthGrant, caller: Caller): Promise<Profile>;
  /** Reads what the provider says about somebody. */
  profile(profile: Profile, at: Date): UserProfile;
}

/** The part of a client that does not depend on where the provider is. */
export type CommonClient = Omit<OAuthClient, "type" | "server" | "identify" | "profile">;

/**
 * Proves the application to a provider's server by what it adds to a request. `privateKeyJwt()` and
 * `clientSecretJwt()` make such functions.
 */
export type ClientAuthentication = (
  server: { issuer: string },
  client: { client_id: string },
  body: URLSearchParams,
  headers: Headers,
) => void | Promise<void>;

/**
 * Client authentication at the token endpoint: the secret in a header ('basic') or in the form
 * ('post'), a public client ('none'), or a function.
 */
export type ClientAuth = "basic" | "post" | "none" | ClientAuthentication;

/** Finds the application's secret at a provider. */
type ClientSecret = () => Awaitable<string>;

/** As {@linkcode ClientAuthentication}, told what is known of the server. */
export type Authenticate = (
  server: OAuthServer & { issuer: string },
  client: { client_id: string },
  body: URLSearchParams,
  headers: Headers,
) => void | Promise<void>;

/** Sends a form to a provider's server, in the name of the application. */
export async function postForm(
  url: string,
  body: URLSearchParams,
  { client, server, caller }: { client: OAuthClient; server: OAuthServer; caller: Caller },
): Promise<Reply> {
  const headers = new Headers();
  const as = { ...server, issuer: server.issuer ?? server.token };
  await client.authenticate(as, { client_id: client.clientId }, body, headers);
  return await callProvider(url, { body, headers }, client.callerOf?.(caller) ?? caller);
}

/** As forms encode it, which RFC 6749, 2.3.1 asks for and which many forget. */
function formEncode(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

/** The application proves itself by its secret in a header. */
export function authByBasic(secret: ClientSecret): Authenticate {
  return async function authenticate(_server, { client_id: clientId }, _body, headers) {
    const pair = `${formEncode(clientId)}:${formEncode(await secret())}`;
    headers.set("authorization", `Basic ${btoa(pair)}`);
  };
}

/** The application proves itself by its secret in the form. */
export function authByPost(secret: ClientSecret): Authenticate {
  return async function authenticate(_server, { client_id: clientId }, body) {
    body.set("client_id", clientId);
    body.set("client_secret", await secret());
  };
}

function takesOnlyPost({ authMethods }: OAuthServer): boolean {
  return authMethods !== undefined && !authMethods.includes("client_secret_basic") &&
    authMethods.includes("client_secret_post");
}

/** The application proves itself by its secret: in a header, or in the form where the server takes only that. */
export function authByEither(secret: ClientSecret): Authenticate {
  const [byBasic, byPost] = [authByBasic(secret), authByPost(secret)];
  return function authenticate(server, ...request) {
    return (takesOnlyPost(server) ? byPost : byBasic)(server, ...request);
  };
}

/** The application's secret at a provider, where it is a text. */
export function readSecretText(value: unknown, write = "the secret"): string {
  if (isFilledText(value)) return value;
  // A secret is not described, whatever it is.
  throw wrongOption("clientSecret", undefined, write);
}

/** The application's secret at a provider: a text, or made by a function, at each use. */
export function readMadeSecret(
  value: unknown,
  { id, write }: { id: string; write?: string },
): ClientSecret {
  if (typeof value !== "function") {
    const secret = readSecretText(value, write);
    return () => secret;
  }
  return async function makeSecret() {
    const secret: unknown = await value();
    if (isFilledText(secret)) return secret;
    throw new ConfigurationError(`The provider "${id}" has no clientSecret`, {
      field: "clientSecret",
    });
  };
}

function optionalText(body: Record<string, unknown>, name: string): string | null {
  const value = body[name] ?? "";
  if (value === "") return null;
  if (typeof value === "string") return value;
  throw invalidResponse(`The provider's "${name}" is not a string`);
}

function readExpiry(value: unknown, now: number): number | null {
  if ((value ?? null) === null) return null;
  const seconds = typeof value === "string" ? Number(value) : value;
  if (typeof seconds === "number" && seconds >= 0 && seconds < 1e10) {
    return now + Math.floor(seconds) * 1000;
  }
  throw invalidResponse('The provider\'s "expires_in" is not a number of seconds');
}

/** Error code of a provider if it is short and printable. */
export function readReason(value: unknown): string {
  return typeof value === "string" && /^[\w.:-]{1,64}$/.test(value) ? value : "unknown";
}

/**
 * Reads the answer of a token endpoint (RFC 6749, 5.1 and 5.2).
 *
 * @throws {OAuthError} `OAUTH_PROVIDER_ERROR` with the provider's `reason` when it refuses,
 * `OAUTH_RESPONSE_INVALID` for anything else that holds no tokens.
 */
export function readTokens(reply: Reply, now: number): OAuthTokens {
  const body = parseObject(reply);
  // Some providers report errors with status 200.
  if (typeof body.error === "string") {
    const reason = readReason(body.error);
    throw new OAuthError("OAUTH_PROVIDER_ERROR", `The provider answered "${reason}"`, { reason });
  }
  if (reply.status !== 200) {
    throw invalidResponse(`The token endpoint answered with status ${reply.status}`);
  }
  const accessToken = optionalText(body, "access_token") ?? "";
  const type = optionalText(body, "token_type")?.toLowerCase();
  // It becomes part of a header, which cannot hold more than this (RFC 6749, A.12).
  if (type !== "bearer" || !/^[\x20-\x7e]+$/.test(accessToken)) {
    throw invalidResponse("The provider issued no bearer token");
  }
  return {
    accessToken,
    refreshToken: optionalText(body, "refresh_token"),
    expiresAt: readExpiry(body.expires_in, now),
    scope: optionalText(body, "scope"),
    idToken: optionalText(body, "id_token"),
  };
}

/** Storage of the providers' tokens for `getAccessToken()`: {@linkcode sealedTokens}. */
export interface ProviderTokens {
  /** Tells it from other objects. */
  readonly kind: "provider-tokens";
  /** Definition for internal use. */
  readonly definition: unknown;
}

/** Checks `providerTokens`. */
export function readProviderTokens(value: unknown): KeepTokens | null {
  const write = "sealedTokens of @framework/auth";
  const made = readMade<ProviderTokens>(value, "providerTokens", {
    kind: "provider-tokens",
    write,
  });
  return made && made.definition as KeepTokens;
}

/** Reduces tokens to the granted scope, for applications that do not store them. */
export function forgetTokens({ scope }: OAuthTokens): AccountTokens {
  return { accessToken: null, refreshToken: null, expiresAt: null, tokenType: null, scope };
}

/** The tokens as callbacks see them, in the clear. */
export function describeTokens(
  { accessToken, refreshToken, expiresAt, scope }: OAuthTokens,
): Omit<Account, keyof AccountKey | "type"> {
  return {
    access_token: accessToken,
    token_type: "bearer",
    ...refreshToken !== null && { refresh_token: refreshToken },
    ...expiresAt !== null && { expires_at: Math.floor(expiresAt / 1000) },
    ...scope !== null && { scope },
  };
}

/** Identifies the user by the userinfo endpoint. */
export async function identifyByUserinfo(
  { tokens, server }: OAuthGrant,
  caller: Caller,
): Promise<Profile> {
  const said = await getJson(server.userinfo!, caller, { token: tokens.accessToken });
  if (isOptions(said)) return said;
  throw invalidResponse("The provider's userinfo is not an object");
}

/** The text, if it is one. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Address to which the provider sends the visitor back. It follows from the configuration and from nothing sent. */
export function redirectUriOf({ store: { auth } }: EndpointContext, { id }: OAuthClient): string {
  return `${auth.origin()}${auth.settings.basePath}/callback/${id}`;
}
