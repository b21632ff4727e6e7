/**
 * The second step of a sign-in: the gate before every session, the page that asks, and its answer.
 *
 * @module
 */

import type { MintedSession } from "../../core/session_strategy.ts";
import type {
  Endpoint,
  EndpointContext,
  FactorMethod,
  Gate,
  PendingSession,
  RequestStore,
  Settings,
  SignInMethod,
} from "../../core/contracts.ts";
import { withErrorHeaders } from "../../core/error_response.ts";
import { readSecretCookie, writeHostCookie } from "../../session/cookie.ts";
import {
  guardRedirect,
  jsonResponse,
  ownRedirect,
  redirectResponse,
  safeCallback,
  settleRedirect,
} from "../../core/redirect.ts";
import { prefersJson } from "../../core/request.ts";
import {
  type AuthError,
  isAuthError,
  PasskeyError,
  type SafeRedirect,
  SecondFactorError,
  SecondFactorRequiredError,
} from "../../errors.ts";
import { readFields } from "../../lib/body.ts";
import { createSecret, hashSecret } from "../../lib/secret.ts";
import { lookOf, pageResponse, say } from "../../pages/frame.ts";
import { passkeyStepPage, stepOverPage, stepPage } from "../../pages/second_factor.ts";
import { type BeginOptions, beginSession } from "../../session/mint.ts";
import { requireRecentUser } from "../../session/require.ts";
import { passkeyGroup } from "../../storage/passkeys.ts";
import { type SecondFactorMeans, STEP_PURPOSE } from "../../storage/second_factors.ts";
import { secretGroup } from "../../storage/secrets.ts";
import { sentSecretGroup } from "../../storage/sent_secrets.ts";
import { groupOf } from "../../storage/storage.ts";
import type { ValidSession } from "../../types/session.ts";
import { tellPasswordSignIn } from "../after_password.ts";
import { goOn, wayOn } from "../sign_in.ts";
import {
  type CheckedSecondFactor,
  factorsOf,
  hasPasskey,
  isTrusted,
  markSession,
  mustHaveFactor,
  openFor,
  PATHS,
  type ProvedBy,
  proveFactor,
  sealFor,
  trustBrowser,
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
import { cancelRecovery, readRecovery } from "./recovery_request.ts";
import { proveSession } from "./token.ts";

const COOKIE = "framework.second-step";
const MAX_AGE = 300;
const MAX_TRIES = 5;

/** A sign-in that waits for its second step: all but what a storage prepares anew. */
export type WaitingSignIn =
  & Pick<
    BeginOptions,
    "owner" | "save" | "account" | "profile" | "provider" | "identifier" | "amr"
  >
  & {
    /** True of who has no second factor and must turn one on. */
    enrols?: true;
  };

/** Place of a waiting sign-in: of its user and tenant, where alone it opens. */
async function placeOf(store: RequestStore, userId: string): Promise<string> {
  return `step\n${userId}\n${(await store.auth.tenant?.load())?.id ?? ""}`;
}

/** Path of the page that asks, and the way on from there. */
function stepAddress(store: RequestStore, callbackUrl: string | null | undefined): SafeRedirect {
  const { settings: { basePath }, origin } = store.auth;
  return ownRedirect(basePath + PATHS.step, origin(), { callbackUrl: callbackUrl ?? null });
}

/**
 * Makes the sign-in wait for its second step, in this browser alone. What waits is no session: it opens nothing but the
 * question for the second factor.
 */
async function openStep(
  { settings, userId, store, ...start }: PendingSession,
  { enrols = false }: { enrols?: boolean } = {},
): Promise<SecondFactorRequiredError> {
  if (store === undefined) return new SecondFactorRequiredError();
  const { owner, save, account, profile, provider, identifier, amr, callbackUrl } = start;
  const { passkey: _prepared, ...kept } = save ?? {};
  const waiting: WaitingSignIn = {
    ...owner !== undefined && { owner },
    ...account !== undefined && { account },
    ...profile !== undefined && { profile },
    ...provider !== undefined && { provider },
    ...identifier !== undefined && { identifier },
    save: { ...kept, existing: true },
    amr: amr ?? [],
    ...enrols && { enrols },
  };
  const token = createSecret();
  const createdAt = settings.now();
  await groupOf(settings.storage, secretGroup).putSecret({
    purpose: STEP_PURPOSE,
    hash: await hashSecret(token),
    identifier: userId,
    userId,
    payload: await sealFor(settings, JSON.stringify(waiting), await placeOf(store, userId)),
    createdAt,
    expiresAt: createdAt + MAX_AGE * 1000,
  });
  writeHostCookie(store, { name: COOKIE, value: token, maxAge: MAX_AGE });
  const { auth: { origin } } = store;
  const { trustedOrigins } = settings;
  return stepRequired(store, guardRedirect(callbackUrl, { ownOrigin: origin(), trustedOrigins }));
}

/** Time at which this sign-in proved two factors to its provider, where that counts; undefined for one factor. */
function provedToProvider(
  { settings, provider, profile, save }: PendingSession,
): number | undefined {
  if (provider === undefined || profile === undefined) return undefined;
  // Who brings an account that was not theirs before has proved the mailbox alone.
  if (save?.existing && !save.linked) return undefined;
  return settings.providers.get(provider)?.twoFactorsAt?.(profile) ?? undefined;
}

/**
 * True where a sign-in of somebody without an app may turn one on. Whoever has a passkey proves that instead, or a password
 * alone would be enough to enrol an app of one's own; only who has just shown it, to an authenticator that verifies nobody,
 * needs another factor.
 */
async function mayEnrol(
  settings: Settings,
  userId: string,
  amr: readonly string[] | undefined = [],
): Promise<boolean> {
  return amr.includes("pop") || !await hasPasskey(settings, userId);
}

/** Lets a session of a user with a second factor begin when this sign-in has proved two. */
export function passSecondFactor(checked: CheckedSecondFactor): Gate["pass"] {
  return async (pending) => {
    const { settings, userId, amr = [], store } = pending;
    const factors = factorsOf(settings);
    const isOn = await factors.readFactor(userId) !== null;
    let method: SecondFactorMeans | null = null;
    let at = provedToProvider(pending);
    if (at !== undefined) {
      method = "provider";
    } else if (amr.includes("mfa")) {
      method = amr.includes("otp")
        ? "totp"
        : amr.includes("recovery")
        ? "recovery"
        : amr.includes("pop")
        ? "passkey"
        : "application";
    } else if (isOn) {
      if (store === undefined || !await isTrusted(store, userId)) {
        throw await openStep(pending);
      }
      method = "trusted";
      at = 0;
    }
    return async ({ id: sessionId, created, tenantId = null, session: { user } }) => {
      if (method !== null) {
        // Who proves two factors has lost none. What stands before another's door says nothing of that.
        if (at === undefined && store !== undefined) await cancelRecovery(store, checked, userId);
        return await markSession(settings, {
          sessionId,
          userId,
          method,
          ...at !== undefined && { at },
        });
      }
      // Turned on meanwhile: whoever turned it on has ended the sessions of before, and not this one.
      if (!created && await factors.readFactor(userId) !== null) throw await openStep(pending);
      // Here, where the user is stored with what this sign-in has proved of the mailbox.
      if (!await mustHaveFactor(settings, checked, { user, tenantId })) return;
      const { provider } = pending;
      if (created) {
        store?.report({ type: "sign-up", userId, ...provider !== undefined && { provider } });
      }
      throw await openStep(pending, { enrols: await mayEnrol(settings, user.id, amr) });
    };
  };
}

/** The step that waits in the browser of a request. */
export interface WaitingStep {
  /** Hash of its secret. */
  hash: string;
  /** Id of the user who has proved the first factor. */
  userId: string;
  /** The sign-in, sealed. */
  sealed: string | null;
}

/** Finds the step that waits in the browser of a request. */
export async function findStep(store: RequestStore): Promise<WaitingStep | null> {
  const token = readSecretCookie(store, COOKIE);
  if (token === null) return null;
  const { storage, now } = store.auth.settings;
  const hash = await hashSecret(token);
  const found = await groupOf(storage, secretGroup).readSecret(STEP_PURPOSE, hash, now());
  return found?.userId == null ? null : { hash, userId: found.userId, sealed: found.payload };
}

/** Reads it back from JSON, with its moments. */
function readWaiting(text: string): WaitingSignIn {
  const waiting = JSON.parse(text) as WaitingSignIn;
  const { owner } = waiting;
  if (owner?.user.emailVerified) owner.user.emailVerified = new Date(owner.user.emailVerified);
  return waiting;
}

/** Opens the sign-in that waits; null when it is another's, such as another tenant's. */
export async function openWaiting(
  store: RequestStore,
  { userId, sealed }: Pick<WaitingStep, "userId" | "sealed">,
): Promise<WaitingSignIn | null> {
  const { settings } = store.auth;
  const opened = sealed && await openFor(settings, sealed, await placeOf(store, userId));
  return opened ? readWaiting(opened) : null;
}

/** The page that asks for the second factor. */
async function askFactor(
  context: EndpointContext,
  provider: CheckedSecondFactor,
  { userId, callbackUrl: wanted, recovery, trust, error = null }: {
    userId: string;
    callbackUrl: string | null | undefined;
    recovery: boolean;
    trust: boolean;
    error?: AuthError | null;
  },
): Promise<Response> {
  const { trust: maxTrust, recovery: delay } = provider;
  const { store } = context;
  const { settings, origin } = store.auth;
  const { basePath, trustedOrigins } = settings;
  const look = lookOf(store);
  const callbackUrl = safeCallback(wanted, context);
  const isWrong = error?.code === "SECOND_FACTOR_WRONG";
  const way = recovery ? null : "recovery";
  const methods = factorMethods(settings);
  const ways = (await Promise.all(methods.map(({ factor }) =>
    factor.form(context, {
      userId,
      action: basePath + PATHS.step,
      options: basePath + PATHS.passkey,
      callbackUrl,
    })
  ))).filter((way) => way !== null);
  const scripts = ways.length === 0 ? [] : methods.flatMap(({ scripts = [] }) => scripts);
  const hasApp = await factorsOf(settings).readFactor(userId) !== null;
  if (!hasApp && ways.length > 0) {
    const user = trust ? null : await settings.storage.getActiveUser(userId);
    const mayChoose = user !== null &&
      !await mustHaveFactor(settings, provider, { user, tenantId: null });
    const page = passkeyStepPage(look, {
      ways,
      // In a session it is there for who has lost the passkey, or has one that verifies nobody.
      setUp: mayChoose ? ownRedirect(basePath + PATHS.setUp, origin(), { callbackUrl }) : null,
      signIn: settings.pages.signIn,
    });
    return pageResponse(look, page, {
      status: error?.status ?? 200,
      formOrigins: trustedOrigins,
      scripts: scripts.map((path) => basePath + path),
    });
  }
  const lost = delay === null || !trust
    ? null
    : ownRedirect(basePath + PATHS.recovery, origin(), { callbackUrl });
  const request = lost && await readRecovery(settings, userId);
  const page = stepPage(look, {
    lost: lost && { href: lost, isOpen: request?.status === "open" },
    ways,
    action: basePath + PATHS.step,
    hidden: { callbackUrl, way: recovery ? "recovery" : null },
    recovery,
    other: ownRedirect(basePath + PATHS.step, origin(), { way, callbackUrl }),
    trust: trust && maxTrust > 0 ? maxTrust / 1000 : null,
    error: !isWrong
      ? null
      : recovery
      ? say(look, "That recovery code is wrong, or it has been used before.")
      : say(
        look,
        "That code is wrong, or it has been used before. Wait for the next one and try again.",
      ),
    problem: error !== null && !isWrong
      ? say(
        look,
        "There have been too many wrong codes today. Use a recovery code, or a passkey if you have one.",
      )
      : null,
  });
  return pageResponse(look, page, {
    status: error?.status ?? 200,
    formOrigins: trustedOrigins,
    scripts: scripts.map((path) => basePath + path),
  });
}

/** Ways to sign in that are a second factor too. */
function factorMethods({ providers }: Settings): (SignInMethod & { factor: FactorMethod })[] {
  return [...providers.values()].filter((one) => one.factor !== undefined) as (SignInMethod & {
    factor: FactorMethod;
  })[];
}

/** The page for a step that is over, by its time or by its tries. */
export function stepOver(
  { store }: EndpointContext,
  { tries }: { tries: boolean },
): Response {
  const look = lookOf(store);
  const page = stepOverPage(look, { signIn: store.auth.settings.pages.signIn, tries });
  return pageResponse(look, page, { status: 401 });
}

/** The user of a session who has proved the first factor of late, and has a second one or a passkey; null without one. */
async function userToStepUp(
  { store }: EndpointContext,
): Promise<{ userId: string; session: ValidSession } | null> {
  const throwError = prefersJson(store.request);
  const state = await store.auth.load();
  const { id: userId } = requireRecentUser(state, { throwError }, store);
  if (state.status !== "valid") return null;
  const { settings } = store.auth;
  const isOn = await factorsOf(settings).readFactor(userId) !== null ||
    await hasPasskey(settings, userId);
  return isOn ? { userId, session: state } : null;
}

/**
 * `GET /second-factor`: asks for the second factor, of a sign-in that waits in this browser, or of who is signed in and is to
 * prove it anew. It changes nothing.
 */
export function showStep(provider: CheckedSecondFactor): Endpoint {
  return async function showStepPage(context) {
    const { store, url: { searchParams } } = context;
    const callbackUrl = searchParams.get("callbackUrl");
    const recovery = searchParams.get("way") === "recovery";
    const waiting = await findStep(store);
    const isWaiting = waiting !== null;
    const { amr } = waiting && await openWaiting(store, waiting) || {};
    const form = isWaiting ? await formOfStep(store, { step: waiting, amr, callbackUrl }) : null;
    if (form !== null) return await offerNewSetUp(context, provider, form);
    const wantsJson = prefersJson(store.request);
    const over = () => new SecondFactorError(undefined, { code: "SECOND_FACTOR_OVER" });
    // As at the answer: no sign-in waits, and there is no session to prove it in.
    if (!isWaiting && wantsJson && (await store.auth.load()).status !== "valid") throw over();
    const { userId } = waiting ?? await userToStepUp(context) ?? { userId: null };
    if (userId === null) {
      if (wantsJson) throw over();
      const { settings: { basePath }, origin } = store.auth;
      return redirectResponse(ownRedirect(basePath + PATHS.setUp, origin(), { callbackUrl }), 303);
    }
    if (wantsJson) {
      return jsonResponse({
        on: true,
        methods: await listMethods(store.auth.settings, userId),
        trustBrowserFor: isWaiting && provider.trust > 0 ? provider.trust / 1000 : null,
      });
    }
    return await askFactor(context, provider, { userId, callbackUrl, recovery, trust: isWaiting });
  };
}

/** Ways in which a user can prove the second factor. */
async function listMethods(settings: Settings, userId: string): Promise<ProvedBy[]> {
  const factors = factorsOf(settings);
  const methods: ProvedBy[] = [];
  if (await factors.readFactor(userId) !== null) methods.push("totp");
  if (await factors.countRecoveryCodes(userId) > 0) methods.push("recovery");
  if (await hasPasskey(settings, userId)) methods.push("passkey");
  return methods;
}

/** The form that turns on the second factor of who signs in without one; null where there is one, or a passkey. */
async function formOfStep(
  { auth: { settings } }: RequestStore,
  { step: { hash, userId }, amr, callbackUrl }: {
    step: Pick<WaitingStep, "hash" | "userId">;
    amr: readonly string[] | undefined;
    callbackUrl: string | null | undefined;
  },
): Promise<SetUpForm | null> {
  if (await factorsOf(settings).readFactor(userId) !== null) return null;
  if (!await mayEnrol(settings, userId, amr)) return null;
  const user = await settings.storage.getActiveUser(userId);
  const place = `set-up\n${userId}\n${hash}`;
  return user &&
    { user, place, path: PATHS.step, later: settings.pages.signIn, callbackUrl };
}

/** Completes the sign-in that waits, with the second factor of its answer. */
async function completeStep(
  context: EndpointContext,
  provider: CheckedSecondFactor,
  { step: { hash, userId }, fields }: {
    step: Pick<WaitingStep, "hash" | "userId">;
    fields: ReadonlyMap<string, string>;
  },
): Promise<Response> {
  const { store } = context;
  const { settings } = store.auth;
  const { storage, now } = settings;
  const over = () => new SecondFactorError(undefined, { code: "SECOND_FACTOR_OVER" });
  const counted = await groupOf(storage, sentSecretGroup)
    .countAttempt(STEP_PURPOSE, hash, { now: now(), max: MAX_TRIES });
  if (counted === null && await findStep(store) !== null) {
    throw new SecondFactorError(undefined, { code: "SECOND_FACTOR_TRIES_OVER" });
  }
  if (counted === null || counted.userId !== userId) throw over();
  const waiting = await openWaiting(store, { userId, sealed: counted.payload });
  if (waiting === null) throw over();
  const { amr = [], enrols = false } = waiting;
  const callbackUrl = fields.get("callbackUrl");
  // Of several right answers at once one goes on.
  const take = async () => {
    const taken = await groupOf(storage, secretGroup).takeSecret(STEP_PURPOSE, hash, {
      now: now(),
    });
    if (taken === null) throw over();
  };
  const form = await formOfStep(store, { step: { hash, userId }, amr, callbackUrl });
  let proved: Proved = { by: "totp" };
  let codes: string[] | null = null;
  if (form === null) {
    proved = await prove(context, provider, { userId, fields, first: amr });
    await take();
  } else {
    if (!enrols) throw over();
    const made = await turnOn(context, provider, {
      ...form,
      fields,
      replaces: null,
      confirmed: take,
    });
    if (made instanceof Response) return made;
    codes = made;
    tellAdded(store, provider, userId);
  }
  const begunAt = now();
  const begin = () =>
    beginWaiting(store, {
      userId,
      waiting,
      passkeyId: proved.passkeyId,
      amr: [...amr, AMR[proved.by], "mfa"],
    });
  const follow = async () => {
    if (provider.trust > 0 && fields.get("trust") === "yes") {
      await trustBrowser(store, provider, userId);
    }
    if (waiting.provider === "passwords") await tellPasswordSignIn(context, { userId, begunAt });
  };
  if (codes === null) {
    const minted = await begin();
    await follow();
    return await goOn(context, minted, callbackUrl);
  }
  const minted = await afterCodes(store, begin);
  // The others have not proved what is there now. Earlier it would end this sign-in too.
  const except = minted === null ? {} : { except: minted };
  await afterCodes(store, () => settings.strategy.endAll(userId, except));
  if (minted !== null) await afterCodes(store, follow);
  const { origin } = store.auth;
  const redirectTo = minted === null
    ? ownRedirect(settings.pages.signIn, origin(), {
      callbackUrl: safeCallback(callbackUrl, context),
    })
    : await settleRedirect(callbackUrl, context) ?? ownRedirect("/", origin());
  const { user = null, expires = null } = minted?.session ?? {};
  return showCodes(context, codes, {
    callbackUrl: redirectTo,
    more: { user, expires, redirectTo },
  });
}

/** Begins the session of a sign-in that has waited, and forgets the step in its browser. */
export async function beginWaiting(
  store: RequestStore,
  { userId, waiting, passkeyId, amr }: {
    userId: string;
    waiting: WaitingSignIn;
    /** Id of the passkey that was the second factor. Default: that of the first, if it was one. */
    passkeyId?: string | undefined;
    /** The proofs of both steps. */
    amr: readonly string[];
  },
): Promise<MintedSession> {
  const { save = {}, enrols: _enrols, ...start } = waiting;
  const { account } = start;
  const id = passkeyId ?? (account?.type === "webauthn" ? account.providerAccountId : undefined);
  const minted = await beginSession(store, userId, {
    ...start,
    save: {
      ...save,
      // One that was removed meanwhile signs nobody in.
      ...id !== undefined && {
        passkey: groupOf(store.auth.settings.storage, passkeyGroup).preparePasskeyUse(userId, id),
      },
    },
    amr,
  });
  if (save.account !== undefined && !save.linked) {
    store.report({ type: "account-linked", userId, provider: save.account.provider });
  }
  writeHostCookie(store, { name: COOKIE, value: "", maxAge: 0 });
  return minted;
}

/** The factor that an answer has proved. */
interface Proved {
  by: ProvedBy;
  /** Id of the passkey, for one. */
  passkeyId?: string;
}

/** Values of `amr` (RFC 8176); recovery codes have none there. */
const AMR: Readonly<Record<ProvedBy, string>> = {
  totp: "otp",
  recovery: "recovery",
  passkey: "pop",
};

/**
 * Checks an answer, and tells the owner what they must know of it.
 *
 * @param answer `first`: what the first step has proved. To have a passkey is one factor, however often it is shown; only
 * one that verifies its user is another.
 */
async function prove(
  context: EndpointContext,
  provider: CheckedSecondFactor,
  { userId, fields, first }: {
    userId: string;
    fields: ReadonlyMap<string, string>;
    first: readonly string[];
  },
): Promise<Proved> {
  const { store } = context;
  const credential = fields.get("credential") ?? "";
  const [method] = credential === "" ? [] : factorMethods(store.auth.settings);
  if (method !== undefined) {
    const { id, userVerified } = await method.factor.prove(context, userId, credential);
    if (!first.includes("pop") || userVerified) return { by: "passkey", passkeyId: id };
    throw new PasskeyError(undefined, { code: "PASSKEY_UNVERIFIED" });
  }
  const by = await proveFactor(store, userId, {
    code: fields.get("code") ?? "",
    closed: () => tellOwner(store, provider, { userId, news: "closed" }),
    recovered: (left) => tellOwner(store, provider, { userId, news: "recovery", left }),
  });
  return { by };
}

/** Proves the second factor anew, for a session that is there. */
async function stepUp(
  context: EndpointContext,
  provider: CheckedSecondFactor,
  fields: ReadonlyMap<string, string>,
): Promise<Response> {
  const { store } = context;
  const found = await userToStepUp(context);
  if (found === null) throw new SecondFactorError(undefined, { code: "SECOND_FACTOR_OVER" });
  const { userId, session } = found;
  // What the sign-in has proved is not stored: it may have been this very passkey.
  const { by: method } = await prove(context, provider, { userId, fields, first: ["pop"] });
  await proveSession(store, session, method);
  await cancelRecovery(store, provider, userId);
  const target = await settleRedirect(fields.get("callbackUrl"), context);
  return wayOn(target ?? ownRedirect("/", store.auth.origin()), context, session.session);
}

/** `POST /second-factor`: checks the second factor. Of any number of right answers at once one begins a session. */
export function stepEndpoint(provider: CheckedSecondFactor): Endpoint {
  return async function answerStep(context) {
    const { store, store: { request } } = context;
    const fields = await readFields(request, { optional: false });
    const step = await findStep(store);
    try {
      if (step !== null) return await completeStep(context, provider, { step, fields });
      const state = await store.auth.load();
      if (state.status !== "valid") {
        throw new SecondFactorError(undefined, { code: "SECOND_FACTOR_OVER" });
      }
      return await stepUp(context, provider, fields);
    } catch (error) {
      if (!isAuthError(error) || prefersJson(request)) throw error;
      const tries = error.code === "SECOND_FACTOR_TRIES_OVER";
      if (tries || error.code === "SECOND_FACTOR_OVER") return stepOver(context, { tries });
      const { userId } = step ?? await userToStepUp(context) ?? { userId: null };
      const asksAgain = error.code === "SECOND_FACTOR_WRONG" ||
        error.code === "SECOND_FACTOR_CLOSED";
      if (!asksAgain || userId === null) throw error;
      const recovery = fields.get("way") === "recovery";
      const page = await askFactor(context, provider, {
        userId,
        callbackUrl: fields.get("callbackUrl"),
        recovery,
        trust: step !== null,
        error,
      });
      return withErrorHeaders(page, error);
    }
  };
}

/**
 * `POST /passkey/options/second-factor`: what the passkeys of whoever is asked for the second factor are to prove: of a
 * sign-in that waits in this browser, or of who is signed in.
 */
export async function passkeyQuestion(context: EndpointContext): Promise<Response> {
  const { store } = context;
  const found = await findStep(store) ?? await userToStepUp(context);
  const [method] = factorMethods(store.auth.settings);
  if (found === null || method === undefined) {
    throw new SecondFactorError(undefined, { code: "SECOND_FACTOR_OVER" });
  }
  return await method.factor.ask(context, found.userId);
}

/** Leads to the page that asks for the second factor; for a client that prefers JSON it is the error. */
export function stepRequired(
  store: RequestStore,
  callbackUrl: string | null,
): SecondFactorRequiredError {
  return new SecondFactorRequiredError(undefined, { redirectTo: stepAddress(store, callbackUrl) });
}
