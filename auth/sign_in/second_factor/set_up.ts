/**
 * Two-step sign-in of somebody who is signed in: turned on, looked after, turned off.
 *
 * @module
 */

import type {
  AccountSection,
  Endpoint,
  EndpointContext,
  Look,
  RequestStore,
} from "../../core/contracts.ts";
import { jsonResponse, ownRedirect, safeCallback } from "../../core/redirect.ts";
import { prefersJson } from "../../core/request.ts";
import { type AuthError, SecondFactorError } from "../../errors.ts";
import { readFields } from "../../lib/body.ts";
import { markup } from "../../lib/html.ts";
import { lookOf, pageResponse, say } from "../../pages/frame.ts";
import { heading } from "../../pages/parts.ts";
import {
  managePage,
  recoveryCodesPage,
  secondFactorSection,
  setUpPage,
} from "../../pages/second_factor.ts";
import { requireRecentUser } from "../../session/require.ts";
import type { FactorRecord } from "../../storage/second_factors.ts";
import type { ValidSession } from "../../types/session.ts";
import { type User, verifiedEmail } from "../../types/user.ts";
import {
  accountPath,
  type CheckedSecondFactor,
  createRecoveryCodes,
  factorsOf,
  hashRecoveryCode,
  markSession,
  openFor,
  PATHS,
  placeOfSecret,
  sealFor,
} from "./factor.ts";
import { tellOwner } from "./mail.ts";
import { isProved } from "./require.ts";
import { doneResponse, stepRequired } from "./step.ts";
import { createTotpSecret, findStep, isTotpCode, totpUri } from "./totp.ts";

/** Time for which a shared secret can be confirmed, in milliseconds. */
const SET_UP_AGE = 900_000;

/** The owner of a session, and the second factor; null where there is none. */
interface Owner {
  user: User;
  session: ValidSession;
  factor: FactorRecord | null;
}

/**
 * The owner of the session, who has proved of late who they are: by both factors where there are two.
 *
 * @throws {RedirectError} To the sign-in page; for a client that prefers JSON the typed error.
 * @throws {SecondFactorRequiredError} When the second factor is to be proved anew.
 */
async function requireOwner({ store, url }: EndpointContext): Promise<Owner> {
  const { auth, request } = store;
  const { settings } = auth;
  const state = await auth.load();
  const user = requireRecentUser(state, { throwError: prefersJson(request) }, store);
  const session = state as ValidSession;
  const factors = factorsOf(settings);
  const factor = await factors.readFactor(user.id);
  if (factor !== null) {
    const proved = await factors.readSessionFactor(session.id, user.id);
    if (!isProved(proved, { fresh: true, now: settings.now() })) {
      const isPage = request.method === "GET" || request.method === "HEAD";
      throw stepRequired(
        store,
        isPage ? url.pathname + url.search : settings.basePath + PATHS.setUp,
      );
    }
  }
  return { user, session, factor };
}

/** Ends the other sessions of a user: they have not proved what is there now. */
async function endOthers({ auth }: RequestStore, { user, session }: Owner): Promise<void> {
  await auth.settings.strategy.endAll(user.id, { except: session });
}

/** Place of a secret that is not confirmed: of this user and this session alone. */
function placeOfSetUp({ user, session }: Owner): string {
  return `set-up\n${user.id}\n${session.id}`;
}

/** A shared secret on its way to the app, sealed into the form: until it is confirmed nothing is stored. */
interface SetUp {
  secret: string;
  at: number;
}

async function readSetUp(
  { store }: EndpointContext,
  owner: Owner,
  sealed: string | undefined,
): Promise<SetUp> {
  const { settings } = store.auth;
  const opened = await openFor(settings, sealed ?? "", placeOfSetUp(owner));
  const setUp = opened === null ? null : JSON.parse(opened) as SetUp;
  if (setUp === null || settings.now() - setUp.at > SET_UP_AGE) {
    throw new SecondFactorError(undefined, { code: "SECOND_FACTOR_OVER" });
  }
  return setUp;
}

/** The page, or the JSON, with which a shared secret goes into an app. */
async function offerSetUp(
  context: EndpointContext,
  { issuer }: CheckedSecondFactor,
  { owner, setUp, sealed, callbackUrl: wanted, error = null }: {
    owner: Owner;
    setUp: SetUp;
    sealed: string;
    callbackUrl: string | null | undefined;
    error?: AuthError | null;
  },
): Promise<Response> {
  const { store } = context;
  const { settings: { basePath }, origin } = store.auth;
  const look = lookOf(store);
  const name = issuer ?? look.name ?? new URL(origin()).host;
  const { secret } = setUp;
  const uri = totpUri(secret, { issuer: name, account: owner.user.email ?? owner.user.id });
  if (prefersJson(store.request)) {
    return jsonResponse({ on: false, secret, uri, setUp: sealed });
  }
  // Loaded here alone: it is of use once in the life of an account.
  const { encode } = await import("uqr");
  const page = setUpPage(look, {
    action: basePath + PATHS.setUp,
    hidden: { setUp: sealed, callbackUrl: safeCallback(wanted, context) },
    secret,
    modules: encode(uri, { ecc: "M", border: 0 }).data,
    account: accountPath(store),
    error: error === null ? null : say(
      look,
      "That code is wrong, or it has been used before. Wait for the next one and try again.",
    ),
  });
  return pageResponse(look, page, { status: error?.status ?? 200 });
}

/** The page on which a factor that is on is looked after. */
async function showManage(context: EndpointContext, owner: Owner): Promise<Response> {
  const { store } = context;
  const { settings } = store.auth;
  const factors = factorsOf(settings);
  const { user, factor } = owner;
  const codes = await factors.countRecoveryCodes(user.id);
  const trusted = await factors.listTrustedBrowsers(user.id, settings.now());
  const since = new Date(factor!.createdAt);
  if (prefersJson(store.request)) {
    return jsonResponse({
      on: true,
      since,
      recoveryCodes: codes,
      trustedBrowsers: trusted.map(({ idHash, userAgent, expiresAt }) => ({
        id: idHash,
        userAgent,
        expires: new Date(expiresAt),
      })),
    });
  }
  const look = lookOf(store);
  const page = managePage(look, {
    path: settings.basePath + PATHS.setUp,
    since,
    codes,
    browsers: trusted.map(({ idHash, userAgent, expiresAt }) => ({
      id: idHash,
      name: userAgent ?? "?",
      until: new Date(expiresAt),
    })),
    account: accountPath(store),
  });
  return pageResponse(look, page);
}

/**
 * Refuses users without an address of their own: nobody could be told, and the first proof of an address ends a factor that
 * was there before.
 *
 * @throws {SecondFactorError} When the address is not proved.
 */
function assertProvedAddress(user: User): void {
  if (verifiedEmail(user) === null) {
    throw new SecondFactorError(undefined, { code: "SECOND_FACTOR_UNPROVED_EMAIL" });
  }
}

function unprovedPage({ store }: EndpointContext): Response {
  const look = lookOf(store);
  const title = say(look, "Confirm your email address before you turn on two-step sign-in.");
  return pageResponse(look, {
    title,
    isError: true,
    body: markup`${heading(title)}<a class="button go" href="${accountPath(store)}">${
      say(look, "Go to your account")
    }</a>\n`,
  }, { status: 403 });
}

/**
 * `GET /second-factor/setup`: a new secret for the app; where a factor is on, the page on which it is looked after. It
 * stores nothing.
 */
export function showSetUp(provider: CheckedSecondFactor): Endpoint {
  return async function showSetUpPage(context) {
    const { store, url } = context;
    const owner = await requireOwner(context);
    const replace = url.searchParams.get("replace") === "yes";
    if (owner.factor !== null && !replace) return await showManage(context, owner);
    const { settings } = store.auth;
    try {
      assertProvedAddress(await settings.storage.getActiveUser(owner.user.id) ?? owner.user);
    } catch (error) {
      if (prefersJson(store.request)) throw error;
      return unprovedPage(context);
    }
    const setUp = { secret: createTotpSecret(), at: settings.now() };
    const sealed = await sealFor(settings, JSON.stringify(setUp), placeOfSetUp(owner));
    const callbackUrl = url.searchParams.get("callbackUrl");
    return await offerSetUp(context, provider, { owner, setUp, sealed, callbackUrl });
  };
}

/** `POST /second-factor/setup`: turns the factor on, when the app shows the right code. */
export function setUpEndpoint(provider: CheckedSecondFactor): Endpoint {
  return async function setUpFactor(context) {
    const { store, store: { request } } = context;
    const fields = await readFields(request, { optional: false });
    const owner = await requireOwner(context);
    const { settings } = store.auth;
    const { storage, now } = settings;
    const { user, factor, session } = owner;
    // Read anew: the session of a signed token may say what held before.
    assertProvedAddress(await storage.getActiveUser(user.id) ?? user);
    const sealed = fields.get("setUp") ?? "";
    const setUp = await readSetUp(context, owner, sealed);
    const callbackUrl = fields.get("callbackUrl");
    const code = (fields.get("code") ?? "").replace(/[\s-]/g, "");
    const step = isTotpCode(code) ? await findStep(setUp.secret, code, now()) : null;
    if (step === null) {
      const error = new SecondFactorError();
      if (prefersJson(request)) throw error;
      return await offerSetUp(context, provider, { owner, setUp, sealed, callbackUrl, error });
    }
    const codes = createRecoveryCodes();
    const isStored = await factorsOf(settings).putFactor({
      userId: user.id,
      secret: await sealFor(settings, setUp.secret, placeOfSecret(user.id)),
      // The code that confirms it is used up (RFC 6238, 5.2).
      lastStep: step,
      createdAt: now(),
      codes: await Promise.all(codes.map((one) => hashRecoveryCode(user.id, one))),
      replaces: factor?.createdAt ?? null,
    });
    if (!isStored) throw new SecondFactorError(undefined, { code: "SECOND_FACTOR_CHANGED" });
    await markSession(settings, { sessionId: session.id, userId: user.id, method: "totp" });
    await endOthers(store, owner);
    store.report({ type: "second-factor-added", userId: user.id });
    tellOwner(store, provider, { userId: user.id, news: "added" });
    return showCodes(context, codes, callbackUrl);
  };
}

/** Shows recovery codes, this once. */
function showCodes(
  context: EndpointContext,
  codes: readonly string[],
  callbackUrl?: string,
): Response {
  const { store } = context;
  if (prefersJson(store.request)) return jsonResponse({ on: true, recoveryCodes: codes });
  const look = lookOf(store);
  const next = safeCallback(callbackUrl, context) ?? accountPath(store);
  return pageResponse(look, recoveryCodesPage(look, { codes, next }));
}

/** An endpoint for who has a factor and has proved it of late. */
function withFactor(
  work: (context: EndpointContext, owner: Owner) => Promise<Response>,
): Endpoint {
  return async function changeFactor(context) {
    const owner = await requireOwner(context);
    if (owner.factor === null) {
      throw new SecondFactorError(undefined, { code: "SECOND_FACTOR_CHANGED" });
    }
    return await work(context, owner);
  };
}

/** `POST /second-factor/setup/codes`: makes new recovery codes, in the place of all before. */
export function codesEndpoint(provider: CheckedSecondFactor): Endpoint {
  return withFactor(async (context, owner) => {
    const { store } = context;
    const { settings } = store.auth;
    const { id: userId } = owner.user;
    const codes = createRecoveryCodes();
    const hashes = await Promise.all(codes.map((one) => hashRecoveryCode(userId, one)));
    if (!await factorsOf(settings).replaceRecoveryCodes(userId, hashes, settings.now())) {
      throw new SecondFactorError(undefined, { code: "SECOND_FACTOR_CHANGED" });
    }
    await endOthers(store, owner);
    tellOwner(store, provider, { userId, news: "codes" });
    return showCodes(context, codes);
  });
}

/** `POST /second-factor/setup/off`: turns the factor off. */
export function offEndpoint(provider: CheckedSecondFactor): Endpoint {
  return withFactor(async (context, owner) => {
    const { store } = context;
    const { settings, origin } = store.auth;
    const { id: userId } = owner.user;
    if (await factorsOf(settings).dropFactor(userId)) {
      await endOthers(store, owner);
      store.report({ type: "second-factor-removed", userId });
      tellOwner(store, provider, { userId, news: "removed" });
    }
    return doneResponse(context, { on: false }, ownRedirect(accountPath(store), origin()));
  });
}

/** `POST /second-factor/setup/browsers`: trusts a browser no more; without `id` none. */
export function browsersEndpoint(): Endpoint {
  return withFactor(async (context, { user }) => {
    const { store } = context;
    const { settings, origin } = store.auth;
    const fields = await readFields(store.request, { optional: true });
    const ended = await factorsOf(settings).dropTrustedBrowsers(user.id, fields.get("id"));
    const page = ownRedirect(settings.basePath + PATHS.setUp, origin());
    return doneResponse(context, { ended }, page);
  });
}

/** Writes the section of the account page. */
export async function factorSection(
  { auth: { settings } }: RequestStore,
  look: Look,
  { id }: User,
): Promise<AccountSection> {
  const factor = await factorsOf(settings).readFactor(id);
  return {
    id: "two-step",
    title: say(look, "Two-step sign-in"),
    content: secondFactorSection(look, {
      path: settings.basePath + PATHS.setUp,
      since: factor === null ? null : new Date(factor.createdAt),
    }),
  };
}
