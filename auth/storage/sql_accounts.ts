import type { AccountRecord, AccountStorage } from "./account_storage.ts";
import {
  accountValues,
  type Check,
  isText,
  isTextOrNull,
  isTime,
  isTimeOrNull,
  type Row,
} from "./rows.ts";
import { isAccountTaken, isOwnerGone } from "./sql_errors.ts";
import { changesOf } from "./sql_executor.ts";
import type { SqlParts } from "./sql_parts.ts";
import { conditionValues } from "./sql_users.ts";
import { lockUser } from "./sql_ways_in.ts";
import { NEVER } from "./storage.ts";

/** The statements. Each is one wherever a race would matter. */
function writeStatements() {
  const columns = "provider, provider_account_id, user_id, type, access_token, refresh_token, " +
    "expires_at, token_type, scope, created_at, updated_at";
  // ?1 user, ?2 mailbox.
  const unproved =
    `id = ?1 AND email_identity = ?2 AND email_verified IS NULL AND disabled_at IS NULL`;
  return {
    /** ?1 provider, ?2 id there. */
    find: `SELECT ${columns} FROM accounts WHERE provider = ?1 AND provider_account_id = ?2`,
    /** ?1 user. */
    list: `SELECT ${columns} FROM accounts WHERE user_id = ?1
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
    /** Each with ?1 user, ?2 mailbox: what somebody who never proved it may come back by. */
    left: ["sessions", "accounts", "passkeys", "verifications"].map((table) =>
      `DELETE FROM ${table} WHERE user_id = ?1 AND EXISTS (SELECT 1 FROM users WHERE ${unproved})`
    ),
    /** ?1 user, ?2 mailbox, ?3 now, ?4 whether the credentials still count. */
    prove: `UPDATE users SET email_verified = ?3, updated_at = ?3,
  credentials_after = CASE WHEN ?4 = 1 THEN credentials_after ELSE ${NEVER} END
WHERE ${unproved} RETURNING id`,
    /** ?1 user, ?2 mailbox. */
    hasMailbox:
      "SELECT 1 AS found FROM users WHERE id = ?1 AND email_identity = ?2 AND disabled_at IS NULL",
  };
}

// Pure, so that a bundle which has no use for them leaves them out.
const text = /* @__PURE__ */ writeStatements();

const CHECKS: readonly Check[] = [
  ["provider", isText],
  ["provider_account_id", isText],
  ["user_id", isText],
  ["type", isText],
  ["access_token", isTextOrNull],
  ["refresh_token", isTextOrNull],
  ["expires_at", isTimeOrNull],
  ["token_type", isTextOrNull],
  ["scope", isTextOrNull],
  ["created_at", isTime],
  ["updated_at", isTime],
];

/** Makes the operations on accounts. */
export function createAccountOperations(parts: SqlParts): AccountStorage {
  const { executor: { prepare, batch, repeat, once }, reader, statements } = parts;

  function readAccount(row: Row | null): AccountRecord | null {
    if (row === null || !reader.holds(row, CHECKS)) return null;
    return {
      provider: row.provider as string,
      providerAccountId: row.provider_account_id as string,
      userId: row.user_id as string,
      type: row.type as AccountRecord["type"],
      accessToken: row.access_token as string | null,
      refreshToken: row.refresh_token as string | null,
      expiresAt: row.expires_at as number | null,
      tokenType: row.token_type as string | null,
      scope: row.scope as string | null,
      createdAt: row.created_at as number,
      updatedAt: row.updated_at as number,
    };
  }

  return {
    findAccount(provider, providerAccountId) {
      return repeat("find the account", async () => {
        return readAccount(await prepare(text.find).bind(provider, providerAccountId).first<Row>());
      });
    },
    linkAccount(account, options) {
      return once("link the account", async () => {
        try {
          const row = await prepare(statements.saveAccount)
            .bind(...accountValues(account), ...conditionValues(options)).first<Row>();
          if (row === null) return "absent";
          return row.created_at === row.updated_at ? "linked" : "updated";
        } catch (error) {
          if (isAccountTaken(error)) return "taken";
          if (isOwnerGone(error)) return "absent";
          throw error;
        }
      });
    },
    listAccounts(userId) {
      return repeat("list the accounts", async () => {
        const { results } = await prepare(text.list).bind(userId).all<Row>();
        return results.map(readAccount).filter((account) => account !== null);
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
    getUserByEmail(emailIdentity) {
      return repeat("find the user", async () => {
        const row = await prepare(statements.selectUserByEmail).bind(emailIdentity).first<Row>();
        return row === null ? null : reader.user(row);
      });
    },
    proveEmail(userId, { emailIdentity, at, keepOwn = false }) {
      return repeat("store the proof of the mailbox", async () => {
        const results = await batch([
          ...lockUser(parts, userId),
          ...keepOwn ? [] : text.left.map((sql) => prepare(sql).bind(userId, emailIdentity)),
          prepare(text.prove).bind(userId, emailIdentity, at, keepOwn ? 1 : 0),
          prepare(text.hasMailbox).bind(userId, emailIdentity),
        ]);
        if (results.at(-2)!.results.length > 0) return "proved";
        return results.at(-1)!.results.length > 0 ? "already" : "absent";
      });
    },
  };
}
