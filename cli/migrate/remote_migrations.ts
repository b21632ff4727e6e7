import { randomUUID } from "node:crypto";
import { CliError } from "../terminal/exit.ts";
import { isNext } from "./apply.ts";
import {
  checksumOf,
  type LedgerEntry,
  ledgerQuery,
  ledgerTables,
  type MigrationDatabase,
  type MigrationRun,
  quoteName,
  toLedger,
} from "./ledger.ts";
import type { Migration } from "./files.ts";
import { pendingMigrations } from "./plan.ts";
import {
  joinStatements,
  lockRemote,
  quoteText,
  type RemoteConnection,
  type RemoteLock,
} from "./remote.ts";
import { checkedStatements } from "./statements.ts";
import { MEND } from "./transaction.ts";

/**
 * Applies migrations to the platform's database. One process migrates at a time; a file, its record
 * and the check of the lock are one upload, which the platform applies completely or not at all.
 *
 * @param connection The database.
 * @param table Name of wrangler's table.
 */
export function createRemoteMigrations(
  connection: RemoteConnection,
  table: string,
): MigrationDatabase {
  const name = quoteName(table);

  async function ledger(): Promise<LedgerEntry[]> {
    const names = [table, "framework_migrations"].map(quoteText).join(", ");
    const [tables = []] = await connection.query(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name IN (${names})`,
    );
    const existing = new Set(tables.map((row) => row["name"]));
    if (!existing.has(table)) return [];
    const [rows = []] = await connection.query(
      ledgerQuery(table, existing.has("framework_migrations")),
    );
    return toLedger(rows);
  }

  async function isApplied(migration: string): Promise<boolean> {
    const [rows = []] = await connection.query(
      `SELECT 1 FROM ${name} WHERE name = ${quoteText(migration)}`,
    );
    return rows.length > 0;
  }

  async function locked(work: (lock: RemoteLock, ledger: LedgerEntry[]) => Promise<void>) {
    const lock = await lockRemote(connection, {
      owner: randomUUID(),
      before: ledgerTables(table),
      after: [ledgerQuery(table, true)],
    });
    try {
      await work(lock, toLedger(lock.rows[0] ?? []));
    } finally {
      // A lock that could not be released expires; the earlier error matters.
      await lock.release().catch(() => {});
    }
  }

  /** Runs one file; when wrangler fails, the record shows whether the platform had applied it. */
  async function runFile(
    { file, statements, done }: {
      file: string;
      statements: string[];
      done(): Promise<boolean>;
    },
  ): Promise<void> {
    try {
      await connection.execute(joinStatements(statements));
    } catch (error) {
      const state = await done().catch(() => undefined);
      if (state === true) return;
      const message = error instanceof Error ? error.message : String(error);
      throw new CliError(`${file}: ${message}`, {
        hint: state === undefined
          ? "The outcome is unknown: run `framework migrate status --remote` to see whether it was applied."
          : MEND,
        cause: error,
      });
    }
  }

  return {
    ledger,
    async apply(migrations, run) {
      const statements = new Map(migrations.map((file) => [file.name, statementsOf(file)]));
      await locked(async ({ fence }, ledger) => {
        const pending = pendingMigrations(migrations, ledger, {
          ...run,
          statements,
          place: "remote",
        });
        const adopted = withoutChecksum(migrations, ledger);
        if (adopted.length > 0) await connection.query(adopted.map(recordChecksum).join(";\n"));
        await eachFile(pending, run, async (migration) => {
          const file = migration.name;
          await runFile({
            file,
            statements: [
              fence,
              `INSERT INTO ${name} (name) VALUES (${quoteText(file)})`,
              recordChecksum(migration),
              ...statements.get(file) ?? [],
            ],
            done: () => isApplied(file),
          });
        });
      });
    },
    async revert(files, run) {
      await locked(async ({ fence }, ledger) => {
        const left = [...ledger];
        const present = files.filter((file) => {
          const next = isNext(left, file.name);
          if (next) left.pop();
          return next;
        });
        await eachFile(present, run, async (migration) => {
          const file = `down/${migration.name}`;
          await runFile({
            file,
            statements: [
              fence,
              `DELETE FROM ${name} WHERE name = ${quoteText(migration.name)}`,
              `DELETE FROM framework_migrations WHERE name = ${quoteText(migration.name)}`,
              ...statementsOf({ ...migration, name: file }),
            ],
            done: async () => !await isApplied(migration.name),
          });
        });
      });
    },
  };
}

async function eachFile<T extends { name: string }>(
  files: T[],
  { signal, onDone }: MigrationRun,
  work: (file: T) => Promise<void>,
): Promise<void> {
  for (const file of files) {
    if (signal.aborted) return;
    await work(file);
    onDone(file.name);
  }
}

function statementsOf(migration: Migration): string[] {
  return checkedStatements(migration).map(({ text }) => text.replace(/;$/, ""));
}

/**
 * Returns files that wrangler applied: their checksums are recorded, so that later changes are
 * noticed.
 */
function withoutChecksum(migrations: Migration[], ledger: LedgerEntry[]): Migration[] {
  const names = new Set(
    ledger.filter(({ checksum }) => checksum === undefined).map(({ name }) => name),
  );
  return migrations.filter(({ name }) => names.has(name));
}

function recordChecksum({ name, sql }: Migration): string {
  return `INSERT OR REPLACE INTO framework_migrations (name, checksum) VALUES (${
    quoteText(name)
  }, ${quoteText(checksumOf(sql))})`;
}
