import { ACCOUNT } from "./account_fields.ts";
import type { AccountStorage } from "./account_storage.ts";
import { columnsOf } from "./fields.ts";
import type { Row } from "./rows.ts";
import type { SqlParts } from "./sql_parts.ts";
import { firstUser } from "./sql_users.ts";
import { lockUser } from "./sql_ways_in.ts";
import { NEVER } from "./storage.ts";

/** The statements. Each is one wherever a race would matter. */
function writeStatements() {
  // ?1 user, ?2 mailbox.
  const holder = "id = ?1 AND email_identity = ?2 AND disabled_at IS NULL";
  const unproved = `${holder} AND email_verified IS NULL`;
  return {
    /** ?1 provider, ?2 id there. */
    find: `SELECT ${columnsOf(ACCOUNT)} FROM accounts
WHERE provider = ?1 AND provider_account_id = ?2`,
    /** Each with ?1 user, ?2 mailbox: what somebody who never proved it may come back by. */
    left: ["sessions", "accounts", "passkeys", "verifications"].map((table) =>
      `DELETE FROM ${table} WHERE user_id = ?1 AND EXISTS (SELECT 1 FROM users WHERE ${unproved})`
    ),
    /** ?1 user, ?2 mailbox, ?3 now, ?4 whether the credentials still count. */
    prove: `UPDATE users SET email_verified = ?3, updated_at = ?3,
  credentials_after = CASE WHEN ?4 = 1 THEN credentials_after ELSE ${NEVER} END
WHERE ${unproved} RETURNING id`,
    /** ?1 user, ?2 mailbox. */
    hasMailbox: `SELECT 1 AS found FROM users WHERE ${holder}`,
  };
}

// Pure, so that a bundle which has no use for them leaves them out.
const text = /* @__PURE__ */ writeStatements();

/** Makes the operations that a sign-in with an account needs. */
export function createAccountOperations(parts: SqlParts): AccountStorage {
  const { executor: { prepare, batch, repeat }, reader, statements } = parts;
  return {
    findAccount(provider, providerAccountId) {
      return repeat("find the account", async () => {
        const row = await prepare(text.find).bind(provider, providerAccountId).first<Row>();
        return reader.record(row, ACCOUNT);
      });
    },
    getUserByEmail(emailIdentity) {
      return repeat(
        "find the user",
        () => firstUser(parts, prepare(statements.selectUserByEmail).bind(emailIdentity)),
      );
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
