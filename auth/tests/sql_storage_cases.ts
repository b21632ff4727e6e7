import type { SqlDatabase } from "../storage/sql_database.ts";
import { createSqlRevocationStore } from "../storage/revocations.ts";
import { createSqlStorage } from "../storage/sql.ts";
import { completeStorage } from "../../testing/storage/complete_storage.ts";
import { REVOCATION_CASES } from "../../testing/storage/revocation_cases.ts";
import { STORAGE_CASES } from "../../testing/storage/cases.ts";
import { allCases } from "../../testing/storage/suites.ts";
import { OUTBOX_PROOF_CASES } from "./outbox_proof_cases.ts";

/** Checks one behaviour over an empty SQL database. */
export type SqlCase = (database: SqlDatabase) => Promise<void>;

/** Every case of a storage and of a revocation store as work on an empty SQL database. */
export const SQL_STORAGE_CASES: Record<string, SqlCase> = allCases(
  OUTBOX_PROOF_CASES,
  Object.fromEntries(
    Object.entries(STORAGE_CASES).map(([name, check]): [string, SqlCase] => [
      name,
      (database) => check(completeStorage(createSqlStorage(database))),
    ]),
  ),
  Object.fromEntries(
    Object.entries(REVOCATION_CASES).map(([name, check]): [string, SqlCase] => [
      name,
      (database) => check(createSqlRevocationStore(database)),
    ]),
  ),
);
