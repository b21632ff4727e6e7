import { OAuthError } from "../errors/oauth_errors.ts";
import { hashSecret } from "../one_time/secret.ts";
import { secretsOf } from "../storage/secrets_of.ts";
import type { TransactionStore } from "./contracts.ts";

const PURPOSE = "oauth";

/** Transactions in the database: each is taken once. */
export const TRANSACTION_ROWS: TransactionStore = {
  async keep({ state, payload, userId, begunAt, endsAt }, { id }, { storage }) {
    await secretsOf(storage).putSecret({
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
    const secrets = secretsOf(settings.storage);
    const hash = await hashSecret(state);
    const now = settings.now();
    const row = isOurs ? await secrets.takeSecret(PURPOSE, hash, { now, identifier: id }) : null;
    if (row !== null) return row.payload ?? "";
    const exists = await secrets.readSecret(PURPOSE, hash, now) !== null;
    throw new OAuthError(exists ? "OAUTH_STATE_FOREIGN" : "OAUTH_STATE_UNKNOWN");
  },
};
