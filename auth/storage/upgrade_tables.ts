import { authSchema, type SchemaStep } from "./schema.ts";
import { type SchemaMarker, SELECT_MARKER } from "./schema_version.ts";
import type { SqlDatabase } from "./sql_database.ts";
import { sqliteFailureOf, storageError } from "./sql_errors.ts";

/** What {@linkcode upgradeTables} found and did. */
export interface UpgradedTables {
  /** Version of the tables before; null when there were none. */
  from: number | null;
  /** Version of the tables now; a later one than the library's own when a later library made them. */
  to: number;
}

const TRIES = 10;

// A step that everybody waits for in vain, or is done by somebody else, is over in a moment.
const PAUSE = 200;

const statementsOf = (sql: string): string[] =>
  sql.split(/;\s*(?:\n|$)/).filter((one) => one.trim());

/**
 * Makes the tables of the library where there are none, and brings older ones to the present version, each step
 * in one transaction. The release before works with them meanwhile and afterwards, so call it before the
 * new one serves, or at its start: it may be called by several processes at once, again, and after a crash.
 *
 * On PostgreSQL an index of many rows keeps writes waiting; make it before, see the documentation of the step
 * (`postgresSchema.steps`), with `CREATE INDEX CONCURRENTLY IF NOT EXISTS`.
 *
 * @param database A D1 binding, or an adapter with its shape for SQLite or PostgreSQL.
 * @throws {StorageUnavailableError} When the database does not answer; nothing is half done.
 *
 * @example
 * ```ts
 * import { upgradeTables } from "@framework/auth/storage";
 * import { createSqliteDatabase } from "@framework/auth/storage-sqlite";
 * import { deepEqual } from "node:assert/strict";
 * import { DatabaseSync } from "node:sqlite";
 *
 * using file = new DatabaseSync(":memory:"); // or a path
 * const database = createSqliteDatabase(file);
 * deepEqual(await upgradeTables(database), { from: null, to: 2 });
 * deepEqual(await upgradeTables(database), { from: 2, to: 2 });
 * ```
 */
export async function upgradeTables(database: SqlDatabase): Promise<UpgradedTables> {
  const { dialect } = database;
  const schema = dialect?.tables ?? authSchema;
  const failureOf = dialect?.failureOf ?? sqliteFailureOf;

  async function readVersion(): Promise<number | null> {
    try {
      const marker = await database.prepare(SELECT_MARKER).first<SchemaMarker>();
      return marker === null ? null : Number(marker.version);
    } catch (error) {
      if (failureOf(error) === "tables-missing") return null;
      throw error;
    }
  }

  /** All of a step or nothing, and nothing when somebody else has done it. */
  async function run(version: number | null, { up }: Pick<SchemaStep, "up">): Promise<void> {
    const first = dialect === undefined ? [] : [
      ...dialect.beforeStep ?? [],
    ].map((sql) => database.prepare(sql)).concat(
      database.prepare(dialect.lockText).bind("framework.auth tables"),
    );
    // A second row with a version that is there breaks the key of the table: another one than was read.
    const guard = version === null ? [] : [
      database.prepare(
        "INSERT INTO auth_schema (version) SELECT version FROM auth_schema WHERE version <> ?1",
      ).bind(version),
    ];
    const statements = statementsOf(up).map((sql) => database.prepare(sql));
    await database.batch([...first, ...guard, ...statements], { statementTimeout: 0 });
  }

  let from: number | null | undefined;
  for (let tries = 0;; tries++) {
    let version: number | null | undefined;
    try {
      version = await readVersion();
      if (from === undefined) from = version;
      if (version === null) await run(null, schema);
      else {
        const step = schema.steps.find((one) => one.version > version!);
        if (step === undefined) return { from, to: version };
        await run(version, step);
      }
      tries = 0;
    } catch (error) {
      const moved = version !== undefined &&
        await readVersion().catch(() => version) !== version;
      const failure = failureOf(error);
      const passes = failure === "undone" || failure === "lost";
      if (!moved && failure === null) throw error;
      if (!moved && (!passes || tries === TRIES)) {
        throw storageError(error, {
          failure,
          operation: "upgrade the tables",
          schema: dialect?.schema,
        });
      }
      if (!moved) await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }
}
