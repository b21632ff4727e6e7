import type { EndpointContext } from "../http/endpoint.ts";
import type { ProvenAtProvider } from "../oauth/finish_sign_in.ts";
import { SEALED_TRANSACTIONS } from "../oauth/sealed_transactions.ts";
import { signInUnknown } from "../oauth/sign_in_unknown.ts";
import type { TransactionStore } from "../oauth/transaction.ts";
import type { RateLimitStorage } from "../rate_limit/rate_limit_storage.ts";
import { createMemoryRateLimits } from "../storage/memory_rate_limits.ts";
import { createNoStorage } from "../storage/no_storage.ts";
import type { Storage } from "../storage/storage.ts";

/** What stands in for a database where there is none. It comes with sessions that need none. */
export interface Stateless {
  /** Says what needs a database when it is asked for. */
  createStorage(): Storage;
  /** Sign-ins that are under way at a provider. */
  transactions: TransactionStore;
  /** Signs in whom a provider has identified. */
  signInByProvider(context: EndpointContext, proven: ProvenAtProvider): Promise<Response>;
  /** Counts in this process. */
  createRateLimits(): RateLimitStorage;
}

/** See {@linkcode Stateless}. */
export const STATELESS: Stateless = {
  createStorage: createNoStorage,
  transactions: SEALED_TRANSACTIONS,
  signInByProvider: signInUnknown,
  createRateLimits: createMemoryRateLimits,
};
