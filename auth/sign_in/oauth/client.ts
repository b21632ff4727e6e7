/**
 * The client of a provider: its contract, its authentication, and its tokens.
 *
 * @module
 */

import type { EndpointContext } from "../../core/contracts.ts";
import type { AccountKey, KeepTokens, OAuthTokens } from "../../core/oauth_contracts.ts";
import { ConfigurationError, OAuthError } from "../../errors.ts";
import { isFilledText, isOptions, readMade, wrongOption } from "../../lib/options.ts";
import type { AccountTokens } from "../../storage/storage.ts";
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

/** What is known of a provider's server. */
export interface OAuthServer {
  /** Who it says it is; null when nobody knows. */
  issuer: string | null;
  /** Where visitors are sent. */
  authorization: string;
  /** Where codes become tokens. */
  token: string;
  /** Where it tells who somebody is; null when it does not. */
  userinfo: string | null;
  /** Whether its answers always say who it is (RFC 9207). Default false. */
  saysIssuer?: boolean;
  /** How clients may prove themselves, by the names of RFC 8414. Default: nobody knows. */
  authMethods?: readonly string[];
  /** Sends requests ahead. Default: they need not be. */
  push?: PushRequest;
}

/** Sends the parameters of a request ahead, and gives what the visitor carries instead (RFC 9126). */
export type PushRequest = (
  parameters: Record<string, string>,
  at: { client: OAuthClient; server: OAuthServer; caller: Caller },
) => Promise<Record<string, string>>;

/** A sign-in of which the tokens are there. */
export interface OAuthGrant {
  /** What the provider gave. */
  tokens: OAuthTokens;
  /** Its server. */
  server: OAuthServer;
  /** The code that was exchanged. */
  code: string;
  /** What the ID token must repeat. */
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
  /** Which kind of account it proves. */
  type: "oauth" | "oidc";
  /** The id of the application there. */
  clientId: string;
  /** Proves the application to the provider. */
  authenticate: Authenticate;
  /** Whether the answer comes as a form that the browser posts. */
  formPost: boolean;
  /** The parameters of the request that are not the same for all: what is asked for, and how. */
  parameters: Readonly<Record<string, string>>;
  /** Whether a verified address of it may join an account to a user with the same one. */
  trustEmail: boolean;
  /** What calls it, where that may do more than others. Default: as for all. */
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
 * How the application proves itself: by its secret in a header ('basic') or in the form ('post'), not at
 * all ('none', for what has no secret), or by a function.
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
  throw invalidResponse(`The provider's "${name}" is no text`);
}

function readExpiry(value: unknown, now: number): number | null {
  if ((value ?? null) === null) return null;
  const seconds = typeof value === "string" ? Number(value) : value;
  if (typeof seconds === "number" && seconds >= 0 && seconds < 1e10) {
    return now + Math.floor(seconds) * 1000;
  }
  throw invalidResponse('The provider\'s "expires_in" is no number of seconds');
}

/** What the provider calls an error, when that is a word and no novel. */
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
    throw invalidResponse("The provider gave no bearer token");
  }
  return {
    accessToken,
    refreshToken: optionalText(body, "refresh_token"),
    expiresAt: readExpiry(body.expires_in, now),
    scope: optionalText(body, "scope"),
    idToken: optionalText(body, "id_token"),
  };
}

/**
 * How the tokens that providers give are kept for `getAccessToken()`: {@linkcode sealedTokens}.
 */
export interface ProviderTokens {
  /** Tells it from other objects. */
  readonly kind: "provider-tokens";
  /** What it is made of, for the library. */
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

/** What the database keeps where nobody asks for the tokens: what they were for. */
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

/** Who somebody is, by what the provider says to whoever has their access token. */
export async function identifyByUserinfo(
  { tokens, server }: OAuthGrant,
  caller: Caller,
): Promise<Profile> {
  const said = await getJson(server.userinfo!, caller, { token: tokens.accessToken });
  if (isOptions(said)) return said;
  throw invalidResponse("The provider's userinfo is no object");
}

/** The text, if it is one. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Address to which the provider sends the visitor back. It follows from the configuration and from nothing sent. */
export function redirectUriOf({ store: { auth } }: EndpointContext, { id }: OAuthClient): string {
  return `${auth.origin()}${auth.settings.basePath}/callback/${id}`;
}
