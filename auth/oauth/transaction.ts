import { constantTimeEqualText } from "../crypto/constant_time.ts";
import { OAuthError } from "../errors/oauth_errors.ts";
import { createSecret, hashSecret, isSecret } from "../one_time/secret.ts";
import { statelessOf } from "../session/stateless_of.ts";
import type { OAuthClient } from "./oauth_client.ts";
import { takeTransactionCookie, writeTransactionCookie } from "./transaction_cookie.ts";
import { TRANSACTION_ROWS } from "./transaction_rows.ts";
import type { Transaction, TransactionStore } from "./contracts.ts";
import type { EndpointContext, Settings } from "../http/contracts.ts";

/** What a transaction proves itself with. All of it follows from the secret that only the browser has. */
export interface TransactionSecrets {
  /** Comes back with the provider's answer. */
  state: string;
  /** Proves to the provider who began (RFC 7636). Only its hash is sent at the start. */
  verifier: string;
  /** Comes back in the ID token. */
  nonce: string;
}

const LIFETIME = 10 * 60 * 1000;
// What has ended is kept as long again, to say that it has ended.
const KEPT = 2 * LIFETIME;

function storeOf(settings: Settings): TransactionStore {
  return settings.hasDatabase ? TRANSACTION_ROWS : statelessOf(settings).transactions;
}

async function deriveSecrets(secret: string): Promise<TransactionSecrets> {
  return {
    state: await hashSecret(`state.${secret}`),
    verifier: await hashSecret(`verifier.${secret}`),
    nonce: await hashSecret(`nonce.${secret}`),
  };
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
