import { authSchema, type SqlDatabase } from "@framework/auth/storage";

/** Makes tables in one batch, since D1 takes no text of several statements. */
export async function makeTables(database: SqlDatabase, text: string): Promise<void> {
  // No statement of the schemas has a semicolon inside.
  const statements = text.split(/;\n/).map((one) => one.trim()).filter(Boolean);
  await database.batch(statements.map((sql) => database.prepare(sql)));
}

/**
 * Makes the library's tables, or leaves those that are there empty, and no others: to make the tables anew, or another
 * database, takes D1 ten times as long.
 */
export async function emptyDatabase(database: SqlDatabase): Promise<void> {
  const { results } = await database.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '_cf*' AND name NOT GLOB 'sqlite_*'",
  ).all<{ name: string }>();
  if (results.length === 0) return await makeTables(database, authSchema.up);
  const own = new Set(
    Array.from(authSchema.up.matchAll(/CREATE TABLE (\w+)/g), ([, name]) => name),
  );
  const emptying = results.filter(({ name }) => name !== "auth_schema")
    .map(({ name }) => own.has(name) ? `DELETE FROM ${name}` : `DROP TABLE ${name}`);
  await database.batch(
    ["PRAGMA defer_foreign_keys = on", ...emptying].map((sql) => database.prepare(sql)),
  );
}
