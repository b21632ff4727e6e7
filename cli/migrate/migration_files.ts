import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** One file of the migrations folder, as wrangler would apply it. */
export interface Migration {
  /** File name, for example `0001_init.sql`; the key in the record of applied migrations. */
  name: string;
  /** Its SQL, without a byte order mark. */
  sql: string;
}

/**
 * Reads the migrations of a folder in the order in which they apply.
 *
 * What counts is what wrangler counts: regular files `*.sql` directly in the folder. `down/` is left alone.
 *
 * @param folder Absolute path. A folder that does not exist holds no migrations.
 *
 * @example
 * ```ts
 * import { readMigrations } from "@framework/cli/project";
 * import { deepEqual } from "node:assert/strict";
 * import { mkdtemp, rm, writeFile } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const folder = await mkdtemp(join(tmpdir(), "migrations-"));
 * for (const name of ["10_later.sql", "9_first.sql"]) {
 *   await writeFile(join(folder, name), "SELECT 1;");
 * }
 * const migrations = await readMigrations(folder);
 * deepEqual(migrations.map(({ name }) => name), ["9_first.sql", "10_later.sql"]);
 * await rm(folder, { recursive: true });
 * ```
 */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = await migrationNames(folder);
  return await Promise.all(names.map(async (name) => {
    const text = await readFile(join(folder, name), "utf8");
    return { name, sql: text.startsWith("\ufeff") ? text.slice(1) : text };
  }));
}

/**
 * The file names of the migrations of a folder, in order.
 *
 * @param folder Absolute path.
 */
export async function migrationNames(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && /^[^.].*\.sql$/s.test(entry.name))
      .map((entry) => entry.name)
      .sort(compareMigrationNames);
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return [];
    throw error;
  }
}

/**
 * Orders migrations as wrangler does: by leading number, then by name; names without a number come last.
 *
 * @param a A file name.
 * @param b Another file name.
 */
export function compareMigrationNames(a: string, b: string): number {
  const first = leadingNumber(a) ?? Infinity;
  const second = leadingNumber(b) ?? Infinity;
  if (first !== second) return first < second ? -1 : 1;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * The number that a migration's name begins with; undefined when there is none.
 *
 * @param name File name.
 */
export function leadingNumber(name: string): number | undefined {
  const number = parseInt(name, 10);
  return Number.isFinite(number) ? number : undefined;
}

/**
 * File names for new migrations, numbered after the highest that exists.
 *
 * @param existing The names that are there.
 * @param slugs What describes the new ones, in order.
 */
export function createNumberedNames(
  existing: readonly string[],
  slugs: readonly string[],
): string[] {
  const highest = Math.max(0, ...existing.map((name) => leadingNumber(name) ?? 0));
  return slugs.map((slug, index) => `${String(highest + 1 + index).padStart(4, "0")}_${slug}.sql`);
}
