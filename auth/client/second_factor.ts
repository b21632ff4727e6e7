/**
 * The second step of a sign-in, in the browser.
 *
 * @module
 */

import { type AuthClientOptions, call } from "./request.ts";
import { concludeSignIn, type SignInResult } from "./session.ts";

/** An answer to the question for the second factor. */
export interface AnswerSecondFactorOptions {
  /** Typed text: a code of the authenticator app, or a recovery code. */
  code: string;
  /** True to trust this browser, in which a sign-in asks for no second factor then. Default false. */
  trust?: boolean;
  /** Destination after the sign-in: that of its first step is not remembered. Default: the start page. */
  redirectTo?: string;
  /** False to stay on this page, and to go where the result says, or nowhere, by yourself. Default true. */
  redirect?: boolean;
}

/**
 * Proves the second factor: of a sign-in whose result said `secondFactor`, in the same browser and within five minutes, or
 * anew for who is signed in, where a call was refused with `SECOND_FACTOR_REQUIRED`.
 *
 * @param values The code, and where to go.
 * @param options Where the endpoints are.
 * @returns How far it came, with the session. `SECOND_FACTOR_WRONG` for a code that is wrong or was used before,
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
  { code, trust, redirectTo: callbackUrl, redirect }: AnswerSecondFactorOptions,
  options: AuthClientOptions = {},
): Promise<SignInResult> {
  const fields = { code, trust: trust ? "yes" : undefined, callbackUrl };
  return concludeSignIn(await call("/second-factor", { ...options, fields }), {
    ...options,
    redirect,
  });
}
