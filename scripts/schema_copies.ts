/**
 * Keeps the migrations that hold the tables of `@framework/auth` equal to its schema.
 *
 * @module
 */

import { join } from "node:path";
import { authSchema } from "@framework/auth/storage";
import { repositoryRoot } from "./workspace.ts";

const folders = [
  "cli/templates/starter/migrations",
  "testing/context/fixtures/project/migrations",
];

/** Path to text of every file that repeats the schema; the folder of down migrations only where there is one. */
export function schemaCopies(): Record<string, string> {
  const [starter] = folders as [string];
  return {
    ...Object.fromEntries(folders.map((folder) => [`${folder}/0001_auth.sql`, authSchema.up])),
    [`${starter}/down/0001_auth.sql`]: authSchema.down,
  };
}

/** Writes the schema wherever it is repeated. */
export async function writeSchemaCopies(): Promise<void> {
  for (const [path, text] of Object.entries(schemaCopies())) {
    await Deno.writeTextFile(join(repositoryRoot, path), text);
  }
}
