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
import { doneResponse, jsonResponse, ownRedirect } from "../../core/redirect.ts";
import { reportChange } from "../../core/report.ts";
import { prefersJson } from "../../core/request.ts";
import { SecondFactorError } from "../../errors.ts";
import { readFields } from "../../lib/body.ts";
import { describeDevice, nameBrowser } from "../../pages/device.ts";
import { lookOf, pageResponse, say } from "../../pages/frame.ts";
import { managePage, recoveryNotice, secondFactorSection } from "../../pages/second_factor.ts";
import { requireRecentUser } from "../../session/require.ts";
import type { FactorRecord } from "../../storage/second_factors.ts";
import type { ValidSession } from "../../types/session.ts";
import type { User } from "../../types/user.ts";
import {
  accountPath,
  type CheckedSecondFactor,
  createRecoveryCodes,
  factorsOf,
  hashRecoveryCode,
  PATHS,
} from "./factor.ts";
import {
  afterCodes,
  offerNewSetUp,
  type SetUpForm,
  showCodes,
  tellAdded,
  turnOn,
} from "./enrol.ts";
import { tellOwner } from "./mail.ts";
import { readRecovery } from "./recovery_request.ts";
import { assertPasskeyShown, isFreshHere } from "./require.ts";
import { stepRequired } from "./step.ts";
import { proveSession } from "./token.ts";

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
async function requireOwner(
  { store, url }: EndpointContext,
  checked?: CheckedSecondFactor,
): Promise<Owner> {
  const { auth, request } = store;
  const { settings } = auth;
  const state = await auth.load();
  const user = requireRecentUser(state, { throwError: prefersJson(request) }, store);
  const session = state as ValidSession;
  const factors = factorsOf(settings);
  const factor = await factors.readFactor(user.id);
  if (factor !== null) {
    const proved = await factors.readSessionFactor(session.id, user.id);
    if (!isFreshHere(proved, settings.now())) {
      const isPage = request.method === "GET" || request.method === "HEAD";
      throw stepRequired(
        store,
        isPage ? url.pathname + url.search : settings.basePath + PATHS.setUp,
      );
    }
  } else if (checked !== undefined) await assertPasskeyShown(store, checked, session);
  return { user, session, factor };
}

/** Ends the other sessions of a user: they have not proved what is there now. */
async function endOthers({ auth }: RequestStore, { user, session }: Owner): Promise<void> {
  await auth.settings.strategy.endAll(user.id, { except: session });
}

/**
 * The form of somebody who is signed in: its secret is of this user and this session alone, and takes the place of what was on
 * when it was offered. So none is confirmed twice by one code (RFC 6238, 5.2).
 */
function formOf(
  store: RequestStore,
  { user, session, factor }: Owner,
): Pick<SetUpForm, "place" | "path" | "later"> {
  return {
    place: `set-up\n${user.id}\n${session.id}\n${factor?.createdAt ?? ""}`,
    path: PATHS.setUp,
    later: accountPath(store),
  };
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
      name: describeDevice(look, nameBrowser(userAgent)),
      until: new Date(expiresAt),
    })),
    account: accountPath(store),
  });
  return pageResponse(look, page);
}

/**
 * `GET /second-factor/setup`: a new secret for the app; where a factor is on, the page on which it is looked after. It
 * stores nothing.
 */
export function showSetUp(provider: CheckedSecondFactor): Endpoint {
  return async function showSetUpPage(context) {
    const { store, url } = context;
    const owner = await requireOwner(context, provider);
    const replace = url.searchParams.get("replace") === "yes";
    if (owner.factor !== null && !replace) return await showManage(context, owner);
    const { settings } = store.auth;
    const user = await settings.storage.getActiveUser(owner.user.id) ?? owner.user;
    return await offerNewSetUp(context, provider, {
      ...formOf(store, owner),
      user,
      callbackUrl: url.searchParams.get("callbackUrl"),
    });
  };
}

/** `POST /second-factor/setup`: turns the factor on, when the app shows the right code. */
export function setUpEndpoint(provider: CheckedSecondFactor): Endpoint {
  return async function setUpFactor(context) {
    const { store, store: { request } } = context;
    const fields = await readFields(request, { optional: false });
    const owner = await requireOwner(context, provider);
    const { user, factor, session } = owner;
    const callbackUrl = fields.get("callbackUrl");
    const form = { ...formOf(store, owner), user, callbackUrl };
    const codes = await turnOn(context, provider, {
      ...form,
      fields,
      replaces: factor?.createdAt ?? null,
      confirmed: () => endOthers(store, owner),
    });
    if (codes instanceof Response) return codes;
    tellAdded(store, provider, user.id);
    // Once more: one may have begun before the factor was stored.
    await afterCodes(store, () => endOthers(store, owner));
    await afterCodes(store, () => proveSession(store, session, "totp"));
    return showCodes(context, codes, { callbackUrl });
  };
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
    const factors = factorsOf(settings);
    const replaces = await factors.recoveryCodesMadeAt(userId);
    const codes = createRecoveryCodes();
    await endOthers(store, owner);
    const isStored = await factors.replaceRecoveryCodes(userId, {
      codes: await Promise.all(codes.map((one) => hashRecoveryCode(userId, one))),
      at: Math.max(settings.now(), replaces + 1),
      replaces,
    });
    // Of two requests at once one shows codes, which are those that count.
    if (!isStored) {
      throw new SecondFactorError(undefined, { code: "SECOND_FACTOR_CHANGED" });
    }
    tellOwner(store, provider, { userId, news: "codes" });
    // Once more: one may have begun by a code of before.
    await afterCodes(store, () => endOthers(store, owner));
    return showCodes(context, codes);
  });
}

/** `POST /second-factor/setup/off`: turns the factor off. */
export function offEndpoint(provider: CheckedSecondFactor): Endpoint {
  return withFactor(async (context, owner) => {
    const { store } = context;
    const { settings, origin } = store.auth;
    const { id: userId } = owner.user;
    const isOff = await reportChange(
      store,
      { events: [{ type: "second-factor-removed", userId }] },
      () => factorsOf(settings).dropFactor(userId),
    );
    if (isOff) {
      tellOwner(store, provider, { userId, news: "removed" });
      await endOthers(store, owner);
    }
    const path = accountPath(store);
    const done = path === "/" ? null : "second-factor-off";
    return doneResponse(context, { on: false }, ownRedirect(path, origin(), { done }));
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

/** Writes the section of the account page, and what its owner must know of a request for recovery. */
export async function factorSection(
  { auth: { settings } }: RequestStore,
  look: Look,
  { id }: User,
  { recovery }: CheckedSecondFactor,
): Promise<AccountSection> {
  const factor = await factorsOf(settings).readFactor(id);
  const request = recovery === null ? null : await readRecovery(settings, id);
  return {
    notice: request?.payload == null ? null : recoveryNotice(look, {
      action: settings.basePath + PATHS.recoveryCancel,
      from: new Date(request.from),
    }),
    id: "two-step",
    title: say(look, "Two-step sign-in"),
    content: secondFactorSection(look, {
      path: settings.basePath + PATHS.setUp,
      since: factor === null ? null : new Date(factor.createdAt),
    }),
  };
}
