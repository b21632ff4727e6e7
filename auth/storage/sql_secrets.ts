import { columnsOf, valuesOf } from "./fields.ts";
import type { Row } from "./rows.ts";
import { SECRET } from "./secret_fields.ts";
import {
  type SecretRecord,
  type SecretStorage,
  type StoredSecret,
  UNSENT,
} from "./secret_storage.ts";
import type { SqlStatement } from "./sql_database.ts";
import type { SqlParts } from "./sql_parts.ts";
import { inBackground, sweepRows, sweepText } from "./sql_sweep.ts";

// More than what can have been stored since the last sweep.
const SWEEP_ROWS = 500;

/** The statements. Each is one wherever a race would matter. */
function writeStatements() {
  const columns = columnsOf(SECRET);
  return {
    /** ?1 purpose, ?2 hash, ?3 identifier, ?4 user, ?5 payload, ?6 created, ?7 expires, ?8 attempts, ?9 sent to, ?10 session. */
    put: `INSERT INTO verifications (${columns}) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
WHERE CAST(?4 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM users WHERE id = ?4)
ON CONFLICT (purpose, hash) DO UPDATE SET identifier = excluded.identifier,
  user_id = excluded.user_id, payload = excluded.payload, attempts = excluded.attempts,
  created_at = excluded.created_at, expires_at = excluded.expires_at,
  sent_to = excluded.sent_to, session_id = excluded.session_id`,
    /** ?1 purpose, ?2 hash, ?3 now. */
    read: `SELECT ${columns} FROM verifications
WHERE purpose = ?1 AND hash = ?2 AND expires_at > ?3`,
    /** ?1 purpose, ?2 hash, ?3 now, ?4 identifier or null. */
    take: `DELETE FROM verifications WHERE purpose = ?1 AND hash = ?2 AND expires_at > ?3
AND (CAST(?4 AS TEXT) IS NULL OR identifier = ?4) RETURNING ${columns}`,
  };
}

// Pure, so that a bundle which has no use for them leaves them out.
const text = /* @__PURE__ */ writeStatements();

/** The secret that a statement gives back. */
export async function firstSecret(
  { reader }: Pick<SqlParts, "reader">,
  statement: SqlStatement,
): Promise<StoredSecret | null> {
  return reader.record(await statement.first<Row>(), SECRET);
}

/** Stores a secret. Twice is once: nobody has been told it before this is done. */
export function storeSecret(
  { executor, dialect }: SqlParts,
  secret: SecretRecord,
  run: (insertion: SqlStatement) => Promise<unknown>,
): Promise<void> {
  const { prepare, repeat, failureOf } = executor;
  const { createdAt: now } = secret;
  // One in a hundred. Not left to sign-ins: what is begun and never ended, as by a robot, has none.
  if (now % 100 === 7) {
    const sql = sweepText("verifications", dialect);
    inBackground(sweepRows(executor, sql, { now, limit: SWEEP_ROWS }));
  }
  return repeat("store the one-time secret", async () => {
    try {
      await run(prepare(text.put).bind(...valuesOf(SECRET, { ...UNSENT, ...secret, attempts: 0 })));
    } catch (error) {
      if (failureOf(error) !== "owner-gone") throw error;
    }
  });
}

/** Makes the operations on one-time secrets. */
export function createSecretOperations(parts: SqlParts): SecretStorage {
  const { prepare, repeat, once } = parts.executor;
  return {
    putSecret(secret) {
      return storeSecret(parts, secret, (insertion) => insertion.run());
    },
    readSecret(purpose, hash, now) {
      return repeat(
        "read the one-time secret",
        () => firstSecret(parts, prepare(text.read).bind(purpose, hash, now)),
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
        () => firstSecret(parts, prepare(text.take).bind(purpose, hash, now, identifier)),
      );
    },
  };
}
