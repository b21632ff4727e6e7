import { constantTimeEqualText } from "../crypto/constant_time.ts";
import { seal, type SealOptions, unseal } from "../crypto/seal.ts";
import { OAuthError } from "../errors/oauth_errors.ts";
import type { EndpointContext } from "../http/endpoint.ts";
import { createSecret, hashSecret, isSecret } from "../one_time/secret.ts";
import { secretsOf } from "../storage/secrets_of.ts";
import type { OAuthClient } from "./oauth_client.ts";
import { takeTransactionCookie, writeTransactionCookie } from "./transaction_cookie.ts";

/** For whom an account is to be linked. */
export interface LinkIntent {
  /** The user who asked for it. */
  userId: string;
  /** The public id of the session in which they did. */
  sessionId: string;
}

/** A sign-in that is under way at a provider. */
export interface Transaction {
  /** Where the visitor asked to go. */
  callbackUrl: string | null;
  /** For a signed-in user who links an account; null for a sign-in. */
  link: LinkIntent | null;
  /** When it began, in milliseconds since 1970. */
  begunAt: number;
}

/** What a transaction proves itself with. All of it follows from the secret that only the browser has. */
export interface TransactionSecrets {
  /** Comes back with the provider's answer. */
  state: string;
  /** Proves to the provider who began (RFC 7636). Only its hash is sent at the start. */
  verifier: string;
  /** Comes back in the ID token. */
  nonce: string;
}

const PURPOSE = "oauth";
const LIFETIME = 10 * 60 * 1000;
// What has ended is kept as long again, to say that it has ended.
const KEPT = 2 * LIFETIME;

function deriveSecrets(secret: string): TransactionSecrets {
  return {
    state: hashSecret(`state.${secret}`),
    verifier: hashSecret(`verifier.${secret}`),
    nonce: hashSecret(`nonce.${secret}`),
  };
}

function sealOptions(context: EndpointContext, { id }: OAuthClient, state: string): SealOptions {
  const { secrets } = context.store.auth.settings;
  return { secrets, purpose: "oauth-transaction", place: `${id} ${state}` };
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
  const secrets = deriveSecrets(secret);
  const { state } = secrets;
  const payload = JSON.stringify({ ...intent, begunAt });
  let value = secret;
  if (settings.hasDatabase) {
    await secretsOf(settings.storage).putSecret({
      purpose: PURPOSE,
      hash: hashSecret(state),
      identifier: client.id,
      userId: intent.link?.userId ?? null,
      payload,
      createdAt: begunAt,
      expiresAt: begunAt + KEPT,
    });
  } else {
    value = `${secret}.${await seal(payload, sealOptions(context, client, state))}`;
  }
  writeTransactionCookie(context, client, { state, value, maxAge: KEPT / 1000 });
  return secrets;
}

async function takeRow(
  context: EndpointContext,
  client: OAuthClient,
  { state, isOurs }: { state: string; isOurs: boolean },
): Promise<string> {
  const { settings } = context.store.auth;
  const storage = secretsOf(settings.storage);
  const hash = hashSecret(state);
  const now = settings.now();
  const row = isOurs
    ? await storage.takeSecret(PURPOSE, hash, { now, identifier: client.id })
    : null;
  if (row !== null) return row.payload ?? "";
  const exists = await storage.readSecret(PURPOSE, hash, now) !== null;
  throw new OAuthError(exists ? "OAUTH_STATE_FOREIGN" : "OAUTH_STATE_UNKNOWN");
}

async function openCookie(
  context: EndpointContext,
  client: OAuthClient,
  { state, sealed }: { state: string; sealed: string },
): Promise<string> {
  const opened = await unseal(sealed, sealOptions(context, client, state));
  // One of another provider does not open.
  if (opened === null) throw new OAuthError("OAUTH_STATE_FOREIGN");
  return opened;
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
  const { hasDatabase, now } = context.store.auth.settings;
  const [secret = "", ...rest] = (takeTransactionCookie(context, client, state) ?? "").split(".");
  const secrets = deriveSecrets(secret);
  const isOurs = constantTimeEqualText(secrets.state, state);
  if (!hasDatabase && !isOurs) throw new OAuthError("OAUTH_STATE_UNKNOWN");
  const payload = hasDatabase
    ? await takeRow(context, client, { state, isOurs })
    : await openCookie(context, client, { state, sealed: rest.join(".") });
  const transaction = JSON.parse(payload) as Transaction;
  // Written so that a moment which is no number is too long ago.
  if (!(now() - transaction.begunAt < LIFETIME)) throw new OAuthError("OAUTH_STATE_EXPIRED");
  return { ...transaction, ...secrets };
}
