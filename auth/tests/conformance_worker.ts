import { emptyDatabase, makeTables } from "../../tests/support/empty_d1.ts";
import { authSchema } from "../storage/schema.ts";
import type { SqlDatabase, SqlValue } from "../storage/sql_database.ts";
import { createKeyValueTenantStorage, type KeyValueNamespace } from "../tenant/kv.ts";
import { type AskedSuite, SUITES as DATABASE_SUITES } from "./handle_cases.ts";
import type { SqlObjects } from "./object_sql_worker.ts";
import { SQLITE_VERSION_1 } from "./schema_version_1.ts";
import { TENANT_CASES } from "./tenant_cases.ts";
import { ticking } from "./tenant_stores.ts";

export { SqlObject } from "./object_sql_worker.ts";

/** Storage for one case: a database or a namespace that no other case uses. */
type Binding = SqlDatabase & KeyValueNamespace;

/** Checks one behaviour. */
type Run = (binding: Binding) => Promise<void>;

const { steps } = authSchema;

/** The cases, by the kind of binding that they work on. */
export const SUITES: Record<AskedSuite | "namespaces", Record<string, Run>> = {
  ...Object.fromEntries(
    Object.entries(DATABASE_SUITES).map(([suite, cases]) => [
      suite,
      Object.fromEntries(
        Object.entries(cases).map(([name, run]): [string, Run] => [
          name,
          async (binding) => {
            if (suite === "migration") await makeTables(binding, SQLITE_VERSION_1);
            else await emptyDatabase(binding);
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

/** Statements of a batch, with their values. */
export type SentBatch = readonly { sql: string; values: SqlValue[] }[];

/**
 * Runs the case `?suite=…&name=…` over the binding `?binding=…`, or a batch that was posted, and answers with what it
 * threw.
 */
const worker: {
  fetch(request: Request, env: Record<string, Binding | SqlObjects>): Promise<Response>;
} = {
  async fetch(request, env) {
    const { searchParams: asked } = new URL(request.url);
    const binding = env[asked.get("binding")!]!;
    const [suite, name] = ["suite", "name"].map((key) => asked.get(key)!) as [string, string];
    if ("idFromName" in binding) {
      // Tables of version 1 are made in one that has none.
      const id = binding.idFromName(suite === "migration" ? name : suite);
      return await binding.get(id).fetch(request);
    }
    try {
      if (request.method === "POST") {
        await emptyDatabase(binding);
        const statements = await request.json() as SentBatch;
        await binding.batch(
          statements.map(({ sql, values }) => binding.prepare(sql).bind(...values)),
        );
      } else await SUITES[suite as keyof typeof SUITES][name]!(binding);
      return new Response("passed");
    } catch (error) {
      return new Response((error as Error).stack, { status: 500 });
    }
  },
};

export default worker;
