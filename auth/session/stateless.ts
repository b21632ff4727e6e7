import { SEALED_TRANSACTIONS } from "../oauth/sealed_transactions.ts";
import { signInUnknown } from "../oauth/sign_in_unknown.ts";
import { createMemoryRateLimits } from "../storage/memory_rate_limits.ts";
import { createNoStorage } from "../storage/no_storage.ts";
import type { Stateless } from "../http/contracts.ts";

/** See {@linkcode Stateless}. */
export const STATELESS: Stateless = {
  createStorage: createNoStorage,
  transactions: SEALED_TRANSACTIONS,
  signInByProvider: signInUnknown,
  createRateLimits: createMemoryRateLimits,
};
