import { ConfigurationError } from "../errors/configuration_error.ts";
import { describe } from "../config/check.ts";
import { UserUnavailableError } from "../errors/storage_errors.ts";
import { currentRequest } from "../request/request_store.ts";
import { secretsOf } from "../storage/secrets_of.ts";
import { sentSecretsOf } from "../storage/sent_secrets_of.ts";
import { createSecret, hashSecret, isSecret } from "./secret.ts";

const MAX_AGE = 3600;
const LONGEST_AGE = 31_536_000;
const KEEP = 3;

/** How a one-time token is made. */
export interface OneTimeTokenOptions {
  /** How long it holds, in seconds, up to a year. Default 3600. */
  maxAge?: number;
  /** What is needed when it comes back, such as the new address; at most 4,096 characters. It is stored as it is. */
  payload?: string;
}

/** What a one-time token stood for. */
export interface RedeemedToken {
  /** For whom it was made: a user who exists and is not disabled. */
  userId: string;
  /** What was stored with it; null for nothing. */
  payload: string | null;
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
 * hold.
 *
 * @param purpose What it is for: lower-case letters, digits and -. It redeems for nothing else.
 * @param userId For whom.
 * @param options `maxAge` in seconds, 3600 by default, and a `payload` of at most 4,096 characters.
 * @returns The token, 43 characters that an address can hold as they are.
 * @throws {UserUnavailableError} When there is no such user, or the user is disabled.
 * @throws {ConfigurationError} When the purpose or an option is wrong, or there is no database.
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
 *   const { id } = await createUser({ id: "ada", email: "ada@example.com" });
 *   const token = await issueOneTimeToken("reset-password", id, { maxAge: 900 });
 *   return Response.json([
 *     await redeemOneTimeToken("invite", token),
 *     await redeemOneTimeToken("reset-password", token),
 *     await redeemOneTimeToken("reset-password", token),
 *   ]);
 * });
 * deepEqual(await response.json(), [null, { userId: "ada", payload: null }, null]);
 * ```
 */
export async function issueOneTimeToken(
  purpose: string,
  userId: string,
  options: OneTimeTokenOptions = {},
): Promise<string> {
  const { maxAge = MAX_AGE, payload = null } = options;
  const stored = storedPurpose(purpose, "issueOneTimeToken");
  const fits = payload === null || (typeof payload === "string" && payload.length <= 4096);
  if (!Number.isInteger(maxAge) || maxAge < 1 || maxAge > LONGEST_AGE || !fits) {
    throw new ConfigurationError(
      `issueOneTimeToken() takes maxAge in whole seconds, 1 to ${LONGEST_AGE}, and a payload of at most 4,096 characters`,
    );
  }
  const { storage, now } = currentRequest("issueOneTimeToken").auth.settings;
  if (await storage.getActiveUser(userId) === null) throw new UserUnavailableError();
  const token = createSecret();
  const at = now();
  await sentSecretsOf(storage).putNewestSecret({
    purpose: stored,
    hash: await hashSecret(token),
    identifier: userId,
    userId,
    payload,
    createdAt: at,
    expiresAt: at + maxAge * 1000,
  }, { keep: KEEP });
  return token;
}

/**
 * Redeems a one-time token: of any number of attempts at once one succeeds. The others of the same
 * purpose and user end with it.
 *
 * @param purpose What it must have been made for. A token of another purpose stays as it is.
 * @param token What came back. Anything may come.
 * @returns What it stood for; null when it does not hold, or its user is gone or disabled.
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
  const stored = storedPurpose(purpose, "redeemOneTimeToken");
  const { storage, now } = currentRequest("redeemOneTimeToken").auth.settings;
  if (!isSecret(token)) return null;
  const taken = await secretsOf(storage).takeSecret(stored, await hashSecret(token), {
    now: now(),
  });
  if (taken?.userId == null) return null;
  const { userId, payload } = taken;
  await sentSecretsOf(storage).dropSecrets(stored, userId);
  return await storage.getActiveUser(userId) === null ? null : { userId, payload };
}
