/**
 * Resolution of a request to its tenant.
 *
 * @module
 */

import { TenantNotFoundError } from "../errors.ts";
import { readCookie } from "../lib/cookie.ts";
import { checkKeys, isOptions, wrongOption } from "../lib/options.ts";
import type { Tenant, TenantStorage } from "../types/tenant.ts";
import { isSlug, isTenantId } from "./validation.ts";

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

/** Creates the lookup of tenants for validated options. */
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

/** Options for `createTenantResolver()`. */
export interface TenantResolverOptions {
  /**
   * Source of the tenant: 'subdomain' is the one label before `baseDomain`, 'path' the segment
   * after `pathPrefix`, 'header' that in `headerName`, 'cookie' that in `cookieName`. Header and
   * cookie hold the slug or the id.
   */
  strategy: "subdomain" | "path" | "header" | "cookie";
  /** The domain below which tenants have their hosts, such as "app.example". Needed for 'subdomain'. */
  baseDomain?: string;
  /** Path prefix before the tenant. Default "/t/". */
  pathPrefix?: string;
  /** The header. Default "X-Tenant-ID". */
  headerName?: string;
  /** The cookie. Default "tenant". */
  cookieName?: string;
}

/** The names of the options. */
export const RESOLVER_KEYS: readonly string[] = [
  "strategy",
  "baseDomain",
  "pathPrefix",
  "headerName",
  "cookieName",
];
const STRATEGIES: readonly unknown[] = ["subdomain", "path", "header", "cookie"];
// A token (RFC 9110, 5.6.2): what the name of a header or a cookie consists of.
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;

function isDomain(value: unknown): value is string {
  if (typeof value !== "string" || value.length > 189) return false;
  const labels = value.split(".");
  // One label before it, and no address: those have numbers at their end (WHATWG URL, "ends in a number").
  return labels.every((label) => isSlug(label) || /^xn--[a-z0-9-]+$/.test(label)) &&
    !/^\d+$/.test(labels.at(-1)!);
}

function isPrefix(value: unknown): value is string {
  if (typeof value !== "string" || !/^\/(?:[A-Za-z0-9._~-]+\/)*$/.test(value)) return false;
  return new URL(value, "https://own.invalid").pathname === value;
}

/** Checks the options and fills in what they leave out. */
export function readResolverOptions(value: unknown): Required<TenantResolverOptions> {
  if (!isOptions(value)) {
    throw wrongOption("createTenantResolver()", value, 'options such as { strategy: "path" }');
  }
  checkKeys(value, RESOLVER_KEYS, "");
  const options = value as Partial<TenantResolverOptions>;
  const {
    strategy,
    baseDomain = "",
    pathPrefix: path = "/t/",
    headerName = "X-Tenant-ID",
    cookieName = "tenant",
  } = options;
  if (!STRATEGIES.includes(strategy)) {
    throw wrongOption("strategy", strategy, '"subdomain", "path", "header" or "cookie"');
  }
  const domain = typeof baseDomain === "string" ? baseDomain.toLowerCase() : baseDomain;
  if ((strategy === "subdomain" || options.baseDomain !== undefined) && !isDomain(domain)) {
    throw wrongOption("baseDomain", options.baseDomain, 'a domain such as "app.example"');
  }
  const pathPrefix = typeof path === "string" && !path.endsWith("/") ? `${path}/` : path;
  if (!isPrefix(pathPrefix)) throw wrongOption("pathPrefix", path, 'a path such as "/t/"');
  if (typeof headerName !== "string" || !TOKEN.test(headerName)) {
    throw wrongOption("headerName", headerName, 'the name of a header such as "X-Tenant-ID"');
  }
  if (typeof cookieName !== "string" || !TOKEN.test(cookieName)) {
    throw wrongOption("cookieName", cookieName, 'the name of a cookie such as "tenant"');
  }
  return { strategy: strategy!, baseDomain: domain, pathPrefix, headerName, cookieName };
}

/** Name by which a request identifies its tenant. */
export interface TenantName {
  /** It, when it can be a slug. */
  slug: string | null;
  /** It, when it can be an id, and where an id may stand. */
  id: string | null;
}

/** The request as far as it can name a tenant. */
export interface NamingRequest {
  /** Its address. */
  url: URL;
  /** Its headers. */
  headers: Headers;
}

/**
 * Compared label by label: neither the end of another domain, nor a host below a tenant's, nor the same
 * host with a dot at its end is one. The parser of the address has taken the port and lowered the case.
 */
function fromHost({ hostname }: URL, baseDomain: string): string | null {
  const dot = hostname.indexOf(".");
  return dot !== -1 && hostname.slice(dot + 1) === baseDomain ? hostname.slice(0, dot) : null;
}

/** The segment as it stands there. The parser has resolved dot segments; nothing is decoded. */
function fromPath({ pathname }: URL, prefix: string): string | null {
  if (!pathname.startsWith(prefix)) return null;
  const end = pathname.indexOf("/", prefix.length);
  return pathname.slice(prefix.length, end === -1 ? undefined : end);
}

function fromCookie(headers: Headers, name: string): string | null {
  const cookie = readCookie(headers.get("cookie"), name);
  return cookie.found === "one" ? cookie.value : null;
}

/** True for an address at the usual port of a host that could be a tenant's. */
export function isTenantHost(url: URL, baseDomain: string): boolean {
  return url.port === "" && isSlug(fromHost(url, baseDomain));
}

/** Reads what a request calls its tenant; whatever can be no name is null. */
function readTenantName(
  { url, headers }: NamingRequest,
  options: Required<TenantResolverOptions>,
): TenantName {
  const { strategy, baseDomain, pathPrefix, headerName, cookieName } = options;
  const byId = strategy === "header" || strategy === "cookie";
  const name = {
    subdomain: () => fromHost(url, baseDomain),
    path: () => fromPath(url, pathPrefix),
    header: () => headers.get(headerName),
    cookie: () => fromCookie(headers, cookieName),
  }[strategy]();
  return {
    slug: isSlug(name) ? name : null,
    id: byId && isTenantId(name) ? name : null,
  };
}
