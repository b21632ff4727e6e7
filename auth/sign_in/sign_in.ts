/**
 * Steps that all ways to sign in share, and the list of providers.
 *
 * @module
 */

import type { EndpointContext, Settings } from "../core/contracts.ts";
import { respondToError, withErrorHeaders } from "../core/error_response.ts";
import {
  guardRedirect,
  jsonResponse,
  ownRedirect,
  redirectBounds,
  redirectResponse,
  safeCallback,
  settleRedirect,
} from "../core/redirect.ts";
import { accountOf, currentRequest, prefersJson } from "../core/request.ts";
import type { MintedSession } from "../core/session_strategy.ts";
import {
  AccessDeniedError,
  type AuthError,
  ConfigurationError,
  isAuthError,
  type RateLimitedError,
  type SafeRedirect,
  type SecondFactorRequiredError,
} from "../errors.ts";
import { describe, wrongOption } from "../lib/options.ts";
import { beginSession } from "../session/mint.ts";
import type { SaveUserOptions, UserRecord } from "../storage/records.ts";
import type { Account, SignInParams } from "../types/callbacks.ts";
import type { User } from "../types/user.ts";

/** A sign-in whose proof has been checked. */
export interface ProvenSignIn extends Omit<SignInParams, "user" | "account"> {
  /** User who signs in, not yet stored. */
  owner: UserRecord;
  /** The user as the application is asked about them. Default: as `owner` says. */
  user?: User;
  /** Done when the application has agreed, before anything is stored. */
  prepare?: () => Promise<void>;
  /** True when the user has just been read: nothing of it is written. Default false. */
  known?: boolean;
  /** Changes to store together with the user, and their conditions. */
  save?: SaveUserOptions;
  /** The identity. */
  account: Account;
  /** Its proofs, as values of RFC 8176; "mfa" for two factors. Default: one factor. */
  amr?: readonly string[];
  /** Identifier as it was typed; "" where only a secret is submitted. Default: none. */
  identifier?: string;
  /** Destination that the visitor requested. */
  callbackUrl: unknown;
}

/** The way on: a redirect, or for a client that prefers JSON the same in words. */
export function wayOn(
  redirectTo: SafeRedirect,
  { store: { request } }: EndpointContext,
  session: Partial<MintedSession["session"]> = {},
): Response {
  if (!prefersJson(request)) return redirectResponse(redirectTo, 303);
  const { user = null, expires = null } = session;
  return jsonResponse({ user, expires, redirectTo });
}

/**
 * Completes every way to sign in: asks the application's callback, and only then stores the user,
 * creates the session and redirects.
 *
 * @throws {AccessDeniedError} When the `signIn` callback refuses.
 * @throws {UserUnavailableError} When the user is disabled.
 */
export async function completeSignIn(
  context: EndpointContext,
  {
    owner,
    user = owner.user,
    prepare,
    known = false,
    save,
    identifier,
    callbackUrl,
    amr,
    ...proven
  }: ProvenSignIn,
): Promise<Response> {
  const { store } = context;
  const { account: { provider }, account, profile } = proven;
  const { id: userId } = owner.user;
  // Copies: the callback answers, and what it writes into its question is not an answer.
  const question = { ...proven, user: { ...user }, account: { ...account } };
  const elsewhere = await askSignIn(context, question);
  if (elsewhere !== null) {
    const named = await accountOf(store.auth.settings, identifier);
    store.report({ type: "sign-in-failed", code: "ACCESS_DENIED", provider, userId, ...named });
    return wayOn(elsewhere, context);
  }
  await prepare?.();
  try {
    const begun = await beginSession(store, userId, {
      provider,
      identifier,
      account,
      owner: known ? undefined : owner,
      save,
      profile,
      amr,
      callbackUrl,
    });
    return await goOn(context, begun, callbackUrl);
  } catch (error) {
    if ((error as AuthError).code !== "SECOND_FACTOR_REQUIRED") throw error;
    return wayOn((error as SecondFactorRequiredError).redirectTo!, context);
  }
}

/**
 * The way to the second step where that is why no session has begun; else throws the error. For what begins a session by
 * itself: an application without that has no code for it.
 */
export function toSecondStep(error: unknown, context: EndpointContext): Response {
  if ((error as AuthError).code !== "SECOND_FACTOR_REQUIRED") throw error;
  return wayOn((error as SecondFactorRequiredError).redirectTo!, context);
}

/** The way on after a sign-in: the page for new users, the destination that was requested, or the start page. */
export async function goOn(
  context: EndpointContext,
  { session, created }: Pick<MintedSession, "session" | "created">,
  callbackUrl: unknown,
): Promise<Response> {
  const { settings: { pages }, origin } = context.store.auth;
  const target = await settleRedirect(callbackUrl, context);
  const welcome = created && pages.newUser !== null
    ? ownRedirect(pages.newUser, origin(), { callbackUrl: target })
    : null;
  return wayOn(welcome ?? target ?? ownRedirect("/", origin()), context, session);
}

/**
 * Asks the application whether a user may sign in. Only `true` lets in. Errors of this library that the
 * callback throws are the answer as they are; any other is a refusal.
 *
 * @returns Null when the user may, else where to send them.
 * @throws {AccessDeniedError} When the user may not.
 * @throws {ConfigurationError} When the callback gave no answer.
 */
export async function askSignIn(
  context: EndpointContext,
  params: SignInParams,
): Promise<SafeRedirect | null> {
  const { settings: { callbacks, logger } } = context.store.auth;
  if (callbacks.signIn === undefined) return null;
  let verdict: unknown;
  try {
    verdict = await callbacks.signIn(params);
  } catch (cause) {
    if (isAuthError(cause)) throw cause;
    logger.error("callback-failed", {
      requestId: context.store.requestId(),
      callback: "signIn",
      error: cause,
    });
    throw new AccessDeniedError(undefined, { cause });
  }
  if (verdict === true) return null;
  if (verdict === false) throw new AccessDeniedError();
  if (typeof verdict !== "string") {
    throw new ConfigurationError(
      `The signIn callback gave ${describe(verdict)}: return true, false or an address`,
      { field: "callbacks.signIn" },
    );
  }
  const target = guardRedirect(verdict, redirectBounds(context));
  if (target !== null) return target;
  logger.warn("redirect-refused", { requestId: context.store.requestId(), callback: "signIn" });
  throw new AccessDeniedError();
}

/** A form that was sent. */
export interface FilledForm {
  /** Submitted values that may be shown again, by field, without passwords and secrets. */
  values: ReadonlyMap<string, string>;
  /** Destination that the visitor requested. */
  callbackUrl: unknown;
}

/** The application's page with this visitor's error: it is no success, and must not be cached. */
function withFailure(page: Response, status: number): Response {
  const headers = new Headers(page.headers);
  headers.set("cache-control", "no-store");
  return new Response(page.body, { status: page.status === 200 ? status : page.status, headers });
}

/** The application's own page at this address, for a visitor who tries again; null when it has none. */
export async function ownPage(
  address: SafeRedirect,
  status: number,
  { info }: EndpointContext,
): Promise<Response | null> {
  const page = await info.renderPage?.(new URL(address), status) ?? null;
  return page === null ? null : withFailure(page, status);
}

/**
 * Page for another attempt, the application's or the built-in one, with the reason and its status;
 * the reason alone where there is no page.
 */
export async function failurePage(
  error: AuthError,
  context: EndpointContext,
  form: FilledForm,
): Promise<Response> {
  const { settings: { pages }, origin } = context.store.auth;
  const callbackUrl = safeCallback(form.callbackUrl, context);
  // Nobody types so much: to send it back only makes the answer long.
  const values = new Map([...form.values].filter(([, value]) => value.length <= 1024));
  // The application's page fills its form again from this address, which no browser ever sees.
  const limited = error.code === "RATE_LIMITED" ? error as RateLimitedError : null;
  const address = ownRedirect(pages.signIn, origin(), {
    ...Object.fromEntries(values),
    error: limited?.useEmail ? "RATE_LIMITED_ACCOUNT" : error.code,
    retryAfter: limited?.headers["retry-after"] ?? null,
    callbackUrl,
  });
  const page = await ownPage(address, error.status, context) ?? await pages.theme?.signIn(context, {
    callbackUrl,
    error: error.code,
    limited,
    values,
    status: error.status,
  });
  if (page === undefined) {
    return respondToError(error, context.store.request, { requestId: context.store.requestId() });
  }
  return withErrorHeaders(page, error);
}

/** The id of a provider, which becomes a part of addresses. */
export function readProviderId(value: unknown): string {
  if (typeof value === "string" && /^[a-z0-9][a-z0-9-]{0,63}$/.test(value)) return value;
  throw wrongOption("id", value, "lower-case letters, digits and -");
}

/** A way to sign in, as a sign-in page shows it. */
export interface ProviderInfo {
  /** Its name in addresses: a form that begins it posts to `/auth/signin/<id>`. */
  id: string;
  /** Display name, as in "Continue with GitHub". */
  name: string;
  /** Type of the accounts it creates. */
  type: Account["type"];
}

/**
 * The ways to sign in, in order: for a sign-in page of your own, so that it has a button for each provider.
 *
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, github, listProviders } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   providers: [github({ clientId: "id", clientSecret: "secret" })],
 * });
 * const request = new Request("http://localhost/signin");
 * const response = await auth.run(request, {}, undefined, () => Response.json(listProviders()));
 * deepEqual(await response.json(), [{ id: "github", name: "GitHub", type: "oauth" }]);
 * ```
 */
export function listProviders(): ProviderInfo[] {
  return describeProviders(currentRequest("listProviders").auth.settings);
}

/** Public description of the providers. */
export function describeProviders({ providers }: Pick<Settings, "providers">): ProviderInfo[] {
  return [...providers.values()].map(({ id, name, type }) => ({ id, name, type }));
}
