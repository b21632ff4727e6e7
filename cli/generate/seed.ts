import { join } from "node:path";
import type { ProjectConfig } from "../config/load.ts";
import { displayPath } from "../tools/paths.ts";
import { readWorkName } from "./name.ts";
import type { PlannedFile } from "./plan.ts";
import { importPath, lines } from "./source_text.ts";

/**
 * Plans the file of the data of an environment, and its test.
 *
 * @param name Name of the environment, such as `development`.
 * @param options The project, and whether it has tests.
 * @throws {CliError} Exit code 1 for a name that cannot be used.
 */
export function planSeed(
  name: string,
  { config: { root }, test }: { config: ProjectConfig; test: boolean },
): PlannedFile[] {
  const environment = readWorkName(name, "an environment's name", "development");
  const path = join(root, "seeds", `${environment}.ts`);
  const testPath = join(root, "tests", "seeds", `${environment}.test.ts`);
  const files = [{ path, text: seedSource(environment), within: root }];
  if (!test) return files;
  const place = { file: displayPath(root, path), testFile: displayPath(root, testPath) };
  return [...files, { path: testPath, text: seedTest(environment, place), within: root }];
}

function seedSource(environment: string): string {
  return lines([
    'import type { Kysely } from "kysely";',
    "",
    "/** Tables that the seeds write to. */",
    "interface Tables {",
    "  seeds: { name: string };",
    "}",
    "",
    `/** Writes the data of the environment \`${environment}\`. It may run again, and then changes nothing. */`,
    "export default async function seed(db: Kysely<Tables>): Promise<void> {",
    '  await db.schema.createTable("seeds").ifNotExists()',
    '    .addColumn("name", "text", (column) => column.primaryKey()).execute();',
    `  await db.insertInto("seeds").values({ name: ${JSON.stringify(environment)} })`,
    "    .onConflict((conflict) => conflict.doNothing()).execute();",
    "}",
  ]);
}

function seedTest(
  environment: string,
  { file, testFile }: { file: string; testFile: string },
): string {
  return lines([
    'import { createTestContext } from "@framework/testing";',
    'import { expect, it } from "vitest";',
    `import seed from "${importPath(testFile, file)}";`,
    "",
    `it("the seeds of ${environment} can be written twice", async () => {`,
    "  await using ctx = await createTestContext({ seed });",
    "  await seed(ctx.db);",
    '  expect(await ctx.db.selectFrom("seeds").select("name").execute()).toEqual([',
    `    { name: ${JSON.stringify(environment)} },`,
    "  ]);",
    "});",
  ]);
}
