import { checkKeys, isOptions, wrongOption } from "../config/check.ts";
import { isSlug } from "./names.ts";

/** How a request says for which tenant it is. */
export interface TenantResolverOptions {
  /**
   * Where it says so: 'subdomain' in the one label before `baseDomain`, 'path' in the segment after
   * `pathPrefix`, 'header' in `headerName`, 'cookie' in `cookieName`. Header and cookie hold the slug or
   * the id.
   */
  strategy: "subdomain" | "path" | "header" | "cookie";
  /** The domain below which tenants have their hosts, such as "app.example". Needed for 'subdomain'. */
  baseDomain?: string;
  /** What comes before the tenant in a path. Default "/t/". */
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
