import { seal, type SealOptions, unseal } from "../crypto/seal.ts";
import { OAuthError } from "../errors/oauth_errors.ts";
import type { NamedProvider, TransactionStore } from "./contracts.ts";

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
