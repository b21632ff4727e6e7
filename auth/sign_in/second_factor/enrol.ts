/**
 * A new second factor: its secret on the way to the app, its first code, and the recovery codes. Of somebody who is signed in,
 * or who may not sign in before it is on.
 *
 * @module
 */

import type { EndpointContext, RequestStore } from "../../core/contracts.ts";
import { jsonResponse, safeCallback } from "../../core/redirect.ts";
import { reportChange } from "../../core/report.ts";
import { prefersJson } from "../../core/request.ts";
import { type AuthError, SecondFactorError } from "../../errors.ts";
import { hashText } from "../../lib/hash.ts";
import { markup } from "../../lib/html.ts";
import { lookOf, pageResponse, say, sayNamed } from "../../pages/frame.ts";
import { heading } from "../../pages/parts.ts";
import { recoveryCodesPage, setUpPage } from "../../pages/second_factor.ts";
import { secretGroup } from "../../storage/secrets.ts";
import { groupOf } from "../../storage/storage.ts";
import { type User, verifiedEmail } from "../../types/user.ts";
import {
  accountPath,
  type CheckedSecondFactor,
  createRecoveryCodes,
  factorsOf,
  hashRecoveryCode,
  openFor,
  placeOfSecret,
  sealFor,
} from "./factor.ts";
import { tellOwner } from "./mail.ts";
import { createTotpSecret, findStep, isTotpCode, totpUri } from "./totp.ts";

/** Time for which a shared secret can be confirmed, in milliseconds. */
const SET_UP_AGE = 900_000;

/** Purpose under which secrets that have been confirmed are remembered, until their forms are too old. */
const USED = "second-factor-used";

/** A form that turns a factor on. */
export interface SetUpForm {
  /** User who is to have it. */
  user: User;
  /** Place of a secret that is not confirmed, where alone it opens. */
  place: string;
  /** Path below `basePath` to which it is sent. */
  path: string;
  /** Path of who does not want to now. */
  later: string;
  /** Destination that the visitor asks for, not checked. */
  callbackUrl: string | null | undefined;
}

/** A shared secret on its way to the app, sealed into the form: until it is confirmed nothing is stored. */
interface SetUp {
  secret: string;
  at: number;
}

function over(): SecondFactorError {
  return new SecondFactorError(undefined, { code: "SECOND_FACTOR_OVER" });
}

async function readSetUp(
  { store: { auth: { settings } } }: EndpointContext,
  { place }: SetUpForm,
  sealed: string,
): Promise<SetUp> {
  const opened = await openFor(settings, sealed, place);
  const setUp = opened === null ? null : JSON.parse(opened) as SetUp;
  if (setUp === null || settings.now() - setUp.at > SET_UP_AGE) throw over();
  return setUp;
}

/** The page, or the JSON, with which a shared secret goes into an app. */
async function offerSetUp(
  context: EndpointContext,
  { issuer }: CheckedSecondFactor,
  { user, path, later, callbackUrl: wanted, secret, sealed, error = null }: SetUpForm & {
    secret: string;
    sealed: string;
    error?: AuthError | null;
  },
): Promise<Response> {
  const { store } = context;
  const { settings: { basePath }, origin } = store.auth;
  const look = lookOf(store);
  const name = issuer ?? look.name ?? new URL(origin()).host;
  const uri = totpUri(secret, { issuer: name, account: user.email ?? user.id });
  if (prefersJson(store.request)) {
    return jsonResponse({ on: false, secret, uri, setUp: sealed });
  }
  // Loaded here alone: it is of use once in the life of an account.
  const { encode } = await import("uqr");
  const page = setUpPage(look, {
    action: basePath + path,
    hidden: { setUp: sealed, callbackUrl: safeCallback(wanted, context) },
    secret,
    uri,
    modules: encode(uri, { ecc: "M", border: 0 }).data,
    account: later,
    error: error === null ? null : say(
      look,
      "That code is wrong, or it has been used before. Wait for the next one and try again.",
    ),
  });
  return pageResponse(look, page, { status: error?.status ?? 200 });
}

/**
 * Refuses users without an address of their own: nobody could be told, and who has the mailbox would find a factor that is not
 * theirs.
 *
 * @throws {SecondFactorError} When the address is not proved.
 */
function assertProvedAddress(user: User): void {
  if (verifiedEmail(user) === null) {
    throw new SecondFactorError(undefined, { code: "SECOND_FACTOR_UNPROVED_EMAIL" });
  }
}

function unprovedPage({ store }: EndpointContext, later: string): Response {
  const look = lookOf(store);
  const { basePath, pages: { signIn } } = store.auth.settings;
  const title = say(look, "Confirm your email address before you turn on two-step sign-in.");
  return pageResponse(look, {
    title,
    isError: true,
    body: markup`${heading(title)}<a class="button go" href="${later}">${
      later === signIn
        ? say(look, "Back to sign in")
        : later === `${basePath}/account`
        ? say(look, "Go to your account")
        : sayNamed(look, "Go to {app}", "Go to the start page")
    }</a>\n`,
  }, { status: 403 });
}

/** Offers a new secret for the app. It stores nothing. */
export async function offerNewSetUp(
  context: EndpointContext,
  provider: CheckedSecondFactor,
  form: SetUpForm,
): Promise<Response> {
  const { store, store: { auth: { settings } } } = context;
  try {
    assertProvedAddress(form.user);
  } catch (error) {
    if (prefersJson(store.request)) throw error;
    return unprovedPage(context, form.later);
  }
  const setUp: SetUp = { secret: createTotpSecret(), at: settings.now() };
  const sealed = await sealFor(settings, JSON.stringify(setUp), form.place);
  return await offerSetUp(context, provider, { ...form, secret: setUp.secret, sealed });
}

/**
 * Turns a factor on, when the app shows the right code.
 *
 * @returns The recovery codes; the form once more where a page was asked for and the code is wrong.
 * @throws {SecondFactorError} When the code is wrong, the form is too old, or there is another factor by now.
 */
export async function turnOn(
  context: EndpointContext,
  provider: CheckedSecondFactor,
  { fields, replaces, confirmed, ...form }: SetUpForm & {
    fields: ReadonlyMap<string, string>;
    /** See `putFactor()`. */
    replaces: number | null;
    /** Called when the code is right, before anything is stored. */
    confirmed?: () => Promise<void>;
  },
): Promise<string[] | Response> {
  const { store: { request, auth: { settings } } } = context;
  const { storage, now } = settings;
  const { id: userId } = form.user;
  // Read anew: the session of a signed token may say what held before.
  assertProvedAddress(await storage.getActiveUser(userId) ?? form.user);
  const sealed = fields.get("setUp") ?? "";
  const { secret, at } = await readSetUp(context, form, sealed);
  const secrets = groupOf(storage, secretGroup);
  // It may be off again: the code that turned it on would be accepted twice (RFC 6238, 5.2).
  const used = { purpose: USED, hash: await hashText(`${userId}\n${secret}`) };
  if (await secrets.readSecret(used.purpose, used.hash, now()) !== null) throw over();
  const code = (fields.get("code") ?? "").replace(/[\s-]/g, "");
  const step = isTotpCode(code) ? await findStep(secret, code, now()) : null;
  if (step === null) {
    const error = new SecondFactorError();
    if (prefersJson(request)) throw error;
    return await offerSetUp(context, provider, { ...form, secret, sealed, error });
  }
  await confirmed?.();
  await secrets.putSecret({
    ...used,
    identifier: null,
    userId: null,
    payload: null,
    createdAt: now(),
    // Time in which its form is not too old, also by the clock of another server.
    expiresAt: at + 2 * SET_UP_AGE,
  });
  const codes = createRecoveryCodes();
  const factor = {
    userId,
    secret: await sealFor(settings, secret, placeOfSecret(userId)),
    // The code that confirms it is used up (RFC 6238, 5.2).
    lastStep: step,
    codes: await Promise.all(codes.map((one) => hashRecoveryCode(userId, one))),
    replaces,
  };
  const isStored = await reportChange(
    context.store,
    { events: [{ type: "second-factor-added", userId }] },
    () => factorsOf(settings).putFactor({ ...factor, createdAt: now() }),
  );
  if (!isStored) throw new SecondFactorError(undefined, { code: "SECOND_FACTOR_CHANGED" });
  return codes;
}

/** Tells the owner of a factor that it was turned on. */
export function tellAdded(
  store: RequestStore,
  provider: CheckedSecondFactor,
  userId: string,
): void {
  tellOwner(store, provider, { userId, news: "added" });
}

/**
 * Does what is left when recovery codes are stored: nobody is shown them later, so a failure is logged and the answer has
 * them all the same.
 *
 * @returns Null after a failure.
 */
export async function afterCodes<Result>(
  store: RequestStore,
  work: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await work();
  } catch (error) {
    const { logger } = store.auth.settings;
    logger.error("after-codes-failed", { requestId: store.requestId(), error });
    return null;
  }
}

/** Shows recovery codes, this once; a client that prefers JSON is told `more` with them. */
export function showCodes(
  context: EndpointContext,
  codes: readonly string[],
  { callbackUrl, more = {} }: { callbackUrl?: string | null | undefined; more?: object } = {},
): Response {
  const { store } = context;
  if (prefersJson(store.request)) return jsonResponse({ on: true, recoveryCodes: codes, ...more });
  const look = lookOf(store);
  const next = safeCallback(callbackUrl, context) ?? accountPath(store);
  return pageResponse(look, recoveryCodesPage(look, { codes, next }));
}
