/**
 * The way back of who has lost the second factor, in the browser.
 *
 * @module
 */

import { type AuthClientOptions, call } from "./request.ts";
import type { AnswerSecondFactorOptions, InJson, SecondFactorResult } from "./second_factor.ts";
import { concludeSignIn, type SignInResult } from "./session.ts";

/** A request to do without the second factor, as it stands. */
export interface FactorRecovery {
  /** "none", "asked" before it takes effect, "open" afterwards, "cancelled" while there can be no other. */
  status: "none" | "asked" | "open" | "cancelled";
  /** Time from which it holds; null where there is no request that can take effect. */
  from: Date | null;
  /** Time until which it holds, or until which there can be no other; null for "none". */
  until: Date | null;
}

const RECOVERY = "/second-factor/recovery";

async function callRecovery(
  options: AuthClientOptions & { fields?: Record<string, unknown> },
): Promise<SecondFactorResult<FactorRecovery>> {
  const reply = await call(RECOVERY, options);
  if (!reply.ok) return reply;
  const { status, from, until } = reply.body as unknown as InJson<FactorRecovery>;
  return {
    ok: true,
    status,
    from: from === null ? null : new Date(from),
    until: until === null ? null : new Date(until),
  };
}

/**
 * Reads the request to do without the second factor: of the sign-in that waits in this browser, else of who is signed in. The
 * application turns requests on by `recovery` of `secondFactor()`.
 *
 * @param options Where the endpoints are.
 * @returns The request. `SECOND_FACTOR_OVER` when nobody is signed in and no sign-in waits, `SECOND_FACTOR_RECOVERY_REFUSED`
 * when the sign-in that waits has proved a mailbox or an account at a provider alone.
 *
 * @example
 * ```ts
 * import { readFactorRecovery } from "@framework/auth/client";
 * import { equal } from "node:assert/strict";
 *
 * // In the place of a server.
 * const fetch = () => Promise.resolve(Response.json({ status: "none", from: null, until: null }));
 *
 * const recovery = await readFactorRecovery({ fetch });
 * equal(recovery.ok && recovery.status, "none");
 * ```
 */
export async function readFactorRecovery(
  options: AuthClientOptions = {},
): Promise<SecondFactorResult<FactorRecovery>> {
  return await callRecovery(options);
}

/**
 * Asks to do without the second factor, in a sign-in by password or passkey that waits for it in this browser. The owner is
 * told at once, and can cancel it until it takes effect.
 *
 * @param options Where the endpoints are.
 * @returns The request, the same when there is one already. `SECOND_FACTOR_RECOVERY_REFUSED` after another way in and after
 * a password that is newer than the last code of the app, `EMAIL_NOT_SENT` when the owner could not be told,
 * `SECOND_FACTOR_OVER` when the first step is to be done again.
 *
 * @example
 * ```ts
 * import { requestFactorRecovery } from "@framework/auth/client";
 * import { equal } from "node:assert/strict";
 *
 * // In the place of a server.
 * const body = { status: "asked", from: "2999-01-04T00:00:00.000Z", until: "2999-01-11T00:00:00.000Z" };
 * const fetch = () => Promise.resolve(Response.json(body));
 *
 * const asked = await requestFactorRecovery({ fetch });
 * equal(asked.ok && asked.from?.getUTCDate(), 4);
 * ```
 */
export async function requestFactorRecovery(
  options: AuthClientOptions = {},
): Promise<SecondFactorResult<FactorRecovery>> {
  return await callRecovery({ ...options, fields: {} });
}

/**
 * Cancels the request to do without the second factor: of who is signed in, however long ago, or the one of a mail's link.
 *
 * @param link Parameters `request` and `token` of the link. Default: that of who is signed in.
 * @param options Where the endpoints are.
 * @returns False in `cancelled` when there was none. `INVALID_LINK` for a link that cancels none.
 *
 * @example
 * ```ts
 * import { cancelFactorRecovery } from "@framework/auth/client";
 * import { deepEqual } from "node:assert/strict";
 *
 * // In the place of a server.
 * const fetch = () => Promise.resolve(Response.json({ cancelled: true }));
 *
 * deepEqual(await cancelFactorRecovery({}, { fetch }), { ok: true, cancelled: true });
 * ```
 */
export async function cancelFactorRecovery(
  { request, token }: { request?: string; token?: string } = {},
  options: AuthClientOptions = {},
): Promise<SecondFactorResult<{ cancelled: boolean }>> {
  const reply = await call(`${RECOVERY}/cancel`, { ...options, fields: { request, token } });
  return reply.ok ? { ok: true, cancelled: reply.body!.cancelled === true } : reply;
}

/**
 * Removes the second factor by a request that has taken effect, and ends the sign-in that waits in this browser.
 *
 * @param values `redirectTo`: destination after a new factor is set up, default the start page; `redirect`: false to stay on
 * this page, default true.
 * @param options Where the endpoints are.
 * @returns How far it came, with the session; it leads to the page on which a new factor is set up.
 * `SECOND_FACTOR_RECOVERY_EARLY` when no request has taken effect, `SECOND_FACTOR_OVER` when the first step is to be done
 * again.
 *
 * @example
 * ```ts
 * import { finishFactorRecovery } from "@framework/auth/client";
 * import { equal } from "node:assert/strict";
 *
 * // In the place of a server.
 * const fetch = () =>
 *   Promise.resolve(Response.json({
 *     user: { id: "ada" },
 *     expires: "2999-01-01T00:00:00.000Z",
 *     redirectTo: "https://app.example/auth/second-factor/setup",
 *   }));
 *
 * const done = await finishFactorRecovery({ redirect: false }, { fetch });
 * equal(done.ok && done.session?.user.id, "ada");
 * ```
 */
export async function finishFactorRecovery(
  { redirectTo: callbackUrl, redirect }: Pick<
    AnswerSecondFactorOptions,
    "redirectTo" | "redirect"
  > = {},
  options: AuthClientOptions = {},
): Promise<SignInResult> {
  const fields = { callbackUrl };
  return concludeSignIn(await call(`${RECOVERY}/finish`, { ...options, fields }), {
    ...options,
    redirect,
  });
}
