/**
 * The callback of an OAuth sign-in: code, tokens, profile, user.
 *
 * @module
 */

import type { Endpoint, EndpointContext, Settings } from "../../core/contracts.ts";
import type {
  LinkIntent,
  OAuthTokens,
  ProvenAtProvider,
  Transaction,
} from "../../core/oauth_contracts.ts";
import { linkingOf, statelessOf } from "../../core/provider.ts";
import { isMissingPage, ownRedirect, redirectResponse } from "../../core/redirect.ts";
import { prefersJson } from "../../core/request.ts";
import { InvalidEmailError, isAuthError, OAuthError, RequestError } from "../../errors.ts";
import { readFields, readPairs } from "../../lib/body.ts";
import { parseEmailAddress } from "../../lib/email_address.ts";
import { isOptions } from "../../lib/options.ts";
import type { UserRecord } from "../../storage/records.ts";
import { createSignInRecord } from "../../storage/user_record.ts";
import type { Profile } from "../../types/callbacks.ts";
import type { UserProfile } from "../../types/user.ts";
import { type IdentityLink, isKeptUnproved, reportKept, signInWithIdentity } from "../identity.ts";
import { completeSignIn } from "../sign_in.ts";
import { type Caller, invalidResponse } from "./request.ts";
import type { OAuthClient, OAuthServer } from "./client.ts";
import type { TransactionSecrets } from "./pkce.ts";
import { describeTokens, forgetTokens, readReason, requestTokens } from "./tokens.ts";
import { finishTransaction } from "./transaction.ts";

/** The fields of the provider's answer. */
async function readAnswer({ store, url }: EndpointContext): Promise<ReadonlyMap<string, string>> {
  const { request } = store;
  if (request.method === "POST") return await readFields(request, { optional: false });
  // Whoever only looks whether there is something must not use up the sign-in.
  if (request.method === "HEAD") {
    throw new RequestError(undefined, { code: "METHOD_NOT_ALLOWED", allow: "GET" });
  }
  return readPairs(url.searchParams, "parameter of the address");
}

/**
 * `GET /callback/<id>`, or POST for a provider that answers by a form: where the provider sends the
 * visitor back to. Nothing is asked of the provider before the answer is known to belong to a sign-in
 * that this browser began.
 */
export function callbackEndpoint(client: OAuthClient): Endpoint {
  return async function comeBackFromProvider(context) {
    const { settings } = context.store.auth;
    const fields = await readAnswer(context);
    let transaction: Transaction | undefined;
    try {
      const begun = await finishTransaction(context, client, fields.get("state") ?? null);
      transaction = begun;
      const answer = { fields, redirectUri: redirectUriOf(context, client), secrets: begun };
      const { tokens, profile } = await exchangeCode(client, answer, settings);
      const said = readProfile(client, profile, settings.now());
      const proven = { client, transaction, tokens, profile, said };
      return begun.link === null
        ? await finishSignIn(context, proven)
        : await linkingOf(settings).finish(context, proven, begun.link);
    } catch (error) {
      const { callbackUrl = null, link = null } = transaction ?? {};
      return failureResponse(error, context, { client, callbackUrl, link });
    }
  };
}

/** The answer that a visitor brings from the provider. */
export interface ProviderAnswer {
  /** Its fields. */
  fields: ReadonlyMap<string, string>;
  /** Redirect URI at which the answer arrived. */
  redirectUri: string;
  /** The secrets of its transaction. */
  secrets: TransactionSecrets;
}

/** The answer must come from the server that was asked, also when it is an error (RFC 9207, 2.4). */
function checkIssuer(fields: ReadonlyMap<string, string>, server: OAuthServer): void {
  const said = fields.get("iss");
  if (said === undefined ? !server.saysIssuer : said === server.issuer) return;
  const hint = server.issuer === null ? "; the option `issuer` is not set" : "";
  throw invalidResponse(`The answer comes from another server than was asked${hint}`);
}

/** The code of an answer. */
function readCode(fields: ReadonlyMap<string, string>, server: OAuthServer): string {
  checkIssuer(fields, server);
  const error = fields.get("error");
  if (error !== undefined) {
    const reason = readReason(error);
    const code = reason === "access_denied" ? "OAUTH_DENIED" : "OAUTH_PROVIDER_ERROR";
    throw new OAuthError(code, `The provider answered "${reason}"`, { reason });
  }
  const code = fields.get("code");
  if (code === undefined || code === "") {
    throw invalidResponse("The answer has no code");
  }
  return code;
}

/**
 * Turns the answer into tokens, and these into what the provider says about the visitor.
 *
 * @throws {OAuthError} When any of it is not as it must be.
 */
async function exchangeCode(
  client: OAuthClient,
  answer: ProviderAnswer,
  caller: Caller,
): Promise<{ tokens: OAuthTokens; profile: Profile }> {
  const { fields, redirectUri, secrets: { verifier, nonce } } = answer;
  const server = await client.server(caller);
  const code = readCode(fields, server);
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  });
  const tokens = await requestTokens(body, { client, server, caller });
  const profile = await client.identify({ tokens, server, code, nonce, fields }, caller);
  return { tokens, profile };
}

/**
 * The address, where it can be read in one way only. One that becomes another text when it is normalized, such as
 * one with a full-width at sign, is somebody else's mailbox for whoever reads it otherwise: it is nobody's here
 * (GHSA-7rqj-j65f-68wh). Providers have no reason to send one: it is ASCII (OpenID Connect Core, 5.1).
 *
 * @throws {InvalidEmailError} When it is no address.
 */
function readAddress(said: string): string | undefined {
  const parsed = parseEmailAddress(said);
  if (parsed === null) throw new InvalidEmailError();
  return parsed.address === said && parsed.identity === said.toLowerCase() ? said : undefined;
}

/**
 * Record that the provider's `profile()` maps the claims to. Its id is the one at the provider.
 *
 * @throws {OAuthError} `OAUTH_PROFILE_INVALID` when it throws, or names nobody.
 */
function readProfile(client: OAuthClient, claims: Profile, at: number): UserRecord {
  try {
    const profile: unknown = client.profile(claims, new Date(at));
    if (!isOptions(profile)) throw new TypeError("profile() returned no object");
    const { id, email: said, name, image, emailVerified } = profile as Partial<UserProfile>;
    const email = said ? readAddress(said) : undefined;
    // Empty texts are how some providers say that there is none.
    const user = {
      id,
      email,
      name: name || undefined,
      image: image || undefined,
      emailVerified: email && emailVerified ? emailVerified : null,
    };
    return createSignInRecord(user, at, "profile()");
  } catch (cause) {
    const told = cause instanceof Error ? cause.message : "";
    throw new OAuthError("OAUTH_PROFILE_INVALID", `profile() of "${client.id}" failed: ${told}`);
  }
}

/** The identity, its tokens and what the provider says, as accounts are made of them. */
export async function describeIdentity(
  { client, tokens, profile, said }: ProvenAtProvider,
  settings: Settings,
): Promise<Required<Omit<IdentityLink, "stillThere" | "askedIn">>> {
  const { id: providerAccountId, emailVerified, ...user } = said.user;
  const { id: provider, type, trustEmail } = client;
  const key = { provider, providerAccountId };
  return {
    identity: { ...key, type, user, emailVerified: emailVerified instanceof Date, trustEmail },
    tokens: await settings.providerTokens?.(tokens, key, settings) ?? forgetTokens(tokens),
    account: describeTokens(tokens),
    profile,
  };
}

/** Ends a sign-in: with the account's user, a known one whom the address proves, or a new one. */
async function finishSignIn(
  context: EndpointContext,
  proven: ProvenAtProvider,
): Promise<Response> {
  const { settings } = context.store.auth;
  if (!settings.hasDatabase) return await statelessOf(settings).signInByProvider(context, proven);
  const { callbackUrl } = proven.transaction;
  return await signInWithIdentity(context, {
    ...await describeIdentity(proven, settings),
    callbackUrl,
  });
}

/** Without a database nobody is known: the identity at the provider is the user. */
export async function signInUnknown(
  context: EndpointContext,
  { client, transaction: { callbackUrl }, tokens, profile, said }: ProvenAtProvider,
): Promise<Response> {
  const { id: provider, type, trustEmail } = client;
  const { id: providerAccountId, email, emailVerified, ...rest } = said.user;
  // As with a database: an address that nobody vouches for is kept, and proves nothing.
  const isVerified = emailVerified instanceof Date;
  const isProved = trustEmail && isVerified;
  const user = {
    ...rest,
    id: `${provider}:${providerAccountId}`,
    email: email ?? null,
    emailVerified: isProved ? emailVerified : null,
  };
  if (isKeptUnproved(user)) {
    reportKept(context, { provider, trustEmail, emailVerified: isVerified });
  }
  return await completeSignIn(context, {
    owner: { ...said, user, emailIdentity: isProved ? said.emailIdentity : null },
    account: { ...describeTokens(tokens), provider, providerAccountId, type },
    profile,
    callbackUrl,
  });
}

/** Context of a failed sign-in. */
export interface FailedSignIn {
  /** The provider. */
  client: OAuthClient;
  /** Destination that the visitor requested, checked by the redirect guard. */
  callbackUrl: string | null;
  /** User to whom an account was to be linked; null for a sign-in. */
  link: LinkIntent | null;
  /** Log level. Default "warn", since anyone can forge what a browser sends; "error" where the configuration is at fault. */
  level?: "warn" | "error";
}

/**
 * Answers a sign-in at a provider that did not work. A browser is sent to the sign-in page, or from
 * linking to the error page, with a code that it knows: what the provider wrote is not shown, and the
 * address that holds a code of the provider does not stay in the window. Where there is no such page, and for a
 * program, the error is the answer.
 */
export function failureResponse(
  error: unknown,
  { store }: EndpointContext,
  { client, callbackUrl, link, level }: FailedSignIn,
): Response {
  const { request, auth: { settings, origin }, report } = store;
  const { logger, pages } = settings;
  const isOurs = error instanceof OAuthError;
  if (!isOurs && (!isAuthError(error) || error.status >= 500)) throw error;
  const { code, message } = error;
  const { endpoint, reason } = error as OAuthError;
  const provider = client.id;
  report({ type: "sign-in-failed", code, provider, ...link && { userId: link.userId } });
  const page = link === null ? pages.signIn : pages.error;
  // The second step is a page of its own, to which its error leads.
  const leads = code === "SECOND_FACTOR_REQUIRED";
  const isAnswer = leads || isMissingPage(page, settings) || prefersJson(request);
  // An error that is the answer stands in the log by that.
  logger[level ?? (endpoint === undefined || isAnswer ? "warn" : "error")]("provider-failed", {
    requestId: store.requestId(),
    provider,
    code,
    message,
    ...endpoint !== undefined && { endpoint, reason },
  });
  if (isAnswer) throw error;
  return redirectResponse(ownRedirect(page, origin(), { error: code, callbackUrl }), 303);
}

/** Address to which the provider sends the visitor back. It follows from the configuration and from nothing sent. */
export function redirectUriOf({ store: { auth } }: EndpointContext, { id }: OAuthClient): string {
  return `${auth.origin()}${auth.settings.basePath}/callback/${id}`;
}
