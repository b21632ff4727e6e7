import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createNumberedNames, migrationNames } from "./migration_files.ts";
import { slugMigrationName } from "./migration_name.ts";

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
  await writeFile(up, `-- ${base}: applied as one transaction, so write no BEGIN or COMMIT.\n`, {
    flag: "wx",
  });
  try {
    await writeFile(down, `-- ${base}: takes back what ../${base}.sql did.\n`, {
      flag: "wx",
    });
  } catch (error) {
    await rm(up);
    throw error;
  }
  return { up, down };
}
