import { existsSync } from "node:fs";
import { applyMigrations } from "./apply.ts";
import { emptyDatabase } from "./empty_database.ts";
import { readLedger } from "./ledger.ts";
import { openLocalDatabase, readLocalDatabase } from "./local_database.ts";
import type { MigrationDatabase } from "./migration_database.ts";
import { revertMigrations } from "./revert.ts";

/**
 * The local database, whose file is open only while something is done with it.
 *
 * @param path Absolute path of its file.
 * @param table Name of wrangler's table.
 */
export function createLocalMigrations(path: string, table: string): MigrationDatabase {
  return {
    async ledger() {
      const database = await readLocalDatabase(path);
      try {
        return database === undefined ? [] : readLedger(database, table);
      } finally {
        database?.close();
      }
    },
    async apply(migrations, { signal, onDone, ...rest }) {
      const database = await openLocalDatabase(path);
      try {
        await applyMigrations(database, migrations, { table, signal, onApplied: onDone, ...rest });
      } finally {
        database.close();
      }
    },
    async revert(files, { signal, onDone }) {
      const database = await openLocalDatabase(path);
      try {
        await revertMigrations(database, files, { table, signal, onReverted: onDone });
      } finally {
        database.close();
      }
    },
    async empty(dryRun) {
      if (!existsSync(path)) return undefined;
      const database = await openLocalDatabase(path);
      try {
        return emptyDatabase(database, dryRun);
      } finally {
        database.close();
      }
    },
  };
}
