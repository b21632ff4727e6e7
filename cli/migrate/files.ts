import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CliError } from "../terminal/exit.ts";

/** One file of the migrations folder, as wrangler would apply it. */
export interface Migration {
  /** File name, for example `0001_init.sql`; the key in the records of applied migrations. */
  name: string;
  /** Its SQL, without a byte order mark. */
  sql: string;
}

/**
 * Reads the migrations of a folder in the order in which they apply.
 *
 * Migrations are the same files as for wrangler: regular files `*.sql` directly in the folder. `down/` is ignored.
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
 * Returns the file names of a folder's migrations, in order.
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
 * Returns the number at the start of a migration's name; undefined when there is none.
 *
 * @param name File name.
 */
export function leadingNumber(name: string): number | undefined {
  const number = parseInt(name, 10);
  return Number.isFinite(number) ? number : undefined;
}

/**
 * Returns file names for new migrations, numbered after the highest existing one.
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

const MAX_LENGTH = 80;

/**
 * Makes the part of a file name that describes a migration: `Add Users` and `AddUsers` become `add_users`.
 *
 * Anything but letters, digits, spaces, dashes and underscores is refused, not replaced: a name that holds
 * `/`, `..` or `;` was meant to be something else, and may have been meant to leave the folder.
 *
 * @param name What the user typed.
 * @throws {CliError} Exit code 1 when nothing usable or something forbidden is in it.
 */
export function slugMigrationName(name: string): string {
  const forbidden = /[^A-Za-z0-9 _-]/u.exec(name)?.[0];
  if (forbidden !== undefined) {
    throw refuse(`A migration's name cannot contain ${JSON.stringify(forbidden)}.`);
  }
  const slug = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[ _-]+/g, "_")
    .replace(/^_|_$/g, "");
  if (slug === "") throw refuse("A migration needs a name.");
  if (slug.length > MAX_LENGTH) {
    throw refuse(
      `A migration's name may have at most ${MAX_LENGTH} characters, but has ${slug.length}.`,
    );
  }
  return slug;
}

function refuse(message: string): CliError {
  return new CliError(message, {
    hint: "Use letters, digits and underscores, for example `framework migrate create add_posts`.",
  });
}

/**
 * Writes the two files of a new migration, numbered after the highest that exists.
 *
 * @param folder Absolute path of the migrations; made when it does not exist.
 * @param name What the user typed; see {@linkcode slugMigrationName}.
 * @returns Absolute paths of the file that applies the migration and of the one that takes it back.
 * @throws {CliError} Exit code 1 for a name that is not acceptable.
 */
export async function createMigration(
  folder: string,
  name: string,
): Promise<{ up: string; down: string }> {
  const slug = slugMigrationName(name);
  const [file] = createNumberedNames(await migrationNames(folder), [slug]) as [string];
  const base = file.slice(0, -".sql".length);
  const up = join(folder, file);
  const down = join(folder, "down", file);
  await mkdir(join(folder, "down"), { recursive: true });
  await writeFile(
    up,
    `-- ${base}: applied as one transaction, so do not write BEGIN or COMMIT.\n`,
    {
      flag: "wx",
    },
  );
  try {
    await writeFile(down, `-- ${base}: reverts ../${base}.sql.\n`, {
      flag: "wx",
    });
  } catch (error) {
    await rm(up);
    throw error;
  }
  return { up, down };
}
