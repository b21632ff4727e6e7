/**
 * Values that are sealed with the application's secret: port, SQL and accessor.
 *
 * @module
 */

import type { SqlParts, StorageGroup } from "./group.ts";
import type { Row } from "./rows.ts";
import type { SqlStatement } from "./sql_database.ts";
import { changesOf } from "./sql_executor.ts";

/** Sealed secret of a second factor. */
export interface SealedFactor {
  /** Id of the user. */
  userId: string;
  /** Sealed secret; "" for one that is no text. */
  secret: string;
}

/** Account at a provider, by its key. */
export interface SealedTokensKey {
  /** Id of the provider. */
  provider: string;
  /** User's id there. */
  providerAccountId: string;
}

/** Sealed tokens of an account at a provider. */
export interface SealedTokens extends SealedTokensKey {
  /** Id of the user. */
  userId: string;
  /** Sealed access token; null for none, "" for one that is no text. */
  accessToken: string | null;
  /** Sealed refresh token, as the access token. */
  refreshToken: string | null;
  /** Version of the row, which every writer of it moves. */
  updatedAt: number;
}

/** A sealed secret in the place of another. */
export interface SwapFactorSecretOptions {
  /** Secret that was read, as it was sealed. */
  from: string;
  /** The same secret, sealed anew. */
  to: string;
}

/** Sealed tokens in the place of others. */
export interface SwapSealedTokensOptions
  extends Pick<SealedTokens, "accessToken" | "refreshToken"> {
  /** `updatedAt` that was read. */
  from: number;
}

/**
 * Operations on sealed values, for `resealSecrets()`. A page is read by the primary key, however many rows there are, and
 * has every row, also one whose values cannot be read.
 */
export interface SealedStorage {
  /** Reads the next sealed secrets of second factors in the order of their users' ids, after one; "" at first. Safe to repeat. */
  pageFactorSecrets(after: string, limit: number): Promise<SealedFactor[]>;
  /**
   * Puts a sealed secret in the place of the one that was read, and nothing else: recovery codes, tries and trusted browsers
   * stay. False when there is another by now, or none. Safe to repeat: the second call changes nothing and says false.
   */
  swapFactorSecret(userId: string, secrets: SwapFactorSecretOptions): Promise<boolean>;
  /**
   * Reads the next accounts with their tokens in the order of providers and ids there, also those without tokens, after one;
   * with two times "" at first. Safe to repeat.
   */
  pageSealedTokens(after: SealedTokensKey, limit: number): Promise<SealedTokens[]>;
  /**
   * Writes the two tokens as they are given, and nothing else, where `updatedAt` is the one that was read; it becomes one
   * more. False when the account was written meanwhile, or is gone. Safe to repeat: the second call changes nothing and
   * says false.
   */
  swapSealedTokens(key: SealedTokensKey, tokens: SwapSealedTokensOptions): Promise<boolean>;
}

/** The statements. The condition of a write stands in the write. */
function writeStatements() {
  const tokens =
    "SELECT provider, provider_account_id, user_id, access_token, refresh_token, updated_at FROM accounts";
  return {
    /** ?1 user before, ?2 limit. */
    factors: `SELECT user_id, secret FROM second_factors WHERE user_id > ?1
ORDER BY user_id LIMIT ?2`,
    /** ?1 user, ?2 secret that was read, ?3 new one. */
    swapFactor: "UPDATE second_factors SET secret = ?3 WHERE user_id = ?1 AND secret = ?2",
    /** ?1 provider and ?2 id there of the account before, ?3 limit. A comparison of pairs has no index everywhere. */
    sameProvider: `${tokens} WHERE provider = ?1 AND provider_account_id > ?2
ORDER BY provider_account_id LIMIT ?3`,
    /** ?1 provider before, ?2 limit. */
    laterProviders: `${tokens} WHERE provider > ?1 ORDER BY provider, provider_account_id LIMIT ?2`,
    /** ?1 provider, ?2 id there, ?3 updated_at that was read, ?4 access token, ?5 refresh token. */
    swapTokens:
      `UPDATE accounts SET access_token = ?4, refresh_token = ?5, updated_at = updated_at + 1
WHERE provider = ?1 AND provider_account_id = ?2 AND updated_at = ?3`,
  };
}

// What is no text was sealed by nobody. It is told of, and not left out of a page, which would end early.
function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function readTokens(row: Row): SealedTokens {
  const { access_token: access, refresh_token: refresh } = row;
  return {
    provider: textOf(row.provider),
    providerAccountId: textOf(row.provider_account_id),
    userId: textOf(row.user_id),
    accessToken: access === null ? null : textOf(access),
    refreshToken: refresh === null ? null : textOf(refresh),
    updatedAt: Number(row.updated_at),
  };
}

/** Makes the operations on sealed values. */
function createSealedOperations({ executor: { prepare, repeat } }: SqlParts): SealedStorage {
  const text = writeStatements();
  const rowsOf = async (statement: SqlStatement) => (await statement.all<Row>()).results;

  return {
    pageFactorSecrets(after, limit) {
      return repeat("read the second factors", async () => {
        const rows = await rowsOf(prepare(text.factors).bind(after, limit));
        return rows.map(({ user_id: userId, secret }) => ({
          userId: textOf(userId),
          secret: textOf(secret),
        }));
      });
    },
    swapFactorSecret(userId, { from, to }) {
      return repeat("seal the second factor anew", async () => {
        return changesOf(await prepare(text.swapFactor).bind(userId, from, to).run()) > 0;
      });
    },
    pageSealedTokens({ provider, providerAccountId }, limit) {
      return repeat("read the tokens of accounts", async () => {
        const same = prepare(text.sameProvider).bind(provider, providerAccountId, limit);
        const rows = provider === "" ? [] : await rowsOf(same);
        const left = limit - rows.length;
        if (left > 0) rows.push(...await rowsOf(prepare(text.laterProviders).bind(provider, left)));
        return rows.map(readTokens);
      });
    },
    swapSealedTokens({ provider, providerAccountId }, { from, accessToken, refreshToken }) {
      return repeat("seal the tokens of the account anew", async () => {
        const swapped = await prepare(text.swapTokens)
          .bind(provider, providerAccountId, from, accessToken, refreshToken).run();
        return changesOf(swapped) > 0;
      });
    },
  };
}

/**
 * Group of operations on values that are sealed with the application's secret, for `groupOf()`.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, groupOf, sealedGroup } from "@framework/auth/storage";
 * import { deepEqual } from "node:assert/strict";
 *
 * const sealed = groupOf(createMemoryStorage(), sealedGroup);
 * deepEqual(await sealed.pageFactorSecrets("", 100), []);
 * ```
 */
export const sealedGroup: StorageGroup<SealedStorage> = {
  name: "sealed",
  sql: createSealedOperations,
};
