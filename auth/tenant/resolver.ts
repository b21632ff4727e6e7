import { wrongOption } from "../config/check.ts";
import { TenantNotFoundError } from "../errors/tenant_errors.ts";
import { type NamingRequest, readTenantName } from "./read_name.ts";
import { readResolverOptions, type TenantResolverOptions } from "./resolver_options.ts";
import type { Tenant, TenantStorage } from "./tenant.ts";

/** Finds the tenant of a request. That somebody may act there is another question. */
export interface TenantResolver {
  /** The tenant, or null: the request names none, or one that is unknown or suspended. */
  resolve(request: Request): Promise<Tenant | null>;
  /**
   * The tenant that the request names.
   *
   * @throws {TenantNotFoundError} When it names none, or one that is unknown or suspended.
   */
  require(request: Request): Promise<{ tenant: Tenant }>;
}

/** Finds the tenant that a request names. */
export type FindTenant = (request: NamingRequest) => Promise<Tenant | null>;

/** Makes what finds tenants, for an address that is known already and options that are checked. */
export function createTenantFinder(
  storage: TenantStorage,
  options: Required<TenantResolverOptions>,
): FindTenant {
  if (typeof storage?.getBySlug !== "function") {
    throw wrongOption("storage", storage, "what createSqlTenantStorage() returns");
  }
  return async function find(request) {
    const { slug, id } = readTenantName(request, options);
    const tenant = (slug === null ? null : await storage.getBySlug(slug)) ??
      (id === null ? null : await storage.get(id));
    return tenant === null || tenant.suspendedAt !== undefined ? null : tenant;
  };
}

/**
 * Makes a resolver. It looks the name up that the request gives and believes nothing else of it: for all
 * four strategies it is the client's to choose.
 *
 * @param storage Where tenants are.
 * @param options Where a request names its tenant.
 * @throws {ConfigurationError} For an option that is wrong, or a `baseDomain` that is missing.
 *
 * @example
 * ```ts
 * import { createMemoryTenantStorage, createTenantResolver } from "@framework/auth/tenant";
 * import { equal } from "node:assert/strict";
 *
 * const storage = createMemoryTenantStorage();
 * await storage.create({ slug: "acme", name: "Acme Ltd" });
 * const resolver = createTenantResolver(storage, { strategy: "path" });
 *
 * const { tenant } = await resolver.require(new Request("https://app.example/t/acme/invoices"));
 * equal(tenant.name, "Acme Ltd");
 * equal(await resolver.resolve(new Request("https://app.example/t/other")), null);
 * ```
 */
export function createTenantResolver(
  storage: TenantStorage,
  options: TenantResolverOptions,
): TenantResolver {
  const find = createTenantFinder(storage, readResolverOptions(options));

  async function resolve({ url, headers }: Request): Promise<Tenant | null> {
    return await find({ url: new URL(url), headers });
  }

  return {
    resolve,
    async require(request) {
      const tenant = await resolve(request);
      if (tenant === null) throw new TenantNotFoundError();
      return { tenant };
    },
  };
}
