import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { CliError } from "../terminal/exit.ts";
import type { Migration } from "./migration_files.ts";
import { type Place, wayOut } from "./plan.ts";
import { checkedStatements } from "./statement_check.ts";

/**
 * Reads the files that take migrations back. All are checked before any runs: half a reset would be the worst of both.
 *
 * @param folder Absolute path of the migrations; the files lie in its folder `down`.
 * @param names Names of the migrations to take back, in the order in which that happens.
 * @param place Which database it is.
 * @throws {CliError} Exit code 1 when a file is missing, holds no statement, or one that is not allowed.
 */
export async function readDownMigrations(
  folder: string,
  names: string[],
  place: Place,
): Promise<Migration[]> {
  const missing: string[] = [];
  const files: Migration[] = [];
  for (const name of names) {
    const sql = await readText(join(folder, "down", name));
    if (sql === undefined) missing.push(`down/${name}`);
    else files.push({ name, sql });
  }
  if (missing.length > 0) {
    throw new CliError(
      `${missing.join(", ")} ${
        missing.length === 1 ? "is" : "are"
      } missing: nothing was taken back.`,
      { hint: wayOut("Write the statements that undo the migration into that file.", place) },
    );
  }
  for (const { name, sql } of files) {
    if (checkedStatements({ name: `down/${name}`, sql }).length > 0) continue;
    throw new CliError(`down/${name} holds no statement: nothing was taken back.`, {
      hint: wayOut(
        "Write the statements that undo the migration; SELECT 1; if there is nothing to undo.",
        place,
      ),
    });
  }
  return files;
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, "utf8")).replace(/^\ufeff/, "");
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return undefined;
    throw error;
  }
}
