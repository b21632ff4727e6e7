/**
 * The request of somebody who has lost all second factors to do without them: told at once, open after a delay.
 *
 * A mailbox is one factor. So the request takes a password or a passkey, which no mail can give: not a link or a code by mail,
 * and not a password that is newer than the last code of the app, since it may have been set by mail. The mails about it tell
 * and cancel, they prove nothing.
 *
 * @module
 */

import type { RequestStore, Settings } from "../../core/contracts.ts";
import { EmailNotSentError, SecondFactorError } from "../../errors.ts";
import { hashText } from "../../lib/hash.ts";
import { createSecret, hashSecret } from "../../lib/secret.ts";
import { RECOVERY_PURPOSE } from "../../storage/second_factors.ts";
import { secretGroup } from "../../storage/secrets.ts";
import { groupOf } from "../../storage/storage.ts";
import { type CheckedSecondFactor, factorsOf } from "./factor.ts";
import { tellOfRequest, tellOwner } from "./mail.ts";
import { PERIOD } from "./totp.ts";

const DAY = 86_400_000;
/** Time for which a request that has taken effect can be used. */
const OPEN_FOR = 7 * DAY;
/** Time after a cancellation in which there is no other request. */
const BLOCKED_FOR = DAY;
/** Time in which the mail goes out: a request that nobody could be told of is over then. */
const TELLING = 60_000;

/** Content of the row. */
interface Payload {
  /** Time from which it holds. */
  from: number;
  /** Hash of the secret in the link that cancels it. */
  cancel: string;
}

/** A request as it stands. Times are milliseconds since 1970. */
export interface Recovery {
  /** "none", "asked" before it takes effect, "open" afterwards, "cancelled" while there can be no other. */
  status: "none" | "asked" | "open" | "cancelled";
  /** Id of its user. */
  userId: string | null;
  /** Name of its row. */
  hash: string;
  /** Content of its row; null without a request that can take effect. */
  payload: string | null;
  /** Time from which it holds. */
  from: number;
  /** Time until which it holds, or until which there can be no other. */
  until: number;
}

async function hashOf(userId: string): Promise<string> {
  return await hashText(`${RECOVERY_PURPOSE}\n${userId}`);
}

/** Reads the request with this name, and the hash of the secret that cancels it. */
async function readByHash(
  { storage, now }: Settings,
  hash: string,
): Promise<Recovery & { cancel: string | null }> {
  const at = now();
  const found = await groupOf(storage, secretGroup).readSecret(RECOVERY_PURPOSE, hash, at);
  const own = { hash, userId: found?.userId ?? null, payload: found?.payload ?? null };
  if (found === null) return { ...own, status: "none", from: 0, until: 0, cancel: null };
  if (found.payload === null) {
    return { ...own, status: "cancelled", from: 0, until: found.expiresAt, cancel: null };
  }
  const { from, cancel } = JSON.parse(found.payload) as Payload;
  // The same for who asks while the mail goes out, when the row has its own end.
  const until = from + OPEN_FOR;
  return { ...own, status: from <= at ? "open" : "asked", from, until, cancel };
}

/** Reads the request of a user. */
export async function readRecovery(settings: Settings, userId: string): Promise<Recovery> {
  return await readByHash(settings, await hashOf(userId));
}

/** Reads the request that a link in a mail cancels; null when it cancels none. */
export async function readRecoveryOfLink(
  settings: Settings,
  { request, token }: { request: string; token: string },
): Promise<Recovery & { userId: string } | null> {
  const { cancel, ...found } = await readByHash(settings, request);
  const { userId } = found;
  return userId !== null && cancel === await hashSecret(token) ? { ...found, userId } : null;
}

/**
 * Asks to do without the second factor. While there is a request, or one was cancelled, it changes nothing.
 *
 * @param asked `step`: hash of the waiting sign-in that asks, which has proved more than a mailbox.
 * @throws {SecondFactorError} When a password is newer than the last code of the app, or the address is not proved.
 * @throws {EmailNotSentError} When nobody could be told; then there is no request.
 */
export async function askRecovery(
  store: RequestStore,
  provider: CheckedSecondFactor,
  { userId, step, delay }: { userId: string; step: string; delay: number },
): Promise<Recovery> {
  const { auth: { settings }, report } = store;
  const factors = factorsOf(settings);
  const before = await readRecovery(settings, userId);
  if (before.status !== "none") return before;
  const factor = await factors.readFactor(userId);
  const token = createSecret();
  const createdAt = settings.now();
  const from = createdAt + delay;
  const payload: Payload = { from, cancel: await hashSecret(token) };
  const { hash } = before;
  const row = {
    userId,
    hash,
    payload: JSON.stringify(payload),
    step,
    // The code of a step is accepted one step before at the earliest, and a password of that very moment may be newer.
    provedAt: ((factor?.lastStep ?? 0) - 1) * PERIOD - 1,
    createdAt,
  };
  // For as long as the mail takes: a process that ends here leaves no request that nobody knows of.
  if (!await factors.putRecovery({ ...row, expiresAt: createdAt + TELLING })) {
    const other = await readRecovery(settings, userId);
    if (other.status !== "none") return other;
    throw new SecondFactorError(undefined, { code: "SECOND_FACTOR_RECOVERY_REFUSED" });
  }
  const until = from + OPEN_FOR;
  try {
    const dates = { from: new Date(from), until: new Date(until) };
    const isTold = await tellOfRequest(store, provider, { userId, hash, token, ...dates });
    if (!isTold) throw new EmailNotSentError();
  } catch (error) {
    await factors.putRecovery({ ...row, expiresAt: createdAt });
    throw error;
  }
  await factors.putRecovery({ ...row, expiresAt: until });
  report({ type: "second-factor-recovery-requested", userId });
  return await readRecovery(settings, userId);
}

/**
 * Cancels the request of a user, and tells the owner.
 *
 * @param provider Without a delay there are no requests, and nothing is read.
 * @param request The request as it was read. Default: the one that there is.
 * @returns False when there was none.
 */
export async function cancelRecovery(
  store: RequestStore,
  provider: CheckedSecondFactor,
  userId: string,
  request?: Recovery,
): Promise<boolean> {
  if (provider.recovery === null) return false;
  const { auth: { settings }, report } = store;
  const { hash, payload } = request ?? await readRecovery(settings, userId);
  if (payload === null) return false;
  const now = settings.now();
  const known = { hash, payload, now, until: now + BLOCKED_FOR };
  if (!await factorsOf(settings).cancelRecovery(userId, known)) return false;
  report({ type: "second-factor-recovery-cancelled", userId });
  tellOwner(store, provider, { userId, news: "recovery-cancelled" });
  return true;
}
