/**
 * Keeps the migrations that hold the tables of `@framework/auth` equal to its schema, and the steps that the
 * command line writes equal to the schema's.
 *
 * @module
 */

import { join } from "node:path";
import { mariadbSchema } from "@framework/auth/mariadb";
import { authSchema, type SchemaStep } from "@framework/auth/storage";
import { postgresSchema } from "@framework/auth/postgres";
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
    "cli/generate/auth_upgrades.ts": upgradesModule(),
    "cli/generate/auth_postgres.ts": postgresModule(),
    "cli/generate/auth_mariadb.ts": mariadbModule(),
  };
}

function templateText(sql: string): string {
  return `\`${sql.replace(/[`\\$]/g, "\\$&")}\``;
}

function stepsText(steps: readonly SchemaStep[]): string {
  return steps.map(({ version, up, down }) =>
    `  {
    version: ${version},
    up: ${templateText(up)},
    down: ${templateText(down)},
  },
`
  ).join("");
}

function postgresModule(): string {
  return `// Written by \`deno task templates\`: \`postgresSchema\` of @framework/auth/postgres.
import type { AuthUpgrade } from "./auth_upgrades.ts";

/** SQL that makes the tables in an empty PostgreSQL database. */
export const postgresTables: string =
  ${templateText(postgresSchema.up)};

/** SQL that removes them. */
export const postgresRemoval: string = ${templateText(postgresSchema.down)};

/** The steps from the first version of the tables to the present one, in order. */
export const postgresUpgrades: readonly AuthUpgrade[] = [
${stepsText(postgresSchema.steps)}];
`;
}

function mariadbModule(): string {
  // The first statement refuses a database whose tables somebody else has made, as a migrator has.
  const [, tables] = /^BEGIN NOT ATOMIC .*\n\n([^]*)$/.exec(mariadbSchema.up)!;
  return `// Written by \`deno task templates\`: the tables of \`mariadbSchema\` of @framework/auth/mariadb.

/** SQL that makes the tables in an empty MariaDB database. */
export const mariadbTables: string =
  ${templateText(tables!)};
`;
}

/** The command line has no package in its own graph, so its steps are a copy. */
function upgradesModule(): string {
  return `// Written by \`deno task templates\`: the steps of \`authSchema\` of @framework/auth/storage.

/** Migration of the tables from the previous version to this one. */
export interface AuthUpgrade {
  /** The version afterwards. */
  version: number;
  up: string;
  down: string;
}

/** The steps from the first version of the tables to the present one, in order. */
export const authUpgrades: readonly AuthUpgrade[] = [
${stepsText(authSchema.steps)}];
`;
}

/** Writes the schema wherever it is repeated. */
export async function writeSchemaCopies(): Promise<void> {
  for (const [path, text] of Object.entries(schemaCopies())) {
    await Deno.writeTextFile(join(repositoryRoot, path), text);
  }
}
