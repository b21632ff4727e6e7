import { checkKeys, isOptions, wrongOption } from "../config/check.ts";
import type { Definition } from "../config/definition.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import type { SqlDatabase } from "../storage/sql_database.ts";
import { isTenantHost } from "./read_name.ts";
import { createRequestTenant } from "./request_tenant.ts";
import { createTenantFinder } from "./resolver.ts";
import {
  readResolverOptions,
  RESOLVER_KEYS,
  type TenantResolverOptions,
} from "./resolver_options.ts";
import { createSqlTenantMembers } from "./sql_members.ts";
import { createSqlTenantStorage } from "./sql_tenants.ts";
import type { TenancyDefinition, TenancyFactory } from "./tenancy_definition.ts";
import type { Tenancy } from "./tenancy.ts";
import type { TenantMembers, TenantStorage } from "./tenant.ts";

/** The tenants of an application. */
export interface TenancyConfig extends TenantResolverOptions {
  /** Where tenants are. Default: the table `tenants` of the application's database. */
  storage?: TenantStorage;
  /**
   * Who is a member where. Default: the table `tenant_members` of the application's database; without a
   * SQL database nobody is a member anywhere.
   */
  members?: TenantMembers;
}

/** A checked configuration. */
interface Parts {
  storage: TenantStorage | undefined;
  members: TenantMembers | undefined;
  naming: Required<TenantResolverOptions>;
}

function readConfig(value: unknown): TenancyConfig {
  if (!isOptions(value)) {
    throw wrongOption("defineTenancy()", value, 'an object such as { strategy: "path" }');
  }
  checkKeys(value, ["storage", "members", ...RESOLVER_KEYS], "tenancy");
  return value as unknown as TenancyConfig;
}

function factoryOf(value: unknown): TenancyFactory {
  const { storage, members, ...naming } = readConfig(value);
  const checked = readResolverOptions(naming);
  return { create: (database) => createTenancy(database, { storage, members, naming: checked }) };
}

function createTenancy(database: SqlDatabase | null, parts: Parts): Tenancy {
  const { storage: given, members: port, naming } = parts;
  const storage = given ?? (database === null ? null : createSqlTenantStorage(database));
  if (storage === null) {
    throw new ConfigurationError(
      "Nothing says where tenants are: write defineTenancy({ storage: … }), or configure a SQL `database`.",
      { field: "tenancy.storage" },
    );
  }
  const members = port ?? (database === null ? null : createSqlTenantMembers(database));
  const { strategy, baseDomain, headerName } = naming;
  const find = createTenantFinder(storage, naming);
  return {
    vary: strategy === "header" ? headerName : strategy === "cookie" ? "Cookie" : null,
    isTenantHost: strategy === "subdomain" ? (url) => isTenantHost(url, baseDomain) : undefined,
    storage,
    members,
    async removeEverywhere(userId) {
      for (let left = members !== null; left;) {
        const page = await members!.listOfUser(userId);
        for (const { tenantId } of page.members) await members!.remove(tenantId, userId);
        left = page.cursor !== null;
      }
    },
    open: ({ headers }, url) =>
      createRequestTenant({ find, members, request: () => ({ url: url(), headers }) }),
  };
}

/**
 * Declares the tenants of an application: the default export of `app/auth/tenant.ts`, or the option
 * `tenancy` of `createAuth()`.
 *
 * The tenant of a request is known before its session is: a session counts for the tenant that it was
 * made in, and for one in which its user is a member.
 *
 * @param tenancy How a request names its tenant, or a function that says so from the environment.
 * @throws {ConfigurationError} For an option that is wrong; of a function, at the first request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage } from "@framework/auth";
 * import { createMemoryTenantStorage, defineTenancy, getTenant } from "@framework/auth/tenant";
 * import { equal } from "node:assert/strict";
 *
 * const storage = createMemoryTenantStorage();
 * await storage.create({ slug: "acme", name: "Acme Ltd" });
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   tenancy: defineTenancy({ strategy: "path", storage }),
 * });
 * const request = new Request("http://localhost/t/acme/");
 * const response = await auth.run(request, {}, undefined, () => new Response(getTenant()?.name));
 * equal(await response.text(), "Acme Ltd");
 * ```
 */
export function defineTenancy<Env = never>(
  tenancy: Definition<TenancyConfig, Env>,
): TenancyDefinition {
  if (typeof tenancy !== "function") return { kind: "tenancy", definition: factoryOf(tenancy) };
  return { kind: "tenancy", definition: (env: Env) => factoryOf(tenancy(env)) };
}
