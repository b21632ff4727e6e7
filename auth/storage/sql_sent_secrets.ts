import { columnsOf } from "./fields.ts";
import { SECRET } from "./secret_fields.ts";
import type { SentSecretStorage } from "./sent_secret_storage.ts";
import type { Row } from "./rows.ts";
import type { SqlResult } from "./sql_database.ts";
import type { SqlParts } from "./sql_parts.ts";
import { writeProof } from "./sql_proof.ts";
import { firstSecret, storeSecret } from "./sql_secrets.ts";
import { lockUser } from "./sql_ways_in.ts";

/** The statements. Each is one wherever a race would matter. */
function writeStatements() {
  const live = "WHERE purpose = ?1 AND hash = ?2 AND expires_at > ?3";
  return {
    /** ?1 purpose, ?2 identifier, ?3 the hash that stays, ?4 how many stay beside it. */
    keep: `DELETE FROM verifications WHERE purpose = ?1 AND identifier = ?2 AND hash <> ?3
AND hash NOT IN (SELECT hash FROM verifications
  WHERE purpose = ?1 AND identifier = ?2 AND hash <> ?3 ORDER BY created_at DESC, hash LIMIT ?4)`,
    /** ?1 purpose, ?2 hash, ?3 now, ?4 how many. */
    count: `UPDATE verifications SET attempts = attempts + 1
WHERE purpose = ?1 AND hash = ?2 AND expires_at > ?3 AND attempts < ?4
RETURNING ${columnsOf(SECRET)}`,
    /** With ?4 purpose and ?5 hash of the secret that must hold. */
    ...writeProof(
      " AND EXISTS (SELECT 1 FROM verifications WHERE purpose = ?4 AND hash = ?5 AND expires_at > ?3)",
      " AND NOT (purpose = ?4 AND hash = ?5)",
    ),
    /** ?1 purpose and ?2 hash of the secret that must hold, ?3 now, ?4 identifier, ?5 purpose of what ends. */
    end: `DELETE FROM verifications WHERE purpose = ?5 AND identifier = ?4
AND NOT (purpose = ?1 AND hash = ?2) AND EXISTS (SELECT 1 FROM verifications AS redeemed
  WHERE redeemed.purpose = ?1 AND redeemed.hash = ?2 AND redeemed.expires_at > ?3)`,
    /** ?1 user. */
    mailbox: "SELECT email_identity FROM users WHERE id = ?1 AND disabled_at IS NULL",
    /** ?1 purpose, ?2 hash, ?3 now. */
    take: `DELETE FROM verifications ${live} RETURNING hash`,
    /** ?1 purpose, ?2 hash, ?3 now, ?4 purpose of a used one. */
    use: `UPDATE verifications SET purpose = ?4, payload = NULL ${live} RETURNING hash`,
  };
}

// Pure, so that a bundle which has no use for them leaves them out.
const text = /* @__PURE__ */ writeStatements();

/** Makes the operations on the one-time secrets which are sent to somebody. */
export function createSentSecretOperations(parts: SqlParts): SentSecretStorage {
  const { executor: { prepare, batch, once }, dialect } = parts;
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
    // Not repeated when the answer is lost, as when a secret is taken.
    redeemSecret({ purpose, hash, identifier }, options) {
      const { now, userId, emailIdentity, keepOwn = false, ends, usedAs } = options;
      const own = [purpose, hash, now];
      const proof = userId === null || emailIdentity === null
        ? []
        : [...keepOwn ? [text.proveKeeping] : [...text.ends, text.prove]]
          .map((sql) => prepare(sql).bind(userId, emailIdentity, now, purpose, hash));
      return once("redeem the one-time secret", async () => {
        const results = await batch([
          ...userId === null ? [] : lockUser(parts, userId),
          ...proof,
          ...ends.map((ended) => prepare(text.end).bind(...own, identifier, ended)),
          prepare(text.mailbox).bind(userId),
          usedAs === undefined
            ? prepare(text.take).bind(...own)
            : prepare(text.use).bind(...own, usedAs),
        ]);
        const rowOf = (result: SqlResult | undefined) => result?.results[0] as Row | undefined;
        const holder = rowOf(results.at(-2));
        if (rowOf(results.at(-1)) === undefined) return "absent";
        if (userId !== null && holder === undefined) return "absent";
        if (proof.length === 0 || holder?.email_identity !== emailIdentity) return "redeemed";
        const proved = results.at(-3 - ends.length);
        return rowOf(proved) === undefined ? "already" : "proved";
      });
    },
  };
}
