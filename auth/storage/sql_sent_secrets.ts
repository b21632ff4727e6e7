import { columnsOf } from "./fields.ts";
import { SECRET } from "./secret_fields.ts";
import type { SentSecretStorage } from "./sent_secret_storage.ts";
import { changesOf } from "./sql_executor.ts";
import type { SqlParts } from "./sql_parts.ts";
import { firstSecret, storeSecret } from "./sql_secrets.ts";

/** The statements. Each is one wherever a race would matter. */
function writeStatements() {
  return {
    /** ?1 purpose, ?2 identifier, ?3 the hash that stays, ?4 how many stay beside it. */
    keep: `DELETE FROM verifications WHERE purpose = ?1 AND identifier = ?2 AND hash <> ?3
AND hash NOT IN (SELECT hash FROM verifications
  WHERE purpose = ?1 AND identifier = ?2 AND hash <> ?3 ORDER BY created_at DESC, hash LIMIT ?4)`,
    /** ?1 purpose, ?2 hash, ?3 now, ?4 how many. */
    count: `UPDATE verifications SET attempts = attempts + 1
WHERE purpose = ?1 AND hash = ?2 AND expires_at > ?3 AND attempts < ?4
RETURNING ${columnsOf(SECRET)}`,
    /** ?1 purpose, ?2 identifier. */
    drop: "DELETE FROM verifications WHERE purpose = ?1 AND identifier = ?2",
  };
}

// Pure, so that a bundle which has no use for them leaves them out.
const text = /* @__PURE__ */ writeStatements();

/** Makes the operations on the one-time secrets which are sent to somebody. */
export function createSentSecretOperations(parts: SqlParts): SentSecretStorage {
  const { executor: { prepare, batch, repeat, once }, dialect } = parts;
  return {
    putNewestSecret(secret, { keep }) {
      const { purpose, identifier, hash } = secret;
      return storeSecret(parts, secret, (insertion) =>
        batch([
          // Else two who store a secret about one thing at once would not see each other's, and both stay.
          ...dialect === undefined
            ? []
            : [prepare(dialect.lockText).bind(`${purpose} ${identifier}`)],
          insertion,
          prepare(text.keep).bind(purpose, identifier, hash, keep - 1),
        ]));
    },
    countAttempt(purpose, hash, { now, max }) {
      return once(
        "count the attempt",
        () => firstSecret(parts, prepare(text.count).bind(purpose, hash, now, max)),
      );
    },
    dropSecrets(purpose, identifier) {
      return repeat("remove the one-time secrets", async () => {
        return changesOf(await prepare(text.drop).bind(purpose, identifier).run());
      });
    },
  };
}
