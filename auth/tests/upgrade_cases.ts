import assert from "node:assert/strict";
import { completeStorage } from "../../testing/storage/complete_storage.ts";
import { NOW } from "../../testing/storage/records.ts";
import { liveAsVersion1 } from "./version_1.ts";
import { ConfigurationError } from "../errors.ts";
import type { SchemaStep, SqlDatabase, SqlValue } from "../storage/sql_database.ts";
import { createSqlStorage } from "../storage/sql.ts";
import { upgradeTables } from "../storage/upgrade.ts";
import { SCHEMA_VERSION } from "../storage/sql_executor.ts";

/** A database that holds the tables of version 1, and what differs by its kind. */
export interface OldDatabase {
  /** The database under test. */
  database: SqlDatabase;
  /** Steps of its tables. */
  steps: readonly SchemaStep[];
}

async function rows<T>(database: SqlDatabase, sql: string, ...values: SqlValue[]): Promise<T[]> {
  return (await database.prepare(sql).bind(...values).all<T>()).results;
}

async function marker(database: SqlDatabase): Promise<Record<string, unknown>> {
  return (await rows<Record<string, unknown>>(database, "SELECT * FROM auth_schema"))[0]!;
}

/** Cases that an upgrade must pass on every database; each begins with tables of version 1. */
export const UPGRADE_CASES: Record<string, (old: OldDatabase) => Promise<void>> = {
  "upgradeTables() keeps live data, and both releases work before, between and after the steps":
    async (
      { database, steps },
    ) => {
      await liveAsVersion1(database, "before");
      for (const [index, { version, compatible, up }] of steps.entries()) {
        // Statement by statement, as the previous release meets them where a step is no transaction.
        for (const [place, sql] of up.split(/;\n/).filter(Boolean).entries()) {
          await database.prepare(sql).run();
          await liveAsVersion1(database, `during-${index}-${place}`);
        }
        const { key, ...numbers } = await marker(database);
        assert.deepEqual({ ...numbers }, { version, compatible });
        assert.match(String(key), /^[0-9a-f]{64}$/);
      }
      const { key } = await marker(database);
      assert.deepEqual(await upgradeTables(database), { from: SCHEMA_VERSION, to: SCHEMA_VERSION });
      assert.equal((await marker(database)).key, key);
      await liveAsVersion1(database, "after");
      const storage = completeStorage(createSqlStorage(database));
      for (const id of ["before", "after"]) {
        assert.equal((await storage.getUser(id))?.name, "Again");
        assert.equal((await storage.findAccount("code", `${id}-1`))?.userId, id);
        assert.equal((await storage.listPasskeys(id)).length, 1);
        assert.equal((await storage.readSecret("email", `${id}-n`, NOW))?.userId, id);
      }
    },
  "upgradeTables() by eight callers at once does each step once": async ({ database }) => {
    await liveAsVersion1(database, "before");
    const upgraded = await Promise.all(Array.from({ length: 8 }, () => upgradeTables(database)));
    for (const { to } of upgraded) assert.equal(to, SCHEMA_VERSION);
    assert.equal((await rows(database, "SELECT version FROM auth_schema")).length, 1);
    await liveAsVersion1(database, "after");
  },
  "upgradeTables() that is cut off leaves the tables as they were, and the next call does it":
    async (
      { database },
    ) => {
      const cutOff: SqlDatabase = {
        ...database,
        batch: (statements, options) =>
          database.batch([
            ...statements.slice(0, -2),
            database.prepare("SELECT no_such_column FROM users"),
          ], options),
      };
      await assert.rejects(upgradeTables(cutOff));
      assert.deepEqual({ ...await marker(database) }, { version: 1 });
      await liveAsVersion1(database, "between");
      assert.deepEqual(await upgradeTables(database), { from: 1, to: SCHEMA_VERSION });
    },
  "upgradeTables() leaves tables of a later version alone": async ({ database }) => {
    await upgradeTables(database);
    await database.prepare("UPDATE auth_schema SET version = 99").run();
    assert.deepEqual(await upgradeTables(database), { from: 99, to: 99 });
  },
  "upgradeTables() refuses tables that are too new, with both numbers, and does nothing": async (
    { database },
  ) => {
    await upgradeTables(database);
    await database.prepare("UPDATE auth_schema SET version = 99, compatible = 98").run();
    const alongside = ["CREATE TABLE notes (text TEXT)"];
    await assert.rejects(upgradeTables(database, { alongside }), (error) => {
      assert.ok(error instanceof ConfigurationError, String(error));
      assert.match(error.message, /version 99,.* 98 on;.* version 6: install a newer/);
      return true;
    });
    await assert.rejects(database.prepare("SELECT * FROM notes").all());
  },
  "upgradeTables() says whose table has the name of one of its own, and makes none": async (
    { database },
  ) => {
    const own = await rows<{ name: string }>(database, "SELECT * FROM auth_schema");
    assert.equal(own.length, 1);
    await database.prepare("DROP TABLE auth_schema").run();
    for (const alongside of [[], ["CREATE TABLE IF NOT EXISTS notes (text TEXT)"]]) {
      await assert.rejects(upgradeTables(database, { alongside }), (error) => {
        assert.ok(error instanceof ConfigurationError, String(error));
        assert.match(error.message, /a table "users" that is not the library's/);
        assert.match(String((error.cause as Error).message), /already exists/);
        return true;
      });
    }
    for (const table of ["auth_schema", "known_browsers", "notes"]) {
      await assert.rejects(database.prepare(`SELECT * FROM ${table}`).all(), table);
    }
  },
  "upgradeTables() runs what is alongside after its own, at every call, for any number at once":
    async ({ database }) => {
      const alongside = [
        `CREATE TABLE IF NOT EXISTS passwords (user_id TEXT PRIMARY KEY REFERENCES users (id), hash TEXT);
CREATE TABLE IF NOT EXISTS calls (at_version BIGINT);`,
        database.prepare("INSERT INTO calls SELECT version FROM auth_schema"),
      ];
      const calls = Array.from({ length: 8 }, () => upgradeTables(database, { alongside }));
      for (const { to } of await Promise.all(calls)) assert.equal(to, SCHEMA_VERSION);
      const found = await rows<{ version: unknown }>(
        database,
        "SELECT at_version AS version FROM calls",
      );
      assert.deepEqual(found.map(({ version }) => Number(version)), Array(8).fill(SCHEMA_VERSION));
      // What of it fails is the application's to see, and leaves nothing of it.
      const wrong = ["DELETE FROM calls", "INSERT INTO nowhere VALUES (1)"];
      await assert.rejects(upgradeTables(database, { alongside: wrong }), /nowhere/);
      assert.equal((await rows(database, "SELECT * FROM calls")).length, 8);
    },
};
