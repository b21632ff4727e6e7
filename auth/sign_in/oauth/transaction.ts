/**
 * The pending OAuth transaction, from the start to the callback.
 *
 * @module
 */

import type { EndpointContext, Settings } from "../../core/contracts.ts";
import { type HostCookieReach, readHostCookie, writeHostCookie } from "../../session/cookie.ts";
import type { NamedProvider, Transaction, TransactionStore } from "../../core/oauth_contracts.ts";
import { statelessOf } from "../../core/provider.ts";
import { OAuthError } from "../../errors.ts";
import { constantTimeEqualText } from "../../lib/hash.ts";
import { seal, type SealOptions, unseal } from "../../lib/keys.ts";
import { createSecret, hashSecret, isSecret } from "../../lib/secret.ts";
import { secretGroup } from "../../storage/secrets.ts";
import { groupOf } from "../../storage/storage.ts";
import type { OAuthClient } from "./client.ts";
import { deriveSecrets, type TransactionSecrets } from "./pkce.ts";

const LIFETIME = 10 * 60 * 1000;
// What has ended is kept as long again, to say that it has ended.
const KEPT = 2 * LIFETIME;

function storeOf(settings: Settings): TransactionStore {
  return settings.hasDatabase ? TRANSACTION_ROWS : statelessOf(settings).transactions;
}

/**
 * Begins a transaction: bound to the browser by a cookie, to the provider, and to what it is for. With a
 * database its row holds nothing that could be used, only the hash of `state`; without one the cookie
 * holds everything, sealed.
 */
export async function beginTransaction(
  context: EndpointContext,
  client: OAuthClient,
  intent: Pick<Transaction, "callbackUrl" | "link">,
): Promise<TransactionSecrets> {
  const { settings } = context.store.auth;
  const begunAt = settings.now();
  const secret = createSecret();
  const secrets = await deriveSecrets(secret);
  const { state } = secrets;
  const payload = JSON.stringify({ ...intent, begunAt });
  const userId = intent.link?.userId ?? null;
  const begun = { state, payload, userId, begunAt, endsAt: begunAt + KEPT };
  const beside = await storeOf(settings).keep(begun, client, settings);
  const value = beside === null ? secret : `${secret}.${beside}`;
  writeTransactionCookie(context, client, { state, value, maxAge: KEPT / 1000 });
  return secrets;
}

/**
 * Ends a transaction: once, in the browser and for the provider that it began with, and in time.
 *
 * @param state What the provider's answer says.
 * @throws {OAuthError} `OAUTH_STATE_MISSING`, `OAUTH_STATE_UNKNOWN`, `OAUTH_STATE_FOREIGN` or
 * `OAUTH_STATE_EXPIRED`.
 */
export async function finishTransaction(
  context: EndpointContext,
  client: OAuthClient,
  state: string | null,
): Promise<Transaction & TransactionSecrets> {
  if (state === null) throw new OAuthError("OAUTH_STATE_MISSING");
  if (!isSecret(state)) throw new OAuthError("OAUTH_STATE_UNKNOWN");
  const { settings } = context.store.auth;
  const [secret = "", ...rest] = (takeTransactionCookie(context, client, state) ?? "").split(".");
  const secrets = await deriveSecrets(secret);
  const isOurs = constantTimeEqualText(secrets.state, state);
  const waiting = { state, isOurs, beside: rest.join(".") };
  const payload = await storeOf(settings).take(waiting, client, settings);
  const transaction = JSON.parse(payload) as Transaction;
  // Written so that a moment which is no number is too long ago.
  if (!(settings.now() - transaction.begunAt < LIFETIME)) {
    throw new OAuthError("OAUTH_STATE_EXPIRED");
  }
  return { ...transaction, ...secrets };
}

const OPEN_NAMES = /(?:^|;)[ \t]*(?:__Host-)?(framework\.oauth-[A-Za-z0-9_-]{12})=/g;

/** Each transaction has a cookie of its own, so that several tabs do not disturb each other. */
function cookieName(state: string): string {
  return `framework.oauth-${state.slice(0, 12)}`;
}

/** A provider that answers by POST makes a cross-site request, which sends no Lax cookie. */
function reachOf({ formPost }: OAuthClient): HostCookieReach {
  return formPost ? "none" : "lax";
}

/** Gives the browser the cookie of a transaction, and takes the oldest away when there are too many. */
function writeTransactionCookie(
  { store }: EndpointContext,
  client: OAuthClient,
  { state, value, maxAge }: { state: string; value: string; maxAge: number },
): void {
  const open = [...(store.request.headers.get("cookie") ?? "").matchAll(OPEN_NAMES)];
  // More than seven others nobody has open at once; of more the browser would send ever longer headers.
  for (const [, name] of open.slice(0, -7)) {
    writeHostCookie(store, { name: name!, value: "", maxAge: 0 }, reachOf(client));
  }
  writeHostCookie(store, { name: cookieName(state), value, maxAge }, reachOf(client));
}

/** Reads and deletes the transaction cookie; null when this browser has none. */
function takeTransactionCookie(
  { store }: EndpointContext,
  client: OAuthClient,
  state: string,
): string | null {
  const name = cookieName(state);
  const value = readHostCookie(store, name, reachOf(client));
  if (value !== null) writeHostCookie(store, { name, value: "", maxAge: 0 }, reachOf(client));
  return value;
}

const PURPOSE = "oauth";

/** Transactions in the database: each is taken once. */
const TRANSACTION_ROWS: TransactionStore = {
  async keep({ state, payload, userId, begunAt, endsAt }, { id }, { storage }) {
    await groupOf(storage, secretGroup).putSecret({
      purpose: PURPOSE,
      hash: await hashSecret(state),
      identifier: id,
      userId,
      payload,
      createdAt: begunAt,
      expiresAt: endsAt,
    });
    return null;
  },
  async take({ state, isOurs }, { id }, settings) {
    const secrets = groupOf(settings.storage, secretGroup);
    const hash = await hashSecret(state);
    const now = settings.now();
    const row = isOurs ? await secrets.takeSecret(PURPOSE, hash, { now, identifier: id }) : null;
    if (row !== null) return row.payload ?? "";
    const exists = await secrets.readSecret(PURPOSE, hash, now) !== null;
    throw new OAuthError(exists ? "OAUTH_STATE_FOREIGN" : "OAUTH_STATE_UNKNOWN");
  },
};

/** One of another provider, or of another state, does not open. */
function sealOptions(
  state: string,
  { id }: NamedProvider,
  secrets: readonly string[],
): SealOptions {
  return { secrets, purpose: "oauth-transaction", place: `${id} ${state}` };
}

/** Transactions in the browser, sealed. It is the provider that takes a code only once. */
export const SEALED_TRANSACTIONS: TransactionStore = {
  async keep({ state, payload }, client, { secrets }) {
    return await seal(payload, sealOptions(state, client, secrets));
  },
  async take({ state, isOurs, beside }, client, { secrets }) {
    if (!isOurs) throw new OAuthError("OAUTH_STATE_UNKNOWN");
    const opened = await unseal(beside, sealOptions(state, client, secrets));
    if (opened === null) throw new OAuthError("OAUTH_STATE_FOREIGN");
    return opened;
  },
};
