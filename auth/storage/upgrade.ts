/**
 * Upgrades of the tables of a database.
 *
 * @module
 */

import { ConfigurationError } from "../errors.ts";
import { authSchema } from "./schema.ts";
import type { SchemaStep, SqlDatabase, SqlStatement, UpgradedTables } from "./sql_database.ts";
import {
  isPassing,
  misfitOf,
  type SchemaMarker,
  SELECT_MARKER,
  sqliteFailureOf,
  storageError,
} from "./sql_executor.ts";

/** Options for {@linkcode upgradeTables}. */
export interface UpgradeTablesOptions {
  /**
   * Statements for the application's own tables, which run after those of the library at every call, in one
   * transaction and under the same lock: of processes that begin at once each finds what the one before has done. So
   * they are such as may run again: `CREATE TABLE IF NOT EXISTS …`. A text may hold several, each ended by `;` at the
   * end of a line; what has such an end inside, as a trigger has, is given as `database.prepare(…)`. Default: none.
   */
  alongside?: readonly (string | SqlStatement)[];
}

const LOCK = "framework.auth tables";

// Milliseconds for which somebody else may have the tables in hand.
const PATIENCE = 30_000;

// A step that everybody waits for in vain, or is done by somebody else, is over in a moment.
const PAUSE = 200;

function versionOf(marker: SchemaMarker | null): number | null {
  return marker && Number(marker.version);
}

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
 * @param options Statements for tables of the application. Default: none.
 * @throws {ConfigurationError} When the tables are too new for this library, or one of their names is taken by a table
 * that is not the library's; nothing is done.
 * @throws {StorageUnavailableError} When the database does not answer, or somebody else has the tables in hand for 30
 * seconds, who is named where the database says it; nothing is half done.
 *
 * @example
 * ```ts
 * import { upgradeTables } from "@framework/auth/storage";
 * import { sqlite } from "@framework/auth/sqlite";
 * import { deepEqual } from "node:assert/strict";
 * import { DatabaseSync } from "node:sqlite";
 *
 * using file = new DatabaseSync(":memory:"); // or a path
 * const database = sqlite(file);
 * const alongside = ["CREATE TABLE IF NOT EXISTS notes (user_id TEXT REFERENCES users (id), text TEXT)"];
 * deepEqual(await upgradeTables(database, { alongside }), { from: null, to: 6 });
 * deepEqual(await upgradeTables(database, { alongside }), { from: 6, to: 6 });
 * ```
 */
export async function upgradeTables(
  database: SqlDatabase,
  options: UpgradeTablesOptions = {},
): Promise<UpgradedTables> {
  // Whose errors say what they mean: of the other a lock that is taken is a 503 already, and nothing to try again.
  return await upgrade(database.direct ?? database, options);
}

// Names of what `framework generate auth` writes.
const GENERATED = /^\d+_auth(?:_version_\d+)?\.sql$/;

/**
 * Gives a database the operation behind `auth.migrate()`.
 *
 * @param patience Milliseconds that it waits for somebody else who does the same.
 */
export function withMigrate(database: SqlDatabase, patience: number = PATIENCE): SqlDatabase {
  const direct = database.direct ?? database;

  async function migrate(): Promise<UpgradedTables> {
    const applied = await Promise.all(
      ["d1_migrations", "framework_migrations"].map((table) =>
        direct.prepare(`SELECT name FROM ${table}`).all<{ name: string }>()
          .then(({ results }) => results, () => [])
      ),
    );
    const generated = applied.flat().find(({ name }) => GENERATED.test(name));
    if (generated !== undefined) {
      throw new ConfigurationError(
        `auth.migrate() leaves these tables alone: the migration ${generated.name} made them. Run ` +
          "framework generate auth --upgrade, then framework migrate up, and take the call away",
        { field: "database" },
      );
    }
    return await upgrade(direct, {}, patience);
  }

  return Object.assign(database, { migrate });
}

async function upgrade(
  database: SqlDatabase,
  { alongside = [] }: UpgradeTablesOptions,
  patience: number = PATIENCE,
): Promise<UpgradedTables> {
  const { dialect } = database;
  const schema = dialect?.tables ?? authSchema;
  const failureOf = dialect?.failureOf ?? sqliteFailureOf;

  async function readMarker(): Promise<SchemaMarker | null> {
    try {
      return await database.prepare(SELECT_MARKER).first<SchemaMarker>();
    } catch (error) {
      if (failureOf(error) === "tables-missing") return null;
      throw error;
    }
  }

  function prepareAll(given: string | SqlStatement): SqlStatement[] {
    return typeof given === "string"
      ? statementsOf(given).map((sql) => database.prepare(sql))
      : [given];
  }

  /** All or nothing, while nobody else does the same. */
  async function runLocked(statements: SqlStatement[]): Promise<void> {
    const first = dialect === undefined ? [] : [
      ...(dialect.beforeStep ?? []).map((sql) => database.prepare(sql)),
      database.prepare(dialect.lockText).bind(LOCK),
    ];
    await database.batch([...first, ...statements], { statementTimeout: 0 });
  }

  /** Runs a step, but not when somebody else has done it. */
  async function run(version: number | null, { up }: Pick<SchemaStep, "up">): Promise<void> {
    // A second row with a version that is there breaks the key of the table: another one than was read.
    const guard = version === null ? [] : [
      database.prepare(
        "INSERT INTO auth_schema (version) SELECT version FROM auth_schema WHERE version <> ?1",
      ).bind(version),
    ];
    await runLocked([...guard, ...prepareAll(up)]);
  }

  /** The error of making the tables where one of their names is taken; null when none is. */
  async function takenName(cause: unknown): Promise<ConfigurationError | null> {
    for (const [, table] of schema.up.matchAll(/^CREATE TABLE (\w+)/gm)) {
      try {
        await database.prepare(`SELECT 1 FROM ${table} LIMIT 1`).first();
      } catch {
        continue;
      }
      return new ConfigurationError(
        `The database has a table "${table}" that is not the library's, so its own cannot be made: give the library ` +
          "a database or a schema of its own, or rename that table and copy its rows afterwards",
        { field: "database", cause },
      );
    }
    return null;
  }

  /** Holder of the lock on the tables, as far as the database reports it. */
  async function holder(): Promise<string> {
    const statement = dialect?.lockHolder;
    const found = statement === undefined
      ? null
      : await database.prepare(statement).bind(LOCK).first<{ holder: string }>().catch(() => null);
    return found?.holder ?? "another connection, of which the database says no more,";
  }

  let from: number | null | undefined;
  let since = Date.now();
  for (;;) {
    let version: number | null | undefined;
    let ours = true;
    try {
      const marker = await readMarker();
      version = versionOf(marker);
      if (from === undefined) from = version;
      const next = version === null ? schema : schema.steps.find((one) => one.version > version!);
      if (marker === null || next !== undefined) await run(version, next ?? schema);
      else {
        const misfit = misfitOf(marker);
        if (misfit !== null) throw new ConfigurationError(misfit, { field: "database" });
        ours = false;
        if (alongside.length > 0) await runLocked(alongside.flatMap(prepareAll));
        return { from, to: Number(marker.version) };
      }
      since = Date.now();
    } catch (error) {
      if (error instanceof ConfigurationError) throw error;
      const moved = version !== undefined &&
        await readMarker().then(versionOf, () => version) !== version;
      const failure = failureOf(error);
      const passes = failure === "undone" || failure === "lost";
      if (!moved && (failure === null || (!ours && !isPassing(failure)))) {
        throw (version === null && await takenName(error)) || error;
      }
      if (!moved && (!passes || Date.now() - since >= patience)) {
        const operation = failure === "undone"
          ? `upgrade the tables, which ${await holder()} has in hand for ${patience / 1000} s`
          : "upgrade the tables";
        throw storageError(error, { failure, operation, schema: dialect?.schema });
      }
      if (!moved) await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }
}
