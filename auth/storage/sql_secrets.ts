import { type Check, isText, isTextOrNull, isTime, type Row } from "./rows.ts";
import type { SecretStorage, StoredSecret } from "./secret_storage.ts";
import type { SqlStatement } from "./sql_database.ts";
import { isOwnerGone } from "./sql_errors.ts";
import { changesOf } from "./sql_executor.ts";
import type { SqlParts } from "./sql_parts.ts";
import { SWEEP_SECRETS } from "./sql_text.ts";

// More than what can have been stored since the last sweep.
const SWEEP_ROWS = 500;

/** The statements. Each is one wherever a race would matter. */
function writeStatements() {
  const columns = "purpose, hash, identifier, user_id, payload, attempts, created_at, expires_at";
  return {
    /** ?1 purpose, ?2 hash, ?3 identifier, ?4 user, ?5 payload, ?6 created, ?7 expires. */
    put: `INSERT INTO verifications
  (purpose, hash, identifier, user_id, payload, attempts, created_at, expires_at)
SELECT ?1, ?2, ?3, ?4, ?5, 0, ?6, ?7
WHERE CAST(?4 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM users WHERE id = ?4)
ON CONFLICT (purpose, hash) DO UPDATE SET identifier = excluded.identifier,
  user_id = excluded.user_id, payload = excluded.payload, attempts = 0,
  created_at = excluded.created_at, expires_at = excluded.expires_at`,
    /** ?1 purpose, ?2 identifier, ?3 the hash that stays, ?4 how many stay beside it. */
    keep: `DELETE FROM verifications WHERE purpose = ?1 AND identifier = ?2 AND hash <> ?3
AND hash NOT IN (SELECT hash FROM verifications
  WHERE purpose = ?1 AND identifier = ?2 AND hash <> ?3 ORDER BY created_at DESC, hash LIMIT ?4)`,
    /**
     * ?1 what is locked. Two who store a secret about one thing at once do not see each other's in PostgreSQL,
     * and both would stay; SQLite has one writer at a time.
     */
    lock: "SELECT pg_advisory_xact_lock(hashtextextended(?1, 0))",
    /** ?1 purpose, ?2 hash, ?3 now. */
    read: `SELECT ${columns} FROM verifications
WHERE purpose = ?1 AND hash = ?2 AND expires_at > ?3`,
    /** ?1 purpose, ?2 hash, ?3 now, ?4 identifier or null. */
    take: `DELETE FROM verifications WHERE purpose = ?1 AND hash = ?2 AND expires_at > ?3
AND (CAST(?4 AS TEXT) IS NULL OR identifier = ?4) RETURNING ${columns}`,
    /** ?1 purpose, ?2 hash, ?3 now, ?4 how many. */
    count: `UPDATE verifications SET attempts = attempts + 1
WHERE purpose = ?1 AND hash = ?2 AND expires_at > ?3 AND attempts < ?4 RETURNING ${columns}`,
    /** ?1 purpose, ?2 identifier. */
    drop: "DELETE FROM verifications WHERE purpose = ?1 AND identifier = ?2",
  };
}

// Pure, so that a bundle which has no use for them leaves them out.
const text = /* @__PURE__ */ writeStatements();

const CHECKS: readonly Check[] = [
  ["purpose", isText],
  ["hash", isText],
  ["identifier", isTextOrNull],
  ["user_id", isTextOrNull],
  ["payload", isTextOrNull],
  ["attempts", isTime],
  ["created_at", isTime],
  ["expires_at", isTime],
];

/** Makes the operations on one-time secrets. */
export function createSecretOperations({ executor, reader, dialect }: SqlParts): SecretStorage {
  const { prepare, batch, repeat, once } = executor;

  async function firstSecret(statement: SqlStatement): Promise<StoredSecret | null> {
    const row = await statement.first<Row>();
    if (row === null || !reader.holds(row, CHECKS)) return null;
    return {
      purpose: row.purpose as string,
      hash: row.hash as string,
      identifier: row.identifier as string | null,
      userId: row.user_id as string | null,
      payload: row.payload as string | null,
      attempts: row.attempts as number,
      createdAt: row.created_at as number,
      expiresAt: row.expires_at as number,
    };
  }

  return {
    // Twice is once: nobody has been told the secret before this is done.
    putSecret(secret, { keep } = {}) {
      const { purpose, hash, identifier, userId, payload, createdAt, expiresAt } = secret;
      return repeat("store the one-time secret", async () => {
        // One in a hundred. Not left to sign-ins: what is begun and never ended, as by a robot, has none.
        if (createdAt % 100 === 7) {
          await prepare(SWEEP_SECRETS).bind(createdAt, SWEEP_ROWS).run();
        }
        const insertion = prepare(text.put)
          .bind(purpose, hash, identifier, userId, payload, createdAt, expiresAt);
        try {
          if (keep === undefined || identifier === null) await insertion.run();
          else {
            await batch([
              ...dialect === "postgres"
                ? [prepare(text.lock).bind(`${purpose} ${identifier}`)]
                : [],
              insertion,
              prepare(text.keep).bind(purpose, identifier, hash, keep - 1),
            ]);
          }
        } catch (error) {
          if (!isOwnerGone(error)) throw error;
        }
      });
    },
    readSecret(purpose, hash, now) {
      return repeat(
        "read the one-time secret",
        () => firstSecret(prepare(text.read).bind(purpose, hash, now)),
      );
    },
    // Not repeated when the answer is lost: who asks a second time finds nothing, which must stay true.
    takeSecret(
      purpose,
      hash,
      { now, identifier = null }: { now: number; identifier?: string | null },
    ) {
      return once(
        "take the one-time secret",
        () => firstSecret(prepare(text.take).bind(purpose, hash, now, identifier)),
      );
    },
    countAttempt(purpose, hash, { now, max }) {
      return once(
        "count the attempt",
        () => firstSecret(prepare(text.count).bind(purpose, hash, now, max)),
      );
    },
    dropSecrets(purpose, identifier) {
      return repeat("remove the one-time secrets", async () => {
        return changesOf(await prepare(text.drop).bind(purpose, identifier).run());
      });
    },
  };
}
