/**
 * defineTenancy(), and the tenant of one request.
 *
 * @module
 */

import { ConfigurationError } from "../errors.ts";
import { checkKeys, type Definition, isOptions, wrongOption } from "../lib/options.ts";
import { TEAM_SCOPE } from "../rbac/permissions.ts";
import type { SqlDatabase } from "../storage/sql_database.ts";
import type {
  Member,
  RequestTenant,
  Tenancy,
  Tenant,
  TenantMembers,
  TenantStorage,
} from "../types/tenant.ts";
import {
  createTenantFinder,
  type FindTenant,
  isTenantHost,
  type NamingRequest,
  readResolverOptions,
  RESOLVER_KEYS,
  type TenantResolverOptions,
} from "./resolver.ts";
import { createSqlTenantMembers, createSqlTenantStorage } from "./sql.ts";

/** The tenants of an application. */
export interface TenancyConfig extends TenantResolverOptions {
  /** Storage of tenants. Default: the table `tenants` of the application's database. */
  storage?: TenantStorage;
  /**
   * Storage of memberships. Default: the table `tenant_members` of the application's database;
   * without a SQL database there are no members.
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
      "No tenant storage: write defineTenancy({ storage: … }), or configure a SQL `database`.",
      { field: "tenancy.storage" },
    );
  }
  const members = port ?? (database === null ? null : createSqlTenantMembers(database));
  const { strategy, baseDomain, headerName } = naming;
  const find = createTenantFinder(storage, naming);
  let scoped = false;

  function rolesHere(roles: readonly string[]): string[] {
    return roles.map((role) => scoped ? TEAM_SCOPE + role : role);
  }

  return {
    scopeRoles() {
      scoped = true;
    },
    rolesHere,
    naming,
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
      createRequestTenant({
        find,
        members,
        request: () => ({ url: url(), headers }),
        // A sign-in ends below "/auth", which is no tenant's where tenants are paths.
        outsider: strategy === "path" ? "refused" : "asked",
        rolesHere: scoped ? rolesHere : null,
      }),
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

/** Options for {@linkcode RequestTenant}. */
export interface RequestTenantOptions {
  /** Finds the tenant. */
  find: FindTenant;
  /** Storage of memberships; null for none. */
  members: TenantMembers | null;
  /** The request; a function, because its address may be wrong. */
  request: () => NamingRequest;
  /** Answer to who is signed in and no member: the sign-in, or a refusal. */
  outsider: "asked" | "refused";
  /** Names under which roles of members count; null for their own. */
  rolesHere: ((roles: readonly string[]) => string[]) | null;
}

/**
 * Tests if a session belongs to the tenant of the request, or to none when the request has none.
 */
function isOf(tenant: Tenant | null, tenantId: string | null | undefined): boolean {
  // A storage of the application's own may say null where there is none.
  return (tenantId ?? null) === (tenant?.id ?? null);
}

/** Makes the tenant of one request; nothing is looked up yet. */
function createRequestTenant(options: RequestTenantOptions): RequestTenant {
  const { find, members, request, outsider, rolesHere } = options;
  let reading: Promise<Tenant | null> | undefined;
  let known: { tenant: Tenant | null } | { error: unknown } | undefined;
  const reads = new Map<string, Promise<Member | null>>();
  const knownMembers = new Map<string, Member>();

  async function read(): Promise<Tenant | null> {
    try {
      const tenant = await find(request());
      known = { tenant };
      return tenant;
    } catch (error) {
      known = { error };
      throw error;
    }
  }

  function load(): Promise<Tenant | null> {
    return reading ??= read();
  }

  /** Tenant that was looked up; undefined before. */
  function found(): Tenant | null | undefined {
    if (known !== undefined && "error" in known) throw known.error;
    return known?.tenant;
  }

  /** The membership of a user in the tenant of the request; null when the user is no member. Asked once. */
  async function memberOf(tenantId: string | undefined, userId: string): Promise<Member | null> {
    if (members === null || tenantId === undefined) return null;
    const reading = reads.get(userId) ?? members.get(tenantId, userId);
    reads.set(userId, reading);
    const member = await reading;
    if (member !== null) knownMembers.set(userId, member);
    return member;
  }

  return {
    load,
    async preload() {
      await load().catch(() => {});
    },
    now(operation) {
      const tenant = found();
      if (tenant !== undefined) return tenant;
      throw new ConfigurationError(
        `Cannot answer ${operation}() at once: the tenant of this request was not looked up. ` +
          "Write await context.auth.tenant().",
      );
    },
    isNone: () => found() === null,
    async admit(state) {
      const tenant = await load();
      const { session, session: { user } } = state;
      const member = await memberOf(tenant?.id, user.id);
      if (member === null && !isOf(tenant, state.tenantId)) return null;
      const roles = member?.roles ?? [];
      const own = Array.isArray(user.roles) ? user.roles : [];
      // A membership alone gives a role of a team, whatever stands in the row of the user.
      const site = rolesHere ? own.filter((role) => !role.startsWith(TEAM_SCOPE)) : own;
      const isForged = rolesHere !== null && typeof user.role === "string" &&
        user.role.startsWith(TEAM_SCOPE);
      if (roles.length === 0 && site.length === own.length && !isForged) return state;
      const here = rolesHere?.(roles) ?? roles;
      // For this request only: what is stored of the user stays as it is.
      const both = { ...user, roles: [...new Set([...site, ...here])] };
      if (isForged) delete both.role;
      return { ...state, session: { ...session, user: both } };
    },
    async turnAway(refusal) {
      // Without a tenant it is a session of one: a visitor, as without any.
      if (await load() === null) return { status: "none" };
      return refusal
        ? { status: "none", outsider: "refused", refusal }
        : { status: "none", outsider };
    },
    memberNow(userId) {
      return knownMembers.get(userId) ?? null;
    },
    async filter(sessions) {
      const tenant = await load();
      // Outside of tenants their users look after all that they have, also what a thief has begun in one.
      if (tenant === null) return sessions;
      const seen = await Promise.all(
        sessions.map(async ({ userId, tenantId }) =>
          isOf(tenant, tenantId) || await memberOf(tenant.id, userId) !== null
        ),
      );
      return sessions.filter((_, index) => seen[index]);
    },
  };
}

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
