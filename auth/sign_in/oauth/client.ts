/**
 * The contract of a client of a provider.
 *
 * @module
 */

import type { OAuthTokens } from "../../core/oauth_contracts.ts";
import type { Awaitable, Profile } from "../../types/callbacks.ts";
import type { UserProfile } from "../../types/user.ts";
import type { Caller } from "./request.ts";

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
  /** True where the id of an account is the subject of its ID token. Default false. */
  bySubject?: boolean;
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

/** As {@linkcode ClientAuthentication}, told what is known of the server. */
export type Authenticate = (
  server: OAuthServer & { issuer: string },
  client: { client_id: string },
  body: URLSearchParams,
  headers: Headers,
) => void | Promise<void>;
