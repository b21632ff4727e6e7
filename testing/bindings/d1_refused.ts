import type { ScannedSql } from "./d1_sql.ts";

// D1 runs inside of a Durable Object's SQLite, whose own texts these are.
const TRANSACTION = "To execute a transaction, please use the state.storage.transaction() or " +
  "state.storage.transactionSync() APIs instead of the SQL BEGIN TRANSACTION or SAVEPOINT " +
  "statements. The JavaScript API is safer because it will automatically roll back on " +
  "exceptions, and because it interacts correctly with Durable Objects' automatic atomic write " +
  "coalescing.";
const NOT_AUTHORIZED = "not authorized: SQLITE_AUTH";

const TRANSACTION_WORDS = new Set(["BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE"]);

const ALLOWED_PRAGMAS = new Set([
  "CASE_SENSITIVE_LIKE",
  "DATA_VERSION",
  "DEFER_FOREIGN_KEYS",
  "FOREIGN_KEYS",
  "FOREIGN_KEY_CHECK",
  "FOREIGN_KEY_LIST",
  "IGNORE_CHECK_CONSTRAINTS",
  "INDEX_INFO",
  "INDEX_LIST",
  "INDEX_XINFO",
  "LEGACY_ALTER_TABLE",
  "OPTIMIZE",
  "QUICK_CHECK",
  "RECURSIVE_TRIGGERS",
  "REVERSE_UNORDERED_SELECTS",
  "TABLE_INFO",
  "TABLE_LIST",
  "TABLE_XINFO",
]);

/** The message with which D1 refuses a statement, or null for one that it runs. */
export function refusal(scanned: ScannedSql): string | null {
  const words = scanned.keywords.filter((word) => !["EXPLAIN", "QUERY", "PLAN"].includes(word));
  const [first = "", second = "", third = ""] = words;
  if (TRANSACTION_WORDS.has(first)) return TRANSACTION;
  if (first === "ATTACH" || first === "DETACH") return NOT_AUTHORIZED;
  if (first === "CREATE" && (second === "TEMP" || second === "TEMPORARY")) return NOT_AUTHORIZED;
  if (first === "PRAGMA") {
    const name = second === "MAIN" || second === "TEMP" ? third : second;
    return ALLOWED_PRAGMAS.has(name) ? null : NOT_AUTHORIZED;
  }
  return null;
}
