import { createD1Dialect } from "@framework/cli/runtime";
import { Kysely } from "kysely";
import type { D1Database } from "../platform/d1.ts";

/** Creates a query builder over a database binding, as `context.db` is one. */
// deno-lint-ignore no-explicit-any -- the schema is the application's.
export function openKysely(database: D1Database): Kysely<any> {
  return new Kysely({ dialect: createD1Dialect(database) });
}
