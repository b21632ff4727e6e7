/**
 * One-time tokens of an application's own.
 *
 * @module
 */

import type { RequestStore } from "../core/contracts.ts";
import { currentRequest, forgetOwn, isOf } from "../core/request.ts";
import { ConfigurationError, InvalidEmailError, UserUnavailableError } from "../errors.ts";
import { parseEmailAddress } from "../lib/email_address.ts";
import { describe } from "../lib/options.ts";
import { createSecret, hashSecret, isSecret } from "../lib/secret.ts";
import { secretGroup, type StoredSecret } from "../storage/secrets.ts";
import { sentSecretGroup } from "../storage/sent_secrets.ts";
import { groupOf } from "../storage/storage.ts";
import { type LeftBehind, mayKeep, proveMailbox, readLeftBehind } from "./first_proof.ts";

const MAX_AGE = 3600;
const LONGEST_AGE = 31_536_000;
const KEEP = 3;

/** Options for `issueOneTimeToken()`. */
export interface OneTimeTokenOptions {
  /** Lifetime in seconds, at most a year. Default 3600. */
  maxAge?: number;
  /**
   * Data to return when the token is redeemed, such as the new address; at most 4,096 characters,
   * stored unencrypted.
   */
  payload?: string;
  /**
   * The address to which this token, and nothing else that says the same, is sent. Whoever brings it back proves
   * that mailbox, if it is still the user's own. Default: the token proves nothing.
   */
  sentTo?: string;
  /**
   * "current": what is on the account stays when the session of this request brings the token back, since its
   * owner has asked there to confirm the address. For a sign-up, which has begun that session, and for a page of
   * somebody who is signed in; never for a form that takes anybody's address, such as that of a forgotten
   * password. It holds where the session cookie has the prefix `__Host-`. Default: with the first proof of the
   * address ends what was there before.
   */
  keepFor?: "current";
}

/** Result of `redeemOneTimeToken()`. */
export interface RedeemedToken {
  /** Id of its owner: a user who exists and is not disabled. */
  userId: string;
  /** Stored payload; null for none. */
  payload: string | null;
  /**
   * True when this was the first proof of the user's address and what was on the account has ended:
   * sessions, passkeys, linked accounts, memberships, other tokens and the password. Tell the owner
   * to set a new password.
   */
  ended: boolean;
}

/** Result of `readOneTimeToken()`, for the page on which the token is redeemed. */
export interface ReadToken extends Pick<RedeemedToken, "userId" | "payload"> {
  /**
   * Credentials and sessions that end when the token is redeemed in this browser; null for none.
   */
  ends: LeftBehind | null;
}

/** The application's purposes have a room of their own: none is one of the library's. */
function storedPurpose(purpose: string, operation: string): string {
  if (typeof purpose === "string" && /^[a-z0-9][a-z0-9-]{0,63}$/.test(purpose)) {
    return `app:${purpose}`;
  }
  throw new ConfigurationError(
    `${operation}() was given the purpose ${
      describe(purpose)
    }: give lower-case letters, digits and -`,
  );
}

/**
 * Makes a token that proves one thing, once, to be sent to a user: a link to reset a password, an
 * invitation, the change of an address. Only its hash is stored. The newest three of a purpose and user
 * hold. With `sentTo` it also proves the mailbox to which it went.
 *
 * @param purpose What it is for: lower-case letters, digits and -. It redeems for nothing else.
 * @param userId For whom.
 * @param options `maxAge` in seconds, 3600 by default; a `payload` of at most 4,096 characters; `sentTo`, the
 * address that it proves, none by default; `keepFor`, see {@linkcode OneTimeTokenOptions}.
 * @returns The token, 43 characters that an address can hold as they are.
 * @throws {UserUnavailableError} When there is no such user, or the user is disabled.
 * @throws {ConfigurationError} When the purpose or an option is wrong, or there is no database; with `sentTo`
 * and the session strategy 'jwt', when there is no revocation store.
 * @throws {InvalidEmailError} When `sentTo` cannot be an address.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import {
 *   createAuth,
 *   createMemoryStorage,
 *   createUser,
 *   issueOneTimeToken,
 *   redeemOneTimeToken,
 * } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const response = await auth.run(new Request("http://localhost/"), {}, undefined, async () => {
 *   const sentTo = "ada@example.com";
 *   const { id } = await createUser({ id: "ada", email: sentTo });
 *   const token = await issueOneTimeToken("reset-password", id, { sentTo, maxAge: 900 });
 *   return Response.json([
 *     await redeemOneTimeToken("invite", token),
 *     await redeemOneTimeToken("reset-password", token),
 *     await redeemOneTimeToken("reset-password", token),
 *   ]);
 * });
 * deepEqual(await response.json(), [null, { userId: "ada", payload: null, ended: true }, null]);
 * ```
 */
export async function issueOneTimeToken(
  purpose: string,
  userId: string,
  options: OneTimeTokenOptions = {},
): Promise<string> {
  const { maxAge = MAX_AGE, payload = null, sentTo, keepFor } = options;
  const stored = storedPurpose(purpose, "issueOneTimeToken");
  const fits = payload === null || (typeof payload === "string" && payload.length <= 4096);
  if (!Number.isInteger(maxAge) || maxAge < 1 || maxAge > LONGEST_AGE || !fits) {
    throw new ConfigurationError(
      `issueOneTimeToken() takes maxAge in whole seconds, 1 to ${LONGEST_AGE}, and a payload of at most 4,096 characters`,
    );
  }
  const store = currentRequest("issueOneTimeToken");
  const { storage, now } = store.auth.settings;
  const mailbox = sentTo === undefined ? null : readMailbox(store, sentTo);
  if (keepFor !== undefined && (keepFor !== "current" || mailbox === null)) {
    throw new ConfigurationError(
      `issueOneTimeToken() takes keepFor: "current" together with sentTo, and was given ${
        describe(keepFor)
      }`,
    );
  }
  if (await storage.getActiveUser(userId) === null) throw new UserUnavailableError();
  const state = keepFor === "current" ? await store.auth.load() : null;
  const token = createSecret();
  const at = now();
  await groupOf(storage, sentSecretGroup).putNewestSecret({
    purpose: stored,
    hash: await hashSecret(token),
    identifier: userId,
    userId,
    payload,
    sentTo: mailbox,
    sessionId: state !== null && isOf(state, userId) ? state.id : null,
    createdAt: at,
    expiresAt: at + maxAge * 1000,
  }, { keep: KEEP });
  return token;
}

/** The mailbox that a token is to prove. */
function readMailbox({ auth: { settings } }: RequestStore, sentTo: string): string {
  const { identity } = parseEmailAddress(sentTo) ?? {};
  if (identity === undefined) throw new InvalidEmailError();
  if (settings.strategy.revocable) return identity;
  throw new ConfigurationError(
    'issueOneTimeToken() cannot take sentTo with the session strategy "jwt" alone: the first proof of an ' +
      "address ends the sessions of before, and nobody remembers which tokens are over. Write " +
      "session: { …, revocation: createSqlRevocationStore(env.DB) }.",
    { field: "session.revocation" },
  );
}

/**
 * Redeems a one-time token: of any number of attempts at once one succeeds. The others of the same
 * purpose and user end with it. A token with `sentTo` proves that address in the same step, if it is still the
 * user's own; the first proof of an address ends what was on the account before, for it may be somebody else's
 * who knew the address (account pre-hijacking, USENIX Security 2022).
 *
 * @param purpose What it must have been made for. A token of another purpose stays as it is.
 * @param token What came back. Anything may come.
 * @returns What it stood for; null when it does not hold, its user is gone or disabled, or it was sent to an address
 * that is not the user's any more.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import {
 *   createAuth,
 *   createMemoryStorage,
 *   createUser,
 *   issueOneTimeToken,
 *   redeemOneTimeToken,
 * } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const response = await auth.run(new Request("http://localhost/"), {}, undefined, async () => {
 *   const { id } = await createUser({ email: "ada@example.com" });
 *   const token = await issueOneTimeToken("change-address", id, { payload: "ada@app.example" });
 *   const redeemed = await redeemOneTimeToken("change-address", token);
 *   return new Response(redeemed?.payload);
 * });
 * equal(await response.text(), "ada@app.example");
 * ```
 */
export async function redeemOneTimeToken(
  purpose: string,
  token: unknown,
): Promise<RedeemedToken | null> {
  const store = currentRequest("redeemOneTimeToken");
  const held = await readHeld(store, storedPurpose(purpose, "redeemOneTimeToken"), token);
  if (held === null) return null;
  const { secret, userId, payload, first } = held;
  const { auth } = store;
  const { storage, now } = auth.settings;
  const keepOwn = mayKeep(await auth.load(), { userId, askedIn: secret.sessionId });
  const outcome = await proveMailbox(store, {
    userId,
    first,
    keepOwn,
    write: () =>
      groupOf(storage, sentSecretGroup).redeemSecret({ ...secret, identifier: userId }, {
        now: now(),
        userId,
        emailIdentity: secret.sentTo,
        keepOwn,
        ends: [secret.purpose],
      }),
  });
  // Whoever has the mailbox that it was sent to is not the user any more.
  const isOthers = outcome === "redeemed" && secret.sentTo !== null;
  if (outcome === "absent" || isOthers) return null;
  const ended = outcome === "proved" && !keepOwn;
  // The session of this request was of before, too.
  if (ended && isOf(await auth.load(), userId)) await forgetOwn(auth);
  return { userId, payload, ended };
}

/**
 * Reads a one-time token, which stays, for the page that asks before it is redeemed: what is on the account and
 * ends then.
 *
 * @param purpose What it must have been made for.
 * @param token What came. Anything may come.
 * @returns What it stands for; null when it does not hold, or its user is gone or disabled.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, createUser, issueOneTimeToken, readOneTimeToken } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const response = await auth.run(new Request("http://localhost/"), {}, undefined, async () => {
 *   const { id } = await createUser({ email: "ada@example.com" });
 *   const token = await issueOneTimeToken("reset", id, { sentTo: "ada@example.com" });
 *   const read = await readOneTimeToken("reset", token);
 *   return Response.json(read?.ends);
 * });
 * deepEqual(await response.json(), { password: false, passkeys: 0, accounts: [] });
 * ```
 */
export async function readOneTimeToken(purpose: string, token: unknown): Promise<ReadToken | null> {
  const store = currentRequest("readOneTimeToken");
  const held = await readHeld(store, storedPurpose(purpose, "readOneTimeToken"), token);
  if (held === null) return null;
  const { secret: { sessionId: askedIn }, userId, payload, first } = held;
  const keeps = mayKeep(await store.auth.load(), { userId, askedIn });
  return { userId, payload, ends: first && !keeps ? await readLeftBehind(store, userId) : null };
}

/** A token that holds. */
interface HeldToken {
  secret: StoredSecret;
  userId: string;
  payload: string | null;
  /** True for the first proof of the user's mailbox. */
  first: boolean;
}

async function readHeld(
  { auth: { settings } }: RequestStore,
  stored: string,
  token: unknown,
): Promise<HeldToken | null> {
  const { storage, now } = settings;
  if (!isSecret(token)) return null;
  const secret = await groupOf(storage, secretGroup).readSecret(
    stored,
    await hashSecret(token),
    now(),
  );
  if (secret?.userId == null) return null;
  const { userId, payload, sentTo } = secret;
  const user = await storage.getActiveUser(userId);
  if (user === null) return null;
  const own = parseEmailAddress(user.email ?? "")?.identity ?? null;
  if (sentTo !== null && own !== sentTo) return null;
  return {
    secret,
    userId,
    payload,
    first: sentTo !== null && !user.emailVerified,
  };
}
