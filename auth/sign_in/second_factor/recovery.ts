/**
 * The way back for who has lost all second factors: its pages and endpoints.
 *
 * @module
 */

import type { Endpoint, EndpointContext, EndpointEntry, Settings } from "../../core/contracts.ts";
import {
  doneResponse,
  jsonResponse,
  ownRedirect,
  redirectResponse,
  safeCallback,
} from "../../core/redirect.ts";
import { reportChange } from "../../core/report.ts";
import { prefersJson } from "../../core/request.ts";
import { EmailProofError, isAuthError, SecondFactorError } from "../../errors.ts";
import { readFields } from "../../lib/body.ts";
import { isSecret } from "../../lib/secret.ts";
import { lookOf, pageResponse, say, sayOwn } from "../../pages/frame.ts";
import { donePage } from "../../pages/mail.ts";
import { NOT_ASKED } from "../../pages/mails.ts";
import { cancelRecoveryPage, recoveryPage } from "../../pages/second_factor.ts";
import { limitAttempts } from "../../rate_limit/sign_in.ts";
import { requireUser } from "../../session/require.ts";
import { PATHS as PASSWORD_PATHS } from "../password/options.ts";
import { toSecondStep, wayOn } from "../sign_in.ts";
import { accountPath, type CheckedSecondFactor, factorsOf, PATHS } from "./factor.ts";
import { tellOwner } from "./mail.ts";
import {
  askRecovery,
  cancelRecovery,
  readRecovery,
  readRecoveryOfLink,
  type Recovery,
} from "./recovery_request.ts";
import {
  beginWaiting,
  findStep,
  openWaiting,
  stepOver,
  type WaitingSignIn,
  type WaitingStep,
} from "./step.ts";

/** A sign-in that waits, with its request. */
interface Waiting {
  step: WaitingStep;
  signIn: WaitingSignIn;
}

/** The sign-in that waits in the browser of a request; null for none. */
async function findWaiting({ store }: EndpointContext): Promise<Waiting | null> {
  const step = await findStep(store);
  const signIn = step && await openWaiting(store, step);
  return step && signIn && { step, signIn };
}

/**
 * Refuses a sign-in that has proved the mailbox alone, or may have: a link or a code by mail, and an account at a provider,
 * which the mailbox often opens.
 *
 * @throws {SecondFactorError} When the first factor was neither a password nor a passkey.
 */
function assertOwnFactor({ signIn: { account } }: Waiting): void {
  if (account?.type === "credentials" || account?.type === "webauthn") return;
  throw new SecondFactorError(undefined, { code: "SECOND_FACTOR_RECOVERY_REFUSED" });
}

/** The request as JSON. */
function bodyOf({ status, from, until }: Recovery): unknown {
  return {
    status,
    from: from === 0 ? null : new Date(from),
    until: until === 0 ? null : new Date(until),
  };
}

/** The page about the request, or the same as JSON. */
function showRequest(
  context: EndpointContext,
  request: Recovery,
  { delay, callbackUrl: wanted, error = null }: {
    delay: number;
    callbackUrl: string | null | undefined;
    error?: SecondFactorError | null;
  },
): Response {
  const { store } = context;
  if (prefersJson(store.request)) return jsonResponse(bodyOf(request));
  const { settings: { basePath }, origin } = store.auth;
  const look = lookOf(store);
  const callbackUrl = safeCallback(wanted, context);
  const page = recoveryPage(look, {
    action: basePath + PATHS.recovery,
    finish: basePath + PATHS.recoveryFinish,
    hidden: { callbackUrl },
    back: ownRedirect(basePath + PATHS.step, origin(), { callbackUrl }),
    after: delay / 1000,
    status: request.status,
    from: new Date(request.from),
    until: new Date(request.until),
    problem: error && sayOwn(look, error.message),
  });
  return pageResponse(look, page, { status: error?.status ?? 200 });
}

function overError(): SecondFactorError {
  return new SecondFactorError(undefined, { code: "SECOND_FACTOR_OVER" });
}

/** The page about the request, with the refusal that happened there; any other error goes on. */
async function refusal(
  context: EndpointContext,
  error: unknown,
  { delay, waiting, callbackUrl }: {
    delay: number;
    waiting: Waiting | null;
    callbackUrl: string | null | undefined;
  },
): Promise<Response> {
  if (!isAuthError(error) || prefersJson(context.store.request)) throw error;
  if (error.code === "SECOND_FACTOR_OVER") return stepOver(context, { tries: false });
  if (!(error instanceof SecondFactorError) || waiting === null) throw error;
  const { settings } = context.store.auth;
  const request = await readRecovery(settings, waiting.step.userId);
  return showRequest(context, request, { delay, callbackUrl, error });
}

/**
 * `GET /second-factor/recovery`: the request of the sign-in that waits in this browser; as JSON also that of who is signed in.
 * It changes nothing.
 */
function showRecovery(delay: number): Endpoint {
  return async function showRecoveryPage(context) {
    const { store, url: { searchParams } } = context;
    const { settings, origin } = store.auth;
    const callbackUrl = searchParams.get("callbackUrl");
    const waiting = await findWaiting(context);
    try {
      if (waiting === null) {
        const state = await store.auth.load();
        if (state.status !== "valid") throw overError();
        const isPage = !prefersJson(store.request);
        if (isPage) return redirectResponse(ownRedirect(accountPath(store), origin()), 303);
        return jsonResponse(bodyOf(await readRecovery(settings, state.session.user.id)));
      }
      const request = await readRecovery(settings, waiting.step.userId);
      if (request.status !== "cancelled") assertOwnFactor(waiting);
      return showRequest(context, request, { delay, callbackUrl });
    } catch (error) {
      return await refusal(context, error, { delay, waiting, callbackUrl });
    }
  };
}

/** `POST /second-factor/recovery`: asks to do without the second factor. The answer is the same when somebody has asked. */
function recoveryEndpoint(provider: CheckedSecondFactor, delay: number): Endpoint {
  return async function requestRecovery(context) {
    const { store } = context;
    const fields = await readFields(store.request, { optional: true });
    const callbackUrl = fields.get("callbackUrl");
    const waiting = await findWaiting(context);
    try {
      if (waiting === null) throw overError();
      assertOwnFactor(waiting);
      const { hash: step, userId } = waiting.step;
      await limitAttempts(context, {
        of: "emailVerification",
        provider: provider.id,
        apart: "recovery",
        identifier: userId,
      });
      const request = await askRecovery(store, provider, { userId, step, delay });
      return showRequest(context, request, { delay, callbackUrl });
    } catch (error) {
      return await refusal(context, error, { delay, waiting, callbackUrl });
    }
  };
}

/**
 * `POST /second-factor/recovery/finish`: removes the factor by a request that has taken effect, and ends the sign-in. Of any
 * number at once, and beside one that cancels it, one does it.
 */
function finishEndpoint(provider: CheckedSecondFactor, delay: number): Endpoint {
  return async function finishRecovery(context) {
    const { store } = context;
    const { settings, origin } = store.auth;
    const fields = await readFields(store.request, { optional: true });
    const callbackUrl = fields.get("callbackUrl");
    const waiting = await findWaiting(context);
    try {
      if (waiting === null) throw overError();
      assertOwnFactor(waiting);
      const { hash: step, userId } = waiting.step;
      const { status, hash, payload } = await readRecovery(settings, userId);
      const known = { hash, payload: payload ?? "", now: settings.now(), step };
      const isTaken = status === "open" && await reportChange(
        store,
        { events: [{ type: "second-factor-removed", userId, reason: "Recovery request" }] },
        () => factorsOf(settings).takeRecovery(userId, known),
      );
      if (!isTaken) {
        throw new SecondFactorError(undefined, { code: "SECOND_FACTOR_RECOVERY_EARLY" });
      }
      tellOwner(store, provider, { userId, news: "removed" });
      const { signIn } = waiting;
      const begun = await beginWaiting(store, { userId, waiting: signIn, amr: signIn.amr ?? [] })
        // Who must have a factor turns one on before there is a session.
        .catch((error) => toSecondStep(error, context));
      const isPending = begun instanceof Response;
      await settings.strategy.endAll(userId, isPending ? {} : { except: begun });
      if (isPending) return begun;
      const setUp = ownRedirect(settings.basePath + PATHS.setUp, origin(), {
        callbackUrl: safeCallback(callbackUrl, context),
      });
      return wayOn(setUp, context, begun.session);
    } catch (error) {
      return await refusal(context, error, { delay, waiting, callbackUrl });
    }
  };
}

/**
 * The link of the mail about a request.
 *
 * @throws {EmailProofError} When it cancels nothing: it is guessed, or the request is over.
 */
async function readLink(
  { store: { auth: { settings } } }: EndpointContext,
  { request, token }: Record<"request" | "token", string | null | undefined>,
): Promise<Recovery & { userId: string }> {
  const found = isSecret(token) && isSecret(request)
    ? await readRecoveryOfLink(settings, { request, token })
    : null;
  if (found === null) throw new EmailProofError();
  return found;
}

/** `GET /second-factor/recovery/cancel`: where the link of the mail leads, a page that changes nothing by itself. */
async function showCancel(context: EndpointContext): Promise<Response> {
  const { store, url: { searchParams } } = context;
  const link = { request: searchParams.get("request"), token: searchParams.get("token") };
  const { from } = await readLink(context, link);
  const look = lookOf(store);
  const page = cancelRecoveryPage(look, {
    action: store.auth.settings.basePath + PATHS.recoveryCancel,
    hidden: link,
    from: new Date(from),
  });
  return pageResponse(look, page);
}

/** Path of the page on which to ask for a new password; null where there is none. */
function forgotPath({ basePath, pages, providers }: Settings): string | null {
  const isBuiltIn = [...providers.values()].some(({ opens }) => opens?.passwords);
  return pages.forgotPassword ?? (isBuiltIn ? basePath + PASSWORD_PATHS.forgot : null);
}

/**
 * `POST /second-factor/recovery/cancel`: cancels the request, by the link of its mail or in a session of its user, however old:
 * it gives access to nobody.
 */
function cancelEndpoint(provider: CheckedSecondFactor): Endpoint {
  return async function cancelRequest(context) {
    const { store } = context;
    const { auth, request } = store;
    const fields = await readFields(request, { optional: true });
    const token = fields.get("token");
    if (token === undefined) {
      const user = requireUser(await auth.load(), { throwError: prefersJson(request) }, store);
      const cancelled = await cancelRecovery(store, provider, user.id);
      const account = ownRedirect(accountPath(store), auth.origin(), {
        done: cancelled ? "recovery-cancelled" : null,
      });
      return doneResponse(context, { cancelled }, account);
    }
    const found = await readLink(context, { request: fields.get("request"), token });
    if (!await cancelRecovery(store, provider, found.userId, found)) throw new EmailProofError();
    if (prefersJson(request)) return jsonResponse({ cancelled: true });
    const look = lookOf(store);
    const forgot = forgotPath(auth.settings);
    const page = donePage(look, {
      title: say(look, "The request is cancelled."),
      text: say(look, "Signing in still takes your second step."),
      warning: say(look, NOT_ASKED),
      next: forgot === null
        ? { href: auth.settings.pages.signIn, label: say(look, "Back to sign in") }
        : { href: forgot, label: say(look, "Choose a new password") },
    });
    return pageResponse(look, page);
  };
}

/** Endpoints of requests that take effect after `delay` milliseconds. */
export function recoveryEndpoints(
  provider: CheckedSecondFactor,
  delay: number,
): readonly EndpointEntry[] {
  return [
    { path: PATHS.recovery, method: "GET", endpoint: showRecovery(delay) },
    { path: PATHS.recovery, method: "POST", endpoint: recoveryEndpoint(provider, delay) },
    { path: PATHS.recoveryFinish, method: "POST", endpoint: finishEndpoint(provider, delay) },
    { path: PATHS.recoveryCancel, method: "GET", endpoint: showCancel },
    { path: PATHS.recoveryCancel, method: "POST", endpoint: cancelEndpoint(provider) },
  ];
}
