import { ACCOUNT } from "./account_fields.ts";
import { columnsOf, valuesOf } from "./fields.ts";
import type { LinkedAccountStorage } from "./linked_account_storage.ts";
import type { Row } from "./rows.ts";
import { changesOf } from "./sql_executor.ts";
import type { SqlParts } from "./sql_parts.ts";
import { conditionValues } from "./sql_users.ts";
import { lockUser } from "./sql_ways_in.ts";

/** The statements. Each is one wherever a race would matter. */
function writeStatements() {
  return {
    /** ?1 user. */
    list: `SELECT ${columnsOf(ACCOUNT)} FROM accounts WHERE user_id = ?1
ORDER BY created_at, provider, provider_account_id`,
    /** ?1 provider, ?2 id there, ?3 user, ?4 whether another way in must remain. */
    unlink: `DELETE FROM accounts WHERE provider = ?1 AND provider_account_id = ?2
AND user_id = ?3 AND (?4 = 0 OR EXISTS (SELECT 1 FROM passkeys WHERE user_id = ?3)
  OR (SELECT count(*) FROM accounts AS others WHERE others.user_id = ?3) > 1)
RETURNING provider`,
    /** ?1 provider, ?2 id there, ?3 user. */
    isOwn: `SELECT 1 AS found FROM accounts
WHERE provider = ?1 AND provider_account_id = ?2 AND user_id = ?3`,
    /**
     * ?1 provider, ?2 id there, ?3 the updated_at that was read, ?4 now, ?5 access token, ?6 refresh token,
     * ?7 expires, ?8 token type, ?9 scope.
     */
    swap: `UPDATE accounts SET updated_at = ?4, access_token = ?5, refresh_token = ?6,
  expires_at = ?7, token_type = ?8, scope = ?9
WHERE provider = ?1 AND provider_account_id = ?2 AND updated_at = ?3`,
  };
}

// Pure, so that a bundle which has no use for them leaves them out.
const text = /* @__PURE__ */ writeStatements();

/** Makes the operations on the accounts of somebody who is signed in. */
export function createLinkedAccountOperations(parts: SqlParts): LinkedAccountStorage {
  const { executor: { prepare, batch, repeat, once, failureOf }, reader, statements } = parts;
  return {
    linkAccount(account, options) {
      return once("link the account", async () => {
        try {
          const row = await prepare(statements.saveAccount)
            .bind(...valuesOf(ACCOUNT, account), ...conditionValues(options)).first<Row>();
          if (row === null) return "absent";
          return row.created_at === row.updated_at ? "linked" : "updated";
        } catch (error) {
          const failure = failureOf(error);
          if (failure === "account-taken") return "taken";
          if (failure === "owner-gone") return "absent";
          throw error;
        }
      });
    },
    listAccounts(userId) {
      return repeat("list the accounts", async () => {
        const { results } = await prepare(text.list).bind(userId).all<Row>();
        return results.map((row) => reader.record(row, ACCOUNT))
          .filter((account) => account !== null);
      });
    },
    unlinkAccount(userId, provider, providerAccountId, { lastWayIn }) {
      return repeat("unlink the account", async () => {
        const key = [provider, providerAccountId, userId];
        const results = await batch([
          ...lockUser(parts, userId),
          prepare(text.unlink).bind(...key, lastWayIn ? 1 : 0),
          prepare(text.isOwn).bind(...key),
        ]);
        if (results.at(-2)!.results.length > 0) return "unlinked";
        return results.at(-1)!.results.length > 0 ? "last" : "absent";
      });
    },
    // Repeated when the answer is lost: a refresh token that is not stored may be the only one that works.
    swapAccountTokens(provider, providerAccountId, tokens) {
      const { from, at, accessToken, refreshToken, expiresAt, tokenType, scope } = tokens;
      return repeat("store the tokens of the account", async () => {
        const swapped = await prepare(text.swap).bind(
          provider,
          providerAccountId,
          from,
          Math.max(at, from + 1),
          accessToken,
          refreshToken,
          expiresAt,
          tokenType,
          scope,
        ).run();
        return changesOf(swapped) > 0;
      });
    },
  };
}
