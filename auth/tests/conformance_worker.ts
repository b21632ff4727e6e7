import { authSchema } from "../storage/schema.ts";
import type { SqlDatabase } from "../storage/sql_database.ts";
import { createKeyValueTenantStorage, type KeyValueNamespace } from "../tenant/kv.ts";
import { SQL_STORAGE_CASES, type SqlCase } from "./sql_storage_cases.ts";
import { TENANT_CASES } from "./tenant_cases.ts";
import { SQL_TENANT_CASES, ticking } from "./tenant_stores.ts";

/** Storage for one case: a database or a namespace that no other case uses. */
type Binding = SqlDatabase & KeyValueNamespace;

/** Checks one behaviour. */
type Run = (binding: Binding) => Promise<void>;

function overTables(cases: Record<string, SqlCase>): Record<string, Run> {
  return Object.fromEntries(
    Object.entries(cases).map(([name, run]) => [name, async (database) => {
      // No statement of the schema has a semicolon inside.
      const statements = authSchema.up.split(/;\n/).map((one) => one.trim()).filter(Boolean);
      await database.batch(statements.map((sql) => database.prepare(sql)));
      await run(database);
    }]),
  );
}

/** The cases, by the kind of binding that they work on. */
export const SUITES = {
  storage: overTables(SQL_STORAGE_CASES),
  tenants: overTables(SQL_TENANT_CASES),
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
