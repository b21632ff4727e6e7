import type { Profile } from "../callbacks/callbacks.ts";
import type { Awaitable } from "../callbacks/callbacks.ts";
import type { UserProfile } from "../users/user_profile.ts";
import type { Caller } from "./call_provider.ts";
import type { Authenticate } from "./client_auth.ts";
import type { OAuthTokens } from "./contracts.ts";

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
