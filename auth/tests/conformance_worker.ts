import { authSchema } from "../storage/schema.ts";
import type { SqlDatabase } from "../storage/sql_database.ts";
import { createKeyValueTenantStorage, type KeyValueNamespace } from "../tenant/kv.ts";
import { type AskedSuite, SUITES as DATABASE_SUITES } from "./handle_cases.ts";
import { SQLITE_VERSION_1 } from "./schema_version_1.ts";
import { TENANT_CASES } from "./tenant_cases.ts";
import { ticking } from "./tenant_stores.ts";

/** Storage for one case: a database or a namespace that no other case uses. */
type Binding = SqlDatabase & KeyValueNamespace;

/** Checks one behaviour. */
type Run = (binding: Binding) => Promise<void>;

const { steps } = authSchema;

async function make(binding: SqlDatabase, tables: string): Promise<void> {
  // No statement of the schemas has a semicolon inside.
  const statements = tables.split(/;\n/).map((one) => one.trim()).filter(Boolean);
  await binding.batch(statements.map((sql) => binding.prepare(sql)));
}

/** Makes the tables of today, or leaves those that a case before has used empty, and no others. */
async function makeEmpty(binding: SqlDatabase): Promise<void> {
  const { results } = await binding.prepare(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '_cf*' AND name NOT GLOB 'sqlite_*'",
  ).all<{ name: string }>();
  if (results.length === 0) return await make(binding, authSchema.up);
  const own = new Set(
    Array.from(authSchema.up.matchAll(/CREATE TABLE (\w+)/g), ([, name]) => name),
  );
  await binding.batch([
    "PRAGMA defer_foreign_keys = on",
    ...results.filter(({ name }) => name !== "auth_schema").map(({ name }) =>
      own.has(name) ? `DELETE FROM ${name}` : `DROP TABLE ${name}`
    ),
  ].map((sql) => binding.prepare(sql)));
}

/** The cases, by the kind of binding that they work on. */
export const SUITES: Record<AskedSuite | "namespaces", Record<string, Run>> = {
  ...Object.fromEntries(
    Object.entries(DATABASE_SUITES).map(([suite, cases]) => [
      suite,
      Object.fromEntries(
        Object.entries(cases).map(([name, run]): [string, Run] => [
          name,
          async (binding) => {
            if (suite === "migration") await make(binding, SQLITE_VERSION_1);
            else await makeEmpty(binding);
            // The binding as a plain object, of which the cases make others.
            const database: SqlDatabase = {
              prepare: (sql) => binding.prepare(sql),
              batch: (statements) => binding.batch(statements),
            };
            await run({ database, steps });
          },
        ]),
      ),
    ]),
  ) as Record<AskedSuite, Record<string, Run>>,
  namespaces: Object.fromEntries(
    Object.entries(TENANT_CASES).map(([name, check]): [string, Run] => [
      name,
      (namespace) => check(createKeyValueTenantStorage(namespace, { now: ticking() })),
    ]),
  ),
};

/** Runs the case `?suite=…&name=…` over the binding `?binding=…`, and answers with what it threw. */
const worker: { fetch(request: Request, env: Record<string, Binding>): Promise<Response> } = {
  async fetch(request, env) {
    const { searchParams: asked } = new URL(request.url);
    const run = SUITES[asked.get("suite") as keyof typeof SUITES][asked.get("name")!]!;
    try {
      await run(env[asked.get("binding")!]!);
      return new Response("passed");
    } catch (error) {
      return new Response((error as Error).stack, { status: 500 });
    }
  },
};

export default worker;
