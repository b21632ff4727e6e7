import { ACCOUNT } from "./account_fields.ts";
import type { AccountStorage } from "./account_storage.ts";
import { columnsOf } from "./fields.ts";
import type { Row } from "./rows.ts";
import type { SqlParts } from "./sql_parts.ts";
import { firstUser } from "./sql_users.ts";
import { HOLDER, writeProof } from "./sql_proof.ts";
import { lockUser } from "./sql_ways_in.ts";

/** The statements. Each is one wherever a race would matter. */
function writeStatements() {
  return {
    /** ?1 provider, ?2 id there. */
    find: `SELECT ${columnsOf(ACCOUNT)} FROM accounts
WHERE provider = ?1 AND provider_account_id = ?2`,
    ...writeProof(),
    /** ?1 user, ?2 mailbox. */
    hasMailbox: `SELECT 1 AS found FROM users WHERE ${HOLDER}`,
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
          ...keepOwn ? [] : text.ends.map((sql) => prepare(sql).bind(userId, emailIdentity)),
          prepare(keepOwn ? text.proveKeeping : text.prove).bind(userId, emailIdentity, at),
          prepare(text.hasMailbox).bind(userId, emailIdentity),
        ]);
        if (results.at(-2)!.results.length > 0) return "proved";
        return results.at(-1)!.results.length > 0 ? "already" : "absent";
      });
    },
  };
}
