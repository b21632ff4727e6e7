import { createD1Dialect } from "@framework/cli/runtime";
import { Kysely } from "kysely";
import type { D1Database } from "../platform/d1.ts";

/** A query builder over a database binding, the one that `context.db` is. */
// deno-lint-ignore no-explicit-any -- the schema is the application's.
export function openKysely(database: D1Database): Kysely<any> {
  return new Kysely({ dialect: createD1Dialect(database) });
}
