/**
 * The second factor as a requirement: of a page, of an action, and its reset by the application.
 *
 * @module
 */

import type { Gate, RequestStore, Settings } from "../../core/contracts.ts";
import { ownRedirect, returnPath } from "../../core/redirect.ts";
import { reportChange } from "../../core/report.ts";
import { currentRequest, findRequest, gateOf } from "../../core/request.ts";
import { ConfigurationError, RequestError, SecondFactorRequiredError } from "../../errors.ts";
import { isStorable } from "../../lib/encoding.ts";
import { rolesOf } from "../../rbac/permissions.ts";
import { endNamed } from "../../session/end_everything.ts";
import {
  type RequireAuthOptions,
  requireRecentUser,
  requireUser,
  throwsError,
} from "../../session/require.ts";
import type { SecondFactorMeans, SessionFactorRecord } from "../../storage/second_factors.ts";
import type { SessionState, ValidSession } from "../../types/session.ts";
import type { User } from "../../types/user.ts";
import {
  accountPath,
  type CheckedSecondFactor,
  factorsOf,
  hasPasskey,
  mustHaveFactor,
  PATHS,
} from "./factor.ts";
import { tellReset } from "./mail.ts";
import { stepRequired } from "./step.ts";

/** Options for `requireSecondFactor()`. */
export interface RequireSecondFactorOptions extends Pick<RequireAuthOptions, "throwError"> {
  /**
   * True where the second factor must have been proved in the last ten minutes; a number of seconds for another time. A
   * trusted browser never counts then, nor does an administrator who acts for the user. Default false: that of the sign-in
   * counts, also by a trusted browser, and that of the administrator's own session.
   */
  fresh?: boolean | number;
}

const FRESH = 600;

/** Tests what a session has proved. */
export function isProved(
  proved: Pick<SessionFactorRecord, "at"> | null,
  { fresh = false, now }: { fresh?: boolean | number; now: number },
): boolean {
  if (proved === null) return false;
  if (fresh === false) return true;
  // Written so that an age which is no number is too old.
  return now - proved.at <= (fresh === true ? FRESH : fresh) * 1000;
}

/**
 * Tests for a fresh proof of the factor that is on here: what changes it, or adds another way in, takes no provider's word.
 */
export function isFreshHere(
  proved: Pick<SessionFactorRecord, "at" | "method"> | null,
  now: number,
): boolean {
  return proved?.method !== "provider" && isProved(proved, { fresh: true, now });
}

/** Path to return to after the proof: of the page that was asked for, or that has the form; else of the account page. */
function wayBack(store: RequestStore): string {
  return returnPath(store.request, store.auth.origin()) ?? accountPath(store);
}

/** The part of a session that says what it has proved. */
type ProvingSession = Pick<ValidSession, "id" | "provedIn"> & { session: { user: User } };

/**
 * Refuses a session of somebody who must have a second factor, has a passkey and no app, and has not shown the passkey: a
 * password alone would be enough for a factor of one's own.
 */
export async function assertPasskeyShown(
  store: RequestStore,
  checked: CheckedSecondFactor,
  state: ProvingSession,
  back: string = wayBack(store),
): Promise<void> {
  const { auth: { settings, tenant } } = store;
  const { session: { user } } = state;
  if (checked.required === undefined || !await hasPasskey(settings, user.id)) return;
  if (await readProof(settings, state) !== null) return;
  const tenantId = (await tenant?.load())?.id ?? null;
  if (!await mustHaveFactor(settings, checked, { user, tenantId })) return;
  throw stepRequired(store, back);
}

/** Refuses a session of a user with a second factor that has not proved it of late. */
export function assertFreshFactor(checked: CheckedSecondFactor): Gate["assertFresh"] {
  return async (store, begun) => {
    const asked = begun === true ? undefined : begun;
    const { auth } = store;
    const { settings } = auth;
    let state: ProvingSession | SessionState = await auth.load();
    if (asked !== undefined) {
      const user = await settings.storage.getActiveUser(asked.userId);
      if (user !== null) state = { id: asked.sessionId, session: { user } };
    }
    if (!("session" in state)) return;
    const { id, session: { user } } = state;
    const factors = factorsOf(settings);
    // Where it is asked of another request's session, this one is done once and is no page to come back to.
    const back = asked ? accountPath(store) : wayBack(store);
    if (await factors.readFactor(user.id) === null) {
      return await assertPasskeyShown(store, checked, state, back);
    }
    const proved = await factors.readSessionFactor(id, user.id);
    // What was begun with a fresh proof is finished by it, however long the provider or the authenticator takes.
    if (isFreshHere(proved, settings.now() - (begun ? FRESH * 1000 : 0))) return;
    throw stepRequired(store, back);
  };
}

/** Keeps what a session has proved where it goes on under another id, as a signed one does when it is bound. */
export async function keepProof(
  { from, to, userId }: { from: string; to: string; userId: string },
  settings: Settings,
): Promise<void> {
  const proved = await factorsOf(settings).readSessionFactor(from, userId);
  if (proved !== null) await factorsOf(settings).putSessionFactor({ ...proved, sessionId: to });
}

/** Second factor that a session has proved; where an administrator acts for the user, that of the administrator. */
async function readProof(
  settings: Settings,
  { id, session: { user }, provedIn = { sessionId: id, userId: user.id } }: ProvingSession,
): Promise<SessionFactorRecord | null> {
  return await factorsOf(settings).readSessionFactor(provedIn.sessionId, provedIn.userId);
}

const ACTS = "Stop acting for this user, confirm your own second step, and begin again";
const ACTS_FRESH = "Stop acting for this user: this takes a second step of their own";

/** Lets sessions act in a tenant, see `Gate`. */
export function passTenant({ required }: CheckedSecondFactor): Gate["enters"] {
  return async (state, { tenantId, member }, settings) => {
    if (required === undefined) return undefined;
    const { id, startedAt, provedIn, session: { user } } = state;
    const isKey = id.startsWith("key:");
    // A key shows no roles.
    const [holder, seen] = isKey
      ? await Promise.all([
        settings.storage.getActiveUser(user.id),
        settings.tenancy!.members?.get(tenantId, user.id),
      ])
      : [user, member];
    const asked = { ...holder ?? user, roles: rolesOf(holder ?? user) };
    const memberRoles = seen?.roles ?? [];
    if (await required(asked, { tenantId, memberRoles }) === false) return undefined;
    if (isKey) {
      const factor = await factorsOf(settings).readFactor(user.id);
      // A key of before may be that of a thief who had the password; since then it takes the factor to make one.
      if (factor !== null && startedAt >= factor.createdAt) return undefined;
    } else if (await readProof(settings, state) !== null) return undefined;
    return (leads) => {
      if (provedIn !== undefined) return new SecondFactorRequiredError(ACTS);
      const store = leads ? findRequest() : undefined;
      if (store === undefined) return new SecondFactorRequiredError();
      return stepRequired(store, returnPath(store.request, store.auth.origin()));
    };
  };
}

/** Refuses an operation where there is no `secondFactor()`. */
export function assertGate(settings: Settings, operation: string): void {
  if (gateOf(settings) !== undefined) return;
  throw new ConfigurationError(
    `${operation}() needs secondFactor() among the providers: write ` +
      "providers: [passwords(), secondFactor({ sendMail })]",
    { field: "providers" },
  );
}

/**
 * Requires the second factor of a request.
 *
 * @throws {SecondFactorRequiredError} When it has not been proved.
 */
export async function requireFactor(
  store: RequestStore,
  options: RequireSecondFactorOptions = {},
): Promise<User> {
  const { fresh = false } = options;
  const { auth, request } = store;
  const { settings, origin } = auth;
  assertGate(settings, "requireSecondFactor");
  const state = await auth.load();
  const user = requireUser(state, options, store);
  const factors = factorsOf(settings);
  const acts = state.status === "valid" && state.provedIn !== undefined;
  // A proof of late is one of the user.
  if (acts && fresh !== false) throw new SecondFactorRequiredError(ACTS_FRESH);
  const proved = state.status === "valid" ? await readProof(settings, state) : null;
  if (isProved(proved, { fresh, now: settings.now() })) return user;
  if (acts) throw new SecondFactorRequiredError(ACTS);
  if (throwsError(options, request)) throw new SecondFactorRequiredError();
  const callbackUrl = returnPath(request, origin());
  if (await factors.readFactor(user.id) !== null) {
    throw stepRequired(store, callbackUrl);
  }
  // Their second factor is at the provider: to prove it anew is to sign in there again.
  if (proved?.method === "provider") requireRecentUser(state, { maxAge: -1 }, store);
  if (await hasPasskey(settings, user.id)) throw stepRequired(store, callbackUrl);
  throw new SecondFactorRequiredError("Set up two-step sign-in to continue", {
    redirectTo: ownRedirect(settings.basePath + PATHS.setUp, origin(), { callbackUrl }),
  });
}

/**
 * Lets only users pass who have proved a second factor in this session: by a code of their app, a recovery code, a passkey
 * that has verified its user, or in a browser that they trust. Who has none is led to the page on which it is set up, and who
 * has not proved it, or has a passkey, to the page that asks for it; so a page that calls it makes its users, such as the owners of a team,
 * enrol. Where an administrator acts for the user, the factor that the administrator's own session has proved counts, and with
 * `fresh` none does. It needs `secondFactor()` among the providers.
 *
 * @param options `fresh`: proved in the last 600 seconds, whatever browsers are trusted. `throwError`: throw rather than lead
 * there. Default: that of the sign-in counts, and a page leads there.
 * @returns The user.
 * @throws {ConfigurationError} Without `secondFactor()` among the providers.
 * @throws {SecondFactorRequiredError} When no second factor has been proved; where a page was asked for, the answer is a
 * redirect.
 * @throws {RedirectError} To the sign-in page, when nobody is signed in.
 * @throws {UnauthenticatedError} With `throwError`, when nobody is signed in.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, createUser, requireSecondFactor, secondFactor, startSession } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   secret: "a secret of at least thirty-two bytes",
 *   baseUrl: "https://app.example",
 *   providers: [secondFactor({ sendMail: () => {} })],
 * });
 * const request = new Request("https://app.example/payments");
 * const response = await auth.run(request, {}, undefined, async () => {
 *   await startSession((await createUser({ name: "Ada" })).id);
 *   return Response.json(await requireSecondFactor({ fresh: true }));
 * });
 * equal(
 *   response.headers.get("location"),
 *   "https://app.example/auth/second-factor/setup?callbackUrl=%2Fpayments",
 * );
 * ```
 */
export async function requireSecondFactor(
  options: RequireSecondFactorOptions = {},
): Promise<User> {
  return await requireFactor(currentRequest("requireSecondFactor"), options);
}

/** Factors that a session has proved. */
export interface SessionProof {
  /**
   * Means of the second factor and "mfa", as values of RFC 8176: `["otp", "mfa"]`, `["pop", "mfa"]` for a passkey, `["mfa"]`
   * for a recovery code, for a provider, and where the application has proved two itself. Empty for one factor, and in a browser that is
   * trusted, which proves none.
   */
  amr: string[];
  /**
   * Second factor: "trusted" is a trusted browser, "provider" what a provider's `amr` says, "application" what the
   * application has proved; null for none.
   */
  secondFactor: SecondFactorMeans | null;
  /** Time of the sign-in, or of the last reauthentication; null where it does not count as recent. */
  signedInAt: Date | null;
  /** Time at which the second factor was proved, to the provider where it was "provider"; null for none, and for a trusted browser. */
  secondFactorAt: Date | null;
}

/**
 * Reads what the session of the request has proved, by one statement. It needs `secondFactor()` among the providers.
 *
 * @returns Null when nobody is signed in.
 * @throws {ConfigurationError} Without `secondFactor()`, and without a database that has the tables of second factors.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, createUser, getSessionProof, secondFactor, startSession } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   secret: "a secret of at least thirty-two bytes",
 *   baseUrl: "https://app.example",
 *   providers: [secondFactor({ sendMail: () => {} })],
 * });
 * const request = new Request("https://app.example/enter", { method: "POST" });
 * const response = await auth.run(request, {}, undefined, async () => {
 *   // The application has proved two factors itself, such as a smart card with its PIN.
 *   await startSession((await createUser({ name: "Ada" })).id, { amr: ["sc", "mfa"] });
 *   return Response.json((await getSessionProof())?.amr);
 * });
 * deepEqual(await response.json(), ["mfa"]);
 * ```
 */
export async function getSessionProof(): Promise<SessionProof | null> {
  const { auth } = currentRequest("getSessionProof");
  assertGate(auth.settings, "getSessionProof");
  const state = await auth.load();
  if (state.status !== "valid") return null;
  const { id, session: { user }, authenticatedAt } = state;
  const proved = await factorsOf(auth.settings).readSessionFactor(id, user.id);
  const secondFactor = proved?.method ?? null;
  const isProved = secondFactor !== null && secondFactor !== "trusted";
  const means = secondFactor === "totp" ? ["otp"] : secondFactor === "passkey" ? ["pop"] : [];
  return {
    amr: isProved ? [...means, "mfa"] : [],
    secondFactor,
    signedInAt: authenticatedAt > 0 ? new Date(authenticatedAt) : null,
    secondFactorAt: isProved ? new Date(proved!.at) : null,
  };
}

/** Options for `resetSecondFactor()`. */
export interface ResetSecondFactorOptions {
  /** Reason, at most 256 characters: it stands in the event `second-factor-removed`. */
  reason: string;
}

/**
 * Removes the second factor of a user who has lost it, with the recovery codes and the trusted browsers, and ends the user's
 * sessions and the sign-ins that wait for their second step, in one transaction. The owner is told by mail. **Whoever may call it stands between a stolen mailbox and the account:** ask for a
 * permission, and prove who asks for the reset by other means than a mail.
 *
 * @param userId Whose second factor it is.
 * @param options `reason`: why, for the record.
 * @returns False when the user had none.
 * @throws {RequestError} When there is no reason.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, resetSecondFactor, secondFactor } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   secret: "a secret of at least thirty-two bytes",
 *   providers: [secondFactor({ sendMail: () => {} })],
 * });
 * const request = new Request("http://localhost/admin/reset", { method: "POST" });
 * await auth.run(request, {}, undefined, async () => {
 *   // requirePermission("users:reset-factor"), then:
 *   equal(await resetSecondFactor("ada", { reason: "Passport shown at the desk, ticket 4711" }), false);
 *   return new Response();
 * });
 * ```
 */
export async function resetSecondFactor(
  userId: string,
  { reason }: ResetSecondFactorOptions,
): Promise<boolean> {
  const store = currentRequest("resetSecondFactor");
  if (typeof reason !== "string" || reason.trim() === "" || !isStorable(reason, 256)) {
    throw new RequestError("Say why the second factor is reset, in at most 256 characters");
  }
  const { settings } = store.auth;
  const provider = settings.modules.find((one) => one.id === "second-factor");
  if (await factorsOf(settings).readFactor(userId) === null) return false;
  await reportChange(store, {
    events: [{ type: "second-factor-removed", userId, reason }],
    happened: () => true,
  }, () => endNamed(store, { userId, what: ["sessions", "factors", "pendingSteps"] }));
  if (provider !== undefined && "secondFactor" in provider) {
    const checked = provider.secondFactor as CheckedSecondFactor;
    tellReset(store, checked, userId);
  }
  return true;
}
