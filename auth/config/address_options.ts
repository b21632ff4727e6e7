import type { PageTheme } from "../http/page.ts";
import type { TrustedProxies } from "../http/trusted_proxies.ts";
import { checkKeys, isOptions, optionsAt, readList, wrongOption } from "./check.ts";

/** Paths of pages that take the place of the built-in ones. */
export interface PagesConfig {
  /** Default `<basePath>/signin`. */
  signIn?: string;
  /** Default `<basePath>/signout`. */
  signOut?: string;
  /** Default `<basePath>/error`. */
  error?: string;
  /** Where a visitor waits for the e-mail with a sign-in link. Default `<basePath>/verify-request`. */
  verifyRequest?: string;
  /** Where a user goes whom a sign-in has just made. Default: where everyone goes. */
  newUser?: string;
  /** How the built-in pages look and what they say: what `pageTheme()` returns. */
  theme?: PageTheme;
}

/** The same, checked. */
export interface Pages {
  /** The sign-in page. */
  signIn: string;
  /** The sign-out page. */
  signOut: string;
  /** The error page. */
  error: string;
  /** The page on which a visitor waits for an e-mail. */
  verifyRequest: string;
  /** The page for new users, or null. */
  newUser: string | null;
  /** What dresses the built-in ones. */
  theme: PageTheme | undefined;
}

const PROBE = "https://own.invalid";

/** True for a path of this application: it begins with one slash and no parser reads a host in it. */
export function isOwnPath(value: unknown): value is string {
  if (typeof value !== "string" || !/^\/(?![/\\])[\x21-\x7e]*$/.test(value)) return false;
  try {
    const url = new URL(value, PROBE);
    return url.origin === PROBE && !url.pathname.startsWith("//");
  } catch {
    return false;
  }
}

/** Checks `basePath`. */
export function readBasePath(value: unknown): string {
  if (value === undefined) return "/auth";
  if (typeof value === "string" && /^(?:\/[A-Za-z0-9._~-]+)+$/.test(value)) {
    if (new URL(value, PROBE).pathname === value) return value;
  }
  throw wrongOption("basePath", value, 'a path such as "/auth", without a slash at its end');
}

/** Checks the `pages` block and fills in its defaults. */
export function readPages(value: unknown, basePath: string): Pages {
  const { theme, ...pages } = optionsAt(value, "pages");
  checkKeys(pages, ["signIn", "signOut", "error", "verifyRequest", "newUser"], "pages");
  if (theme !== undefined && typeof theme !== "function") {
    throw wrongOption("pages.theme", theme, "pageTheme({ … })");
  }
  for (const [name, path] of Object.entries(pages)) {
    if (path !== undefined && !isOwnPath(path)) {
      throw wrongOption(`pages.${name}`, path, 'a path of this application such as "/login"');
    }
  }
  const { signIn, signOut, error, verifyRequest, newUser } = pages as PagesConfig;
  return {
    signIn: signIn ?? `${basePath}/signin`,
    signOut: signOut ?? `${basePath}/signout`,
    error: error ?? `${basePath}/error`,
    verifyRequest: verifyRequest ?? `${basePath}/verify-request`,
    newUser: newUser ?? null,
    theme: theme as PageTheme | undefined,
  };
}

/** The origin in a text that is nothing but an http(s) origin, or null. */
function originOf(value: unknown): string | null {
  if (typeof value !== "string") return null;
  try {
    const url = new URL(value);
    const bare = url.pathname === "/" && url.search === "" && url.hash === "" &&
      url.username === "" &&
      url.password === "" && !value.includes("*");
    return bare && (url.protocol === "https:" || url.protocol === "http:") ? url.origin : null;
  } catch {
    return null;
  }
}

/** Checks `baseUrl`; null when it is left out. */
export function readBaseUrl(value: unknown): string | null {
  if (value === undefined) return null;
  const origin = originOf(value);
  if (origin === null) {
    throw wrongOption("baseUrl", value, 'an origin such as "https://app.example", without a path');
  }
  return origin;
}

/** Checks `trustedOrigins`. Wildcards are no origins: a pattern that matches a suffix matches an attacker. */
export function readTrustedOrigins(value: unknown): ReadonlySet<string> {
  const origins = new Set<string>();
  if (value === undefined) return origins;
  for (
    const [index, item] of readList(value, "trustedOrigins", "https://admin.example").entries()
  ) {
    const origin = originOf(item);
    if (origin === null) {
      throw wrongOption(
        `trustedOrigins[${index}]`,
        item,
        'an exact origin such as "https://admin.example"',
      );
    }
    origins.add(origin);
  }
  return origins;
}

/** Checks `allowedHosts`; null when it is left out. */
export function readAllowedHosts(value: unknown): ReadonlySet<string> | null {
  if (value === undefined) return null;
  const hosts = new Set<string>();
  for (const [index, item] of readList(value, "allowedHosts", "app.example").entries()) {
    const origin = typeof item === "string" && !/[/@?#\s]/.test(item)
      ? originOf(`http://${item}`)
      : null;
    if (origin === null) {
      throw wrongOption(
        `allowedHosts[${index}]`,
        item,
        'a host as it stands in the address bar, such as "app.example" or "localhost:8787"',
      );
    }
    hosts.add(new URL(origin).host);
  }
  if (hosts.size === 0) {
    throw wrongOption("allowedHosts", value, "at least one host, or leave it out");
  }
  return hosts;
}

/** Checks `trustedProxies`; null when it is left out. */
export function readTrustedProxies(value: unknown): TrustedProxies | null {
  if (value === undefined) return null;
  if (isOptions(value) && value.kind === "trusted-proxies") {
    return value as unknown as TrustedProxies;
  }
  throw wrongOption(
    "trustedProxies",
    value,
    'trustProxies(["10.0.0.0/8"]), which @framework/auth exports (in app/auth/config.ts the list alone)',
  );
}
