import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { propertyName } from "../app/env_types.ts";
import type { ProjectConfig } from "../config/load.ts";
import { readMigrations } from "../migrate/files.ts";
import { openMemoryDatabase } from "../migrate/local_database.ts";
import { checkedStatements } from "../migrate/statements.ts";
import { runStatements } from "../migrate/transaction.ts";
import { starterFiles } from "../templates/starter_files.ts";
import { displayPath } from "../tools/paths.ts";
import { readWorkName } from "./name.ts";
import type { PlannedFile } from "./plan.ts";
import { importPath, lines } from "./source_text.ts";

/**
 * Plans the file of the data of an environment, and its test. It writes a row into the first table of the migrations
 * that takes one by itself.
 *
 * @param name Name of the environment, such as `development`.
 * @param options The project, and whether it has tests.
 * @throws {CliError} Exit code 1 for a name that cannot be used, or a migration that SQLite refuses.
 */
export async function planSeed(
  name: string,
  { config, test }: { config: ProjectConfig; test: boolean },
): Promise<PlannedFile[]> {
  const { root } = config;
  const environment = readWorkName(name, "an environment's name", "development");
  const path = join(root, "seeds", `${environment}.ts`);
  const testPath = join(root, "tests", "seeds", `${environment}.test.ts`);
  const sample = await findSample(config);
  const files = [{ path, text: seedSource(environment, sample), within: root }];
  if (!test || sample === null) return files;
  const place = { file: displayPath(root, path), testFile: displayPath(root, testPath) };
  const text = seedTest(environment, sample.table, place);
  return [...files, { path: testPath, text, within: root }];
}

/** A row that a table takes. */
interface Sample {
  table: string;
  row: Record<string, string | number>;
}

/** Tables of accounts, which have rows in other tables too. */
const authTables = new Set(
  [...starterFiles["migrations/0001_auth.sql"]!.matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) =>
    name
  ),
);

/** Tries a row in each table that the migrations make; null when none takes it. */
async function findSample({ migrationsDir, dialect }: ProjectConfig): Promise<Sample | null> {
  if (dialect === "postgres") return null;
  const database = await openMemoryDatabase();
  try {
    for (const file of await readMigrations(migrationsDir)) {
      runStatements(database, file.name, checkedStatements(file), "Correct the file.");
    }
    const tables = database.prepare(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT GLOB 'sqlite_*' " +
        "ORDER BY name",
    ).all() as { name: string }[];
    for (const { name: table } of tables) {
      const row = authTables.has(table) ? null : sampleRow(database, table);
      if (row !== null) return { table, row };
    }
    return null;
  } finally {
    database.close();
  }
}

function sampleRow(database: DatabaseSync, table: string): Sample["row"] | null {
  const columns = database.prepare(
    'SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden = 0 AND (pk > 0 OR "notnull" = 1 AND dflt_value IS NULL)',
  ).all(table) as { name: string; type: string }[];
  const keys = database.prepare("SELECT 1 FROM pragma_table_info(?) WHERE pk > 0").all(table);
  // Without a key a second run would write a second row.
  if (keys.length === 0) return null;
  const row = Object.fromEntries(
    columns.map(({ name, type }) => [name, /char|clob|text/i.test(type) ? "first" : 1]),
  );
  const quoted = Object.keys(row).map((name) => `"${name.replaceAll('"', '""')}"`);
  try {
    database.exec("PRAGMA foreign_keys = ON");
    database.prepare(
      `INSERT INTO "${table.replaceAll('"', '""')}" (${quoted.join(", ")}) VALUES (${
        quoted.map(() => "?").join(", ")
      })`,
    ).run(...Object.values(row));
    return row;
  } catch {
    return null;
  }
}

function seedSource(environment: string, sample: Sample | null): string {
  const imports = [
    'import type { Database } from "@framework/cli/runtime";',
    'import type { Kysely } from "kysely";',
    "",
  ];
  const about = `Writes the data of the environment \`${environment}\``;
  if (sample === null) {
    return lines([
      ...imports,
      "/**",
      ` * ${about} into the tables of the migrations. Write it so that it may run again:`,
      ' * `await db.insertInto("tasks").values([{ id: 1, title: "Buy milk" }])`',
      " * `.onConflict((conflict) => conflict.doNothing()).execute();`",
      " */",
      "export default function seed(_db: Kysely<Database>): Promise<void> {",
      "  return Promise.resolve();",
      "}",
    ]);
  }
  const fields = Object.entries(sample.row)
    .map(([name, value]) => `${propertyName(name)}: ${JSON.stringify(value)}`);
  return lines([
    ...imports,
    `/** ${about}. It may run again, and then changes nothing. */`,
    "export default async function seed(db: Kysely<Database>): Promise<void> {",
    `  await db.insertInto(${JSON.stringify(sample.table)}).values([`,
    `    { ${fields.join(", ")} },`,
    "  ]).onConflict((conflict) => conflict.doNothing()).execute();",
    "}",
  ]);
}

function seedTest(
  environment: string,
  table: string,
  { file, testFile }: { file: string; testFile: string },
): string {
  return lines([
    'import { createTestContext } from "@framework/testing";',
    'import { expect, it } from "vitest";',
    `import seed from "${importPath(testFile, file)}";`,
    "",
    `it("the seeds of ${environment} can be written twice", async () => {`,
    "  await using ctx = await createTestContext({ seed });",
    `  const rows = () => ctx.db.selectFrom(${JSON.stringify(table)}).selectAll().execute();`,
    "  const before = await rows();",
    "  expect(before).toHaveLength(1);",
    "  await seed(ctx.db);",
    "  expect(await rows()).toEqual(before);",
    "});",
  ]);
}
