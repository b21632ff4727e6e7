/**
 * The option that sets tenants up, without their code.
 *
 * @module
 */

import { type Definition, isOptions, readMade, resolveDefinition } from "../lib/options.ts";
import type { SqlDatabase } from "../storage/sql_database.ts";
import type { Tenancy } from "../types/tenant.ts";

/** Factory of an application's tenancy. */
export interface TenancyFactory {
  /** Makes it for an application whose own database is this one, if it is a SQL database. */
  create(database: SqlDatabase | null): Tenancy;
}

/** The tenancy of an application, as `defineTenancy()` makes it. */
export interface TenancyDefinition {
  /** Tells it from other objects. */
  readonly kind: "tenancy";
  /** Tenancy, or a function that makes it from the environment. */
  readonly definition: Definition<TenancyFactory>;
}

/**
 * Reads the option `tenancy`; null without it. Nothing here knows how tenants are found, so that an
 * application without tenants does not bundle the check.
 */
export function readTenancyOption(
  value: unknown,
  { env, database }: { env: unknown; database: unknown },
): Tenancy | null {
  const write = "what defineTenancy() returns";
  const made = readMade<TenancyDefinition>(value, "tenancy", { kind: "tenancy", write });
  if (made === null) return null;
  const isSql = isOptions(database) && "prepare" in database;
  const sql = isSql ? database as unknown as SqlDatabase : null;
  return resolveDefinition(made.definition, env).create(sql);
}
