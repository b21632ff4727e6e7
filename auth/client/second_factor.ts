/**
 * The second factor in the browser: the second step of a sign-in, and looking after the factor.
 *
 * @module
 */

import { type AuthClientFailure, type AuthClientOptions, call } from "./request.ts";
import { concludeSignIn, type SignInResult } from "./session.ts";

/** An answer to the question for the second factor. */
export interface AnswerSecondFactorOptions {
  /** Typed text: a code of the authenticator app, or a recovery code. */
  code: string;
  /**
   * Proof of the offer that {@linkcode readSecondFactorStep} has made, where the factor is set up in this step; `code` is the
   * first one of the app then. Default: the factor is on.
   */
  setUp?: string;
  /** True to trust this browser, in which a sign-in asks for no second factor then. Default false. */
  trust?: boolean;
  /** Destination after the sign-in: that of its first step is not remembered. Default: the start page. */
  redirectTo?: string;
  /**
   * False to stay on this page, and to go where the result says, or nowhere, by yourself. Default true; with `setUp` the browser
   * stays, for the recovery codes to be read.
   */
  redirect?: boolean;
}

/** The question for the second factor. */
export type SecondFactorStep =
  | {
    on: true;
    /** Ways to prove it: a code of the app, a recovery code, a passkey. */
    methods: ("totp" | "recovery" | "passkey")[];
    /** Seconds for which this browser can be trusted; null where it cannot. */
    trustBrowserFor: number | null;
  }
  | Extract<SecondFactorState, { on: false }>;

/**
 * Reads how the second factor can be proved: of a sign-in whose result said `secondFactor`, in the same browser and within
 * five minutes, or of who is signed in. Who must have one and has none is offered a secret for an app, of which nothing is
 * stored until {@linkcode answerSecondFactor} sends its first code with `setUp`.
 *
 * @param options Where the endpoints are.
 * @returns What can be sent. `SECOND_FACTOR_OVER` when no sign-in waits and nobody with a second factor is signed in,
 * `SECOND_FACTOR_UNPROVED_EMAIL` when it is to be set up for an address that is not proved, `REAUTHENTICATION_REQUIRED` in a
 * session whose sign-in is older than ten minutes.
 *
 * @example
 * ```ts
 * import { answerSecondFactor, readSecondFactorStep } from "@framework/auth/client";
 * import { deepEqual } from "node:assert/strict";
 *
 * // In the place of a server, of a user who must set the factor up.
 * const fetch = (_: unknown, init?: RequestInit) =>
 *   Promise.resolve(Response.json(
 *     init?.method === "POST"
 *       ? {
 *         user: { id: "ada" },
 *         expires: "2999-01-01T00:00:00.000Z",
 *         redirectTo: "/",
 *         recoveryCodes: ["abcd-efgh-ijkl-mnop"],
 *       }
 *       : { on: false, secret: "ABCDEFGH", uri: "otpauth://totp/App:ada?secret=ABCDEFGH", setUp: "sealed" },
 *   ));
 *
 * const step = await readSecondFactorStep({ fetch });
 * if (step.ok && !step.on) {
 *   // Show step.uri as a QR code, and ask for the first code of the app.
 *   const done = await answerSecondFactor({ setUp: step.setUp, code: "123456" }, { fetch });
 *   deepEqual(done.ok && done.recoveryCodes, ["abcd-efgh-ijkl-mnop"]);
 * }
 * ```
 */
export async function readSecondFactorStep(
  options: AuthClientOptions = {},
): Promise<SecondFactorResult<SecondFactorStep>> {
  const reply = await call(STEP, options);
  return reply.ok ? { ok: true, ...reply.body as unknown as SecondFactorStep } : reply;
}

/**
 * Proves the second factor: of a sign-in whose result said `secondFactor`, in the same browser and within five minutes, or
 * anew for who is signed in, where a call was refused with `SECOND_FACTOR_REQUIRED`.
 *
 * @param values The code, and where to go.
 * @param options Where the endpoints are.
 * @returns How far it came, with the session, and the recovery codes where the factor was set up. `SECOND_FACTOR_WRONG` for a code that is wrong or was used before,
 * `SECOND_FACTOR_OVER` when the first step is to be done again, `SECOND_FACTOR_TRIES_OVER` when five wrong codes have ended
 * it, `SECOND_FACTOR_CLOSED` after twenty wrong codes in a day.
 *
 * @example
 * ```ts
 * import { answerSecondFactor, signIn } from "@framework/auth/client";
 * import { equal } from "node:assert/strict";
 *
 * // In the place of a server.
 * const fetch = (path: unknown) =>
 *   Promise.resolve(Response.json(
 *     path === "/auth/second-factor"
 *       ? { user: { id: "ada" }, expires: "2999-01-01T00:00:00.000Z", redirectTo: "/" }
 *       : { user: null, expires: null, redirectTo: "https://app.example/auth/second-factor" },
 *   ));
 *
 * const values = { email: "ada@example.com", password: "four words in a row", redirect: false };
 * const first = await signIn("passwords", values, { fetch });
 * equal(first.ok && first.secondFactor, true);
 * const done = await answerSecondFactor({ code: "123456", redirect: false }, { fetch });
 * equal(done.ok && done.session?.user.id, "ada");
 * ```
 */
export async function answerSecondFactor(
  { code, setUp, trust, redirectTo: callbackUrl, redirect }: AnswerSecondFactorOptions,
  options: AuthClientOptions = {},
): Promise<SignInResult> {
  const fields = { code, setUp, trust: trust ? "yes" : undefined, callbackUrl };
  return concludeSignIn(await call(STEP, { ...options, fields }), {
    ...options,
    redirect,
  });
}

/** The second factor of who is signed in: what an app needs to turn it on, or what is on. */
export type SecondFactorState =
  | {
    on: false;
    /** Shared secret, base32, for who cannot scan the QR code. */
    secret: string;
    /** Content of the QR code: an `otpauth:` address. */
    uri: string;
    /** Proof of this offer, for {@linkcode turnOnSecondFactor}; it holds for 15 minutes. */
    setUp: string;
  }
  | {
    on: true;
    /** The time at which it was turned on. */
    since: Date;
    /** Number of recovery codes that are left. */
    recoveryCodes: number;
    /** Browsers in which no second factor is asked for at a sign-in. */
    trustedBrowsers: TrustedBrowser[];
  };

/** A browser that its user trusts. */
export interface TrustedBrowser {
  /** Its id, for {@linkcode endTrustedBrowsers}. */
  id: string;
  /** Its User-Agent; null for none. */
  userAgent: string | null;
  /** The end of the trust. */
  expires: Date;
}

/** Result of a call about the second factor, with what it is about. */
export type SecondFactorResult<Content> =
  | { ok: true } & Content
  | {
    ok: false;
    /** Reason for the failure. */
    error: AuthClientFailure;
  };

/**
 * Reads the second factor of who is signed in; without one a new secret for an app, of which nothing is stored.
 *
 * @param values `replace`: a new secret also where a factor is on, to put it in that one's place. Default false.
 * @param options Where the endpoints are.
 * @returns What is on, or what an app needs. `REAUTHENTICATION_REQUIRED` when the sign-in is older than ten minutes,
 * `SECOND_FACTOR_REQUIRED` when the factor that is on is to be proved anew, `SECOND_FACTOR_UNPROVED_EMAIL` without a proved
 * address.
 *
 * @example
 * ```ts
 * import { readSecondFactor, turnOnSecondFactor } from "@framework/auth/client";
 * import { deepEqual } from "node:assert/strict";
 *
 * // In the place of a server.
 * const fetch = (_: unknown, init?: RequestInit) =>
 *   Promise.resolve(Response.json(
 *     init?.method === "POST"
 *       ? { on: true, recoveryCodes: ["abcd-efgh-ijkl-mnop"] }
 *       : { on: false, secret: "ABCDEFGH", uri: "otpauth://totp/App:ada?secret=ABCDEFGH", setUp: "sealed" },
 *   ));
 *
 * const state = await readSecondFactor({}, { fetch });
 * if (state.ok && !state.on) {
 *   // Show state.uri as a QR code, and ask for the first code of the app.
 *   const done = await turnOnSecondFactor({ setUp: state.setUp, code: "123456" }, { fetch });
 *   deepEqual(done, { ok: true, recoveryCodes: ["abcd-efgh-ijkl-mnop"] });
 * }
 * ```
 */
export async function readSecondFactor(
  { replace = false }: { replace?: boolean } = {},
  options: AuthClientOptions = {},
): Promise<SecondFactorResult<SecondFactorState>> {
  const reply = await call(`${SET_UP}${replace ? "?replace=yes" : ""}`, options);
  if (!reply.ok) return reply;
  const state = reply.body as unknown as InJson<SecondFactorState>;
  if (!state.on) return { ok: true, ...state };
  return {
    ok: true,
    ...state,
    since: new Date(state.since),
    trustedBrowsers: state.trustedBrowsers.map((one) => ({
      ...one,
      expires: new Date(one.expires),
    })),
  };
}

const STEP = "/second-factor";
const SET_UP = "/second-factor/setup";

/** The JSON of a value, in which times are texts. */
export type InJson<Value> = Value extends Date ? string
  : Value extends object ? { [Key in keyof Value]: InJson<Value[Key]> }
  : Value;

async function change<Content>(
  path: string,
  fields: Record<string, unknown>,
  options: AuthClientOptions,
): Promise<SecondFactorResult<Content>> {
  const reply = await call(SET_UP + path, { ...options, fields });
  if (!reply.ok) return reply;
  const { on: _on, ...content } = reply.body!;
  return { ok: true, ...content as Content };
}

/**
 * Turns the second factor on, or puts a new secret in the place of the one that is on. The other sessions of the user end.
 *
 * @param values `setUp` of {@linkcode readSecondFactor}, and the first code that the app shows.
 * @param options Where the endpoints are.
 * @returns The recovery codes, which are shown this once. `SECOND_FACTOR_WRONG` for a wrong code, `SECOND_FACTOR_OVER` when
 * the offer is too old, `SECOND_FACTOR_CHANGED` when there is another factor by now.
 *
 * @example
 * ```ts
 * import { turnOnSecondFactor } from "@framework/auth/client";
 * import { equal } from "node:assert/strict";
 *
 * // In the place of a server.
 * const fetch = () => Promise.resolve(Response.json({ on: true, recoveryCodes: ["abcd-efgh-ijkl-mnop"] }));
 *
 * async function confirm(setUp: string, code: string): Promise<string> {
 *   const done = await turnOnSecondFactor({ setUp, code }, { fetch });
 *   return done.ok ? `Save these codes: ${done.recoveryCodes.join(", ")}` : done.error.message;
 * }
 * equal(await confirm("sealed", "123456"), "Save these codes: abcd-efgh-ijkl-mnop");
 * ```
 */
export async function turnOnSecondFactor(
  { setUp, code }: { setUp: string; code: string },
  options: AuthClientOptions = {},
): Promise<SecondFactorResult<{ recoveryCodes: string[] }>> {
  return await change("", { setUp, code }, options);
}

/**
 * Makes ten new recovery codes in the place of all before. It takes a second factor that was proved in the last ten minutes.
 *
 * @param options Where the endpoints are.
 * @returns The codes, which are shown this once. `SECOND_FACTOR_REQUIRED` when the factor is to be proved anew, as by
 * {@linkcode answerSecondFactor}.
 *
 * @example
 * ```ts
 * import { renewRecoveryCodes } from "@framework/auth/client";
 * import { deepEqual } from "node:assert/strict";
 *
 * // In the place of a server.
 * const fetch = () => Promise.resolve(Response.json({ on: true, recoveryCodes: ["abcd-efgh-ijkl-mnop"] }));
 *
 * const done = await renewRecoveryCodes({ fetch });
 * deepEqual(done.ok && done.recoveryCodes, ["abcd-efgh-ijkl-mnop"]);
 * ```
 */
export async function renewRecoveryCodes(
  options: AuthClientOptions = {},
): Promise<SecondFactorResult<{ recoveryCodes: string[] }>> {
  return await change("/codes", {}, options);
}

/**
 * Turns the second factor off. It takes one that was proved in the last ten minutes.
 *
 * @param options Where the endpoints are.
 * @returns How far it came. `SECOND_FACTOR_REQUIRED` when the factor is to be proved anew.
 *
 * @example
 * ```ts
 * import { turnOffSecondFactor } from "@framework/auth/client";
 * import { equal } from "node:assert/strict";
 *
 * // In the place of a server that wants a fresh proof.
 * const refusal = { code: "SECOND_FACTOR_REQUIRED", message: "Enter your second factor to continue" };
 * const fetch = () => Promise.resolve(Response.json(refusal, { status: 401 }));
 *
 * const done = await turnOffSecondFactor({ fetch });
 * equal(!done.ok && done.error.code, "SECOND_FACTOR_REQUIRED"); // answerSecondFactor(), then again
 * ```
 */
export async function turnOffSecondFactor(
  options: AuthClientOptions = {},
): Promise<SecondFactorResult<unknown>> {
  return await change("/off", {}, options);
}

/**
 * Trusts a browser no more. It takes a second factor that was proved in the last ten minutes.
 *
 * @param values `id` of the browser. Default: all of the user's.
 * @param options Where the endpoints are.
 * @returns How many there were. `SECOND_FACTOR_REQUIRED` when the factor is to be proved anew.
 *
 * @example
 * ```ts
 * import { endTrustedBrowsers } from "@framework/auth/client";
 * import { equal } from "node:assert/strict";
 *
 * // In the place of a server.
 * const fetch = () => Promise.resolve(Response.json({ ended: 3 }));
 *
 * const done = await endTrustedBrowsers({}, { fetch });
 * equal(done.ok && done.ended, 3);
 * ```
 */
export async function endTrustedBrowsers(
  { id }: { id?: string } = {},
  options: AuthClientOptions = {},
): Promise<SecondFactorResult<{ ended: number }>> {
  return await change("/browsers", { id }, options);
}
